/*!
The macro that generates views from the items of a table.
*/

/// Generates the views of the items of a table.
///
/// The [module](crate::message::schema) describes the items and has an
/// example. The names of types in a table are resolved where the macro is
/// invoked.
#[macro_export]
#[doc(hidden)]
macro_rules! views {
    // The type of a field in the view.
    (@type $a:lifetime str) => { &$a str };
    (@type $a:lifetime bool) => { bool };
    (@type $a:lifetime u64) => { u64 };
    (@type $a:lifetime i64) => { i64 };
    (@type $a:lifetime f64) => { f64 };
    (@type $a:lifetime json) => { $crate::message::schema::Value<$a> };
    (@type $a:lifetime [$item:tt]) => {
        $crate::message::schema::List<
            $a, $crate::message::schema::views!(@type $a $item)
        >
    };
    (@type $a:lifetime {$value:tt}) => {
        $crate::message::schema::Map<
            $a, $crate::message::schema::views!(@type $a $value)
        >
    };
    (@type $a:lifetime ($name:ident)) => { $name<$a> };
    (@type $a:lifetime $name:ident) => { $name<$a> };

    // The type that a view wraps: its parent, or `Root`.
    (@parent $a:lifetime []) => { $crate::message::schema::Root<$a> };
    (@parent $a:lifetime [$parent:ident]) => { $parent<$a> };

    // A view with a parent dereferences to it.
    (@deref $name:ident []) => {};
    (@deref $name:ident [$parent:ident]) => {
        impl<'a> ::std::ops::Deref for $name<'a> {
            type Target = $parent<'a>;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    };

    // A view is formatted and serialised as its underlying JSON.
    (@shown $name:ident) => {
        impl ::std::fmt::Debug for $name<'_> {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&self.value(), f)
            }
        }

        $crate::message::schema::serialize_view!($name);
    };

    (
        @item $(#[$doc:meta])*
        struct $name:ident $(: $parent:ident)? $(or $bare:literal)? {$(
            $(#[$note:meta])*
            $field:ident: $type:tt = $key:literal $(| $alias:literal)?,
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'a>(
            $crate::message::schema::views!(@parent 'a [$($parent)?])
        );

        impl<'a> $name<'a> {
            /// Creates a view of a value. If the value is not an object, the
            /// fields read as `None`.
            #[inline]
            pub fn new(
                value: $crate::message::schema::Value<'a>,
            ) -> $name<'a> {
                type __Parent<'a> =
                    $crate::message::schema::views!(@parent 'a [$($parent)?]);
                $name(__Parent::new(value))
            }

            /// Returns the underlying value.
            pub fn value(self) -> $crate::message::schema::Value<'a> {
                self.0.value()
            }

            /// The key as which a bare string is read, if a bare string may
            /// replace the object.
            const BARE: Option<&'static str> = [$(Some($bare),)? None][0];

            $(
                $(#[$note])*
                #[doc = concat!(
                    "\n\n`", $key, "`", $(" or `", $alias, "`",)?
                    " on the wire."
                )]
                pub fn $field(self) -> Option<
                    $crate::message::schema::views!(@type 'a $type)
                > {
                    let alias: Option<&str> = [$(Some($alias),)? None][0];
                    $crate::message::schema::field(
                        self.value(), Self::BARE, $key, alias,
                    )
                }
            )*
        }

        impl<'a> $crate::message::schema::FromValue<'a> for $name<'a> {
            fn from_value(
                value: $crate::message::schema::Value<'a>,
            ) -> Option<Self> {
                let fits = value.as_object().is_some()
                    || Self::BARE.is_some() && value.as_str().is_some();
                fits.then(|| $name::new(value))
            }
        }

        impl<'a> $crate::message::schema::Described<'a> for $name<'a> {
            fn inside(
                value: $crate::message::schema::Value<'a>,
                walk: &mut $crate::message::schema::SchemaWalk<'a, '_>,
            ) {
                use $crate::message::schema::Shape as _;
                if let Some(object) = value.as_object() {
                    $name::walk(object, &[], walk);
                }
            }
        }

        impl<'a> $crate::message::schema::Shape<'a> for $name<'a> {
            fn walk_beside(
                object: $crate::message::schema::Object<'a>,
                tags: &[&str],
                beside: $crate::message::schema::Fields<'a>,
                walk: &mut $crate::message::schema::SchemaWalk<'a, '_>,
            ) {
                use $crate::message::schema::ViewFields as _;
                walk.members(object, tags, [$name::FIELDS, beside]);
            }
        }

        impl<'a> $crate::message::schema::ViewFields<'a> for $name<'a> {
            const FIELDS: $crate::message::schema::Fields<'a> =
                $crate::message::schema::Fields {
                    own: &[$(
                        $crate::message::schema::ViewField::new::<
                            $crate::message::schema::views!(@type 'a $type)
                        >(
                            $key, [$(Some($alias),)? None][0],
                        ),
                    )*],
                    parent: Some(
                        &<$crate::message::schema::views!(
                            @parent 'a [$($parent)?]
                        ) as $crate::message::schema::ViewFields<'a>>::FIELDS
                    ),
                };
        }

        $crate::message::schema::views!(@deref $name [$($parent)?]);
        $crate::message::schema::views!(@shown $name);
    };

    (
        @item $(#[$doc:meta])*
        enum $name:ident {$(
            $(#[$note:meta])*
            $variant:ident = $text:literal,
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name<'a> {
            $(
                $(#[$note])*
                #[doc = concat!("\n\n`", $text, "` on the wire.")]
                $variant,
            )*
            /// An unknown string.
            Other(&'a str),
        }

        impl<'a> $name<'a> {
            /// Returns the string as it is in the JSON.
            pub fn as_str(self) -> &'a str {
                match self {
                    $($name::$variant => $text,)*
                    $name::Other(text) => text,
                }
            }
        }

        impl<'a> From<&'a str> for $name<'a> {
            fn from(text: &'a str) -> $name<'a> {
                match text {
                    $($text => $name::$variant,)*
                    _ => $name::Other(text),
                }
            }
        }

        impl ::std::fmt::Display for $name<'_> {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl<'a> $crate::message::schema::FromValue<'a> for $name<'a> {
            fn from_value(
                value: $crate::message::schema::Value<'a>,
            ) -> Option<Self> {
                value.as_str().map($name::from)
            }
        }

        impl<'a> $crate::message::schema::Described<'a> for $name<'a> {
            fn reading(
                value: $crate::message::schema::Value<'a>,
            ) -> $crate::message::Reading {
                use $crate::message::schema::FromValue as _;
                match $name::from_value(value) {
                    Some($name::Other(_)) => {
                        $crate::message::Reading::UnknownText
                    }
                    text => $crate::message::schema::reading_of(
                        text.is_some(), value,
                    ),
                }
            }
        }
    };

    (
        @item $(#[$doc:meta])*
        union $name:ident by $tag:literal
        else $other:ident($other_view:ident) {$(
            $(#[$note:meta])*
            $variant:ident($view:ident) = $text:literal,
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[non_exhaustive]
        pub enum $name<'a> {
            $(
                $(#[$note])*
                #[doc = concat!(
                    "\n\n`", $tag, "` is `", $text, "` on the wire."
                )]
                $variant($view<'a>),
            )*
            /// An object with another discriminant, or without one.
            $other($other_view<'a>),
        }

        impl<'a> $name<'a> {
            /// Creates a view of a value, chosen by its member
            #[doc = concat!("`", $tag, "`.")]
            pub fn new(
                value: $crate::message::schema::Value<'a>,
            ) -> $name<'a> {
                match value.get($tag).and_then(|tag| tag.as_str()) {
                    $(Some($text) => $name::$variant($view::new(value)),)*
                    _ => $name::$other($other_view::new(value)),
                }
            }

            /// Returns the underlying value.
            pub fn value(self) -> $crate::message::schema::Value<'a> {
                match self {
                    $($name::$variant(view) => view.value(),)*
                    $name::$other(view) => view.value(),
                }
            }
        }

        impl<'a> $crate::message::schema::Shape<'a> for $name<'a> {
            fn walk_beside(
                object: $crate::message::schema::Object<'a>,
                tags: &[&str],
                beside: $crate::message::schema::Fields<'a>,
                walk: &mut $crate::message::schema::SchemaWalk<'a, '_>,
            ) {
                match object.get($tag).and_then(|tag| tag.as_str()) {
                    $(Some($text) => {
                        $view::walk_beside(object, tags, beside, walk);
                    })*
                    _ => $other_view::walk_beside(object, tags, beside, walk),
                }
            }
        }

        impl<'a> $crate::message::schema::FromValue<'a> for $name<'a> {
            fn from_value(
                value: $crate::message::schema::Value<'a>,
            ) -> Option<Self> {
                value.as_object().map(|_| $name::new(value))
            }
        }

        impl<'a> $crate::message::schema::Described<'a> for $name<'a> {
            fn inside(
                value: $crate::message::schema::Value<'a>,
                walk: &mut $crate::message::schema::SchemaWalk<'a, '_>,
            ) {
                use $crate::message::schema::Shape as _;
                if let Some(object) = value.as_object() {
                    $name::walk(object, &[$tag], walk);
                }
            }
        }

        $crate::message::schema::views!(@shown $name);
    };

    // The items of a table.
    ($(
        $(#[$doc:meta])* $kind:ident $name:ident
        $(: $parent:ident)? $(or $bare:literal)?
        $(by $tag:literal else $other:ident($other_view:ident))?
        {$($body:tt)*}
    )*) => {$(
        $crate::message::schema::views! {
            @item $(#[$doc])* $kind $name
            $(: $parent)? $(or $bare)?
            $(by $tag else $other($other_view))?
            {$($body)*}
        }
    )*};
}
#[doc(inline)]
pub use views;

/// Implements `Serialize` for a view.
#[cfg(feature = "serde")]
#[macro_export]
#[doc(hidden)]
macro_rules! serialize_view {
    ($name:ident) => {
        impl $crate::message::schema::serde::Serialize for $name<'_> {
            fn serialize<S: $crate::message::schema::serde::Serializer>(
                &self,
                to: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                self.value().serialize(to)
            }
        }
    };
}

/// Expands to nothing, since serde is not available.
#[cfg(not(feature = "serde"))]
#[macro_export]
#[doc(hidden)]
macro_rules! serialize_view {
    ($name:ident) => {};
}
pub use serialize_view;
