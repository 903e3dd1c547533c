/// Generates the owned types of the items of a table.
///
/// [`message::schema`](crate::message::schema) describes the items and has an
/// example.
///
/// For every struct, a macro with the same name is generated as well. It
/// appends the struct's fields to those of a child. So a parent must precede
/// its children, in the same module or in one that is declared earlier with
/// `#[macro_use]`.
#[macro_export]
#[doc(hidden)]
macro_rules! owned_types {
    // The type of a field in an owned struct.
    (@type str) => { ::std::string::String };
    (@type bool) => { bool };
    (@type u64) => { u64 };
    (@type i64) => { i64 };
    (@type f64) => { $crate::owned::schema::serde_json::Number };
    (@type json) => { $crate::owned::schema::serde_json::Value };
    (@type [$item:tt]) => {
        ::std::vec::Vec<$crate::owned::schema::owned_types!(@type $item)>
    };
    (@type {$value:tt}) => {
        ::std::collections::BTreeMap<
            ::std::string::String,
            $crate::owned::schema::owned_types!(@type $value)
        >
    };
    (@type ($name:ident)) => { $crate::owned::schema::OrString<$name> };
    (@type $name:ident) => { $name };

    // Whether a field has an alias.
    (@has_alias) => { false };
    (@has_alias $alias:literal) => { true };

    // Whether a field was read by its alias.
    (@second $self:ident $field:ident) => { false };
    (@second $self:ident $field:ident $alias:literal) => {
        $crate::owned::schema::has_second_key(
            &$self.extra, __Bit::$field as u8,
        )
    };

    // `Slot`, `Serialize` and `Deserialize` for structs and unions.
    (@serde $name:ident) => {
        impl $crate::owned::schema::Slot for $name {
            fn fill<S: $crate::owned::schema::Source>(
                source: S,
            ) -> ::std::result::Result<$name, S> {
                let members = source.into_object()?;
                Ok(<$name as $crate::owned::schema::Part>::read(
                    members, $crate::owned::schema::Tags::None,
                ))
            }

            fn fill_into<S: $crate::owned::schema::Source>(
                field: &mut Option<$name>,
                source: S,
            ) -> ::std::result::Result<(), S> {
                let members = source.into_object()?;
                <$name as $crate::owned::schema::Part>::read_into(
                    field, members, $crate::owned::schema::Tags::None,
                );
                Ok(())
            }
        }

        impl $crate::owned::schema::serde::Serialize for $name {
            fn serialize<S: $crate::owned::schema::serde::Serializer>(
                &self,
                to: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::owned::schema::serialize(self, to)
            }
        }

        impl<'de> $crate::owned::schema::serde::Deserialize<'de> for $name {
            fn deserialize<
                D: $crate::owned::schema::serde::Deserializer<'de>
            >(
                from: D,
            ) -> ::std::result::Result<$name, D::Error> {
                $crate::owned::schema::deserialize(from)
            }
        }
    };

    // A struct, including the fields of its parents.
    (
        @struct ($d:tt) [$(#[$doc:meta])*] $name:ident [$($bare:literal)?] {$(
            $(#[$note:meta])*
            $field:ident: $type:tt = $key:literal $(| $alias:literal)?,
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $(
                $(#[$note])*
                #[doc = concat!(
                    "\n\n`", $key, "`", $(" or `", $alias, "`",)?
                    " on the wire."
                )]
                pub $field: Option<
                    $crate::owned::schema::owned_types!(@type $type)
                >,
            )*
            /// The members that are not stored in a field.
            pub extra: $crate::owned::schema::Extra,
        }

        const _: () = {
            /// The index of each field.
            #[allow(non_camel_case_types, dead_code)]
            #[repr(u16)]
            enum __Field { $($field,)* Count }

            /// The fields with an alias.
            #[allow(non_camel_case_types, dead_code)]
            enum __Bit { $($(#[doc = $alias] $field,)?)* Count }
            const {
                assert!(
                    __Bit::Count as usize <= $crate::owned::schema::MAX_ALIASES
                )
            };

            impl $crate::owned::schema::Slots for $name {
                fn find(
                    &self,
                    key: &str,
                ) -> Option<$crate::owned::schema::FieldKey> {
                    match key {
                        $(
                            $key => const {
                                $crate::owned::schema::FieldKey::new(
                                    __Field::$field as u16,
                                    $crate::owned::schema::owned_types!(
                                        @has_alias $($alias)?
                                    ),
                                    false,
                                )
                            },
                            $($alias => const {
                                $crate::owned::schema::FieldKey::new(
                                    __Field::$field as u16, true, true,
                                )
                            },)?
                        )*
                        _ => None,
                    }
                }

                fn field(
                    &self,
                    index: u16,
                ) -> Option<&dyn $crate::owned::schema::AnySlot> {
                    match index {
                        $(i if i == __Field::$field as u16 => {
                            Some(&self.$field)
                        })*
                        _ => None,
                    }
                }

                fn field_mut(
                    &mut self,
                    index: u16,
                ) -> Option<(
                    &mut dyn $crate::owned::schema::AnySlot,
                    &mut $crate::owned::schema::Extra,
                )> {
                    match index {
                        $(i if i == __Field::$field as u16 => {
                            Some((&mut self.$field, &mut self.extra))
                        })*
                        _ => None,
                    }
                }

                fn aliases(&self) -> &'static [(u16, &'static str)] {
                    &[$($((__Field::$field as u16, $alias),)?)*]
                }

                fn write<
                    M: $crate::owned::schema::serde::ser::SerializeMap
                >(
                    &self,
                    map: &mut M,
                ) -> ::std::result::Result<(), M::Error> {
                    $(
                        let key = if $crate::owned::schema::owned_types!(
                            @second self $field $($alias)?
                        ) {
                            [$($alias,)? $key][0]
                        } else {
                            $key
                        };
                        $crate::owned::schema::write_field(
                            &self.$field, key, map,
                        )?;
                    )*
                    let _ = map;
                    Ok(())
                }

                fn extra(&self) -> &$crate::owned::schema::Extra {
                    &self.extra
                }

                fn extra_mut(&mut self) -> &mut $crate::owned::schema::Extra {
                    &mut self.extra
                }
            }
        };

        impl $crate::owned::schema::Part for $name {
            fn read<M: $crate::owned::schema::Members>(
                members: M,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> $name {
                let mut part = <$name as ::std::default::Default>::default();
                $crate::owned::schema::fill(&mut part, members, tags);
                part
            }

            fn read_into<M: $crate::owned::schema::Members>(
                field: &mut Option<$name>,
                members: M,
                tags: $crate::owned::schema::Tags<'_>,
            ) {
                let part = field.insert(::std::default::Default::default());
                $crate::owned::schema::fill(part, members, tags);
            }

            // Not inlined: the `read` of a union has dozens of these calls.
            #[inline(never)]
            fn read_boxed<M: $crate::owned::schema::Members>(
                members: M,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> ::std::boxed::Box<$name> {
                let mut part = ::std::boxed::Box::<$name>::default();
                $crate::owned::schema::fill(&mut *part, members, tags);
                part
            }

            fn slots(&self) -> &dyn $crate::owned::schema::Slots {
                self
            }

            fn write_to<M: $crate::owned::schema::serde::ser::SerializeMap>(
                &self,
                map: &mut M,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> ::std::result::Result<(), M::Error> {
                $crate::owned::schema::write(self, map, tags)
            }
        }

        impl ::std::convert::TryFrom<view::$name<'_>> for $name {
            type Error = $crate::owned::schema::Error;

            fn try_from(
                view: view::$name<'_>,
            ) -> ::std::result::Result<$name, $crate::owned::schema::Error> {
                let bare: Option<&str> = [$(Some($bare),)? None][0];
                let mut part = <$name as ::std::default::Default>::default();
                $crate::owned::schema::try_fill(
                    &mut part, view.value(), bare,
                )?;
                Ok(part)
            }
        }

        $crate::owned::schema::owned_types!(@serde $name);

        /// Appends the fields of a parent to those of a child.
        #[allow(unused_macros)]
        macro_rules! $name {
            ([$d($d doc:tt)*] $d child:ident $d bare:tt {$d($d own:tt)*}) => {
                $crate::owned::schema::owned_types! {
                    @struct ($d) [$d($d doc)*] $d child $d bare {
                        $d($d own)*
                        $(
                            $(#[$note])*
                            $field: $type = $key $(| $alias)?,
                        )*
                    }
                }
            };
        }
    };

    (
        @item $(#[$doc:meta])*
        struct $name:ident $(or $bare:literal)? {$($fields:tt)*}
    ) => {
        $crate::owned::schema::owned_types! {
            @struct ($) [$(#[$doc])*] $name [$($bare)?] {$($fields)*}
        }
    };

    (
        @item $(#[$doc:meta])*
        struct $name:ident: $parent:ident $(or $bare:literal)?
        {$($fields:tt)*}
    ) => {
        $parent! { [$(#[$doc])*] $name [$($bare)?] {$($fields)*} }
    };

    (
        @item $(#[$doc:meta])*
        enum $name:ident {$(
            $(#[$note:meta])*
            $variant:ident = $text:literal,
        )*}
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$note])*
                #[doc = concat!("\n\n`", $text, "` on the wire.")]
                $variant,
            )*
            /// An unknown string.
            Other(String),
        }

        impl $name {
            /// Returns the string as it is in the JSON.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $text,)*
                    $name::Other(text) => text,
                }
            }

            /// Returns the variant of a known string.
            fn known(text: &str) -> Option<$name> {
                match text {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> $name {
                let other = || $name::Other(text.to_string());
                $name::known(text).unwrap_or_else(other)
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> $name {
                $name::known(&text).unwrap_or($name::Other(text))
            }
        }

        impl From<view::$name<'_>> for $name {
            fn from(view: view::$name<'_>) -> $name {
                $name::from(view.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = ::std::convert::Infallible;

            fn from_str(
                text: &str,
            ) -> ::std::result::Result<$name, Self::Err> {
                Ok($name::from(text))
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl $crate::owned::schema::Slot for $name {
            fn fill<S: $crate::owned::schema::Source>(
                source: S,
            ) -> ::std::result::Result<$name, S> {
                match source.as_text() {
                    Some(text) => Ok($name::from(text)),
                    None => Err(source),
                }
            }

            fn as_text(&self) -> Option<&str> {
                Some(self.as_str())
            }
        }

        impl $crate::owned::schema::serde::Serialize for $name {
            fn serialize<S: $crate::owned::schema::serde::Serializer>(
                &self,
                to: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::owned::schema::serde::Deserialize<'de> for $name {
            fn deserialize<
                D: $crate::owned::schema::serde::Deserializer<'de>
            >(
                from: D,
            ) -> ::std::result::Result<$name, D::Error> {
                <String as $crate::owned::schema::serde::Deserialize>
                    ::deserialize(from).map($name::from)
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
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$note])*
                #[doc = concat!(
                    "\n\n`", $tag, "` is `", $text, "` on the wire."
                )]
                $variant(::std::boxed::Box<$view>),
            )*
            /// An object with another discriminant, or without one.
            $other(::std::boxed::Box<$other_view>),
        }

        impl $crate::owned::schema::Part for $name {
            fn read<M: $crate::owned::schema::Members>(
                members: M,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> $name {
                let own = $crate::owned::schema::Tags::And($tag, &tags);
                match members.text($tag) {
                    $(Some($text) => $name::$variant(
                        <$view as $crate::owned::schema::Part>::read_boxed(
                            members, own,
                        )
                    ),)*
                    _ => $name::$other(
                        <$other_view as $crate::owned::schema::Part>
                            ::read_boxed(members, tags)
                    ),
                }
            }

            fn slots(&self) -> &dyn $crate::owned::schema::Slots {
                match self {
                    $($name::$variant(part) => part.slots(),)*
                    $name::$other(part) => part.slots(),
                }
            }

            fn tag(&self, key: &str) -> Option<&'static str> {
                match self {
                    $($name::$variant(part) => match key {
                        $tag => Some($text),
                        _ => part.tag(key),
                    },)*
                    $name::$other(part) => part.tag(key),
                }
            }

            fn write_to<M: $crate::owned::schema::serde::ser::SerializeMap>(
                &self,
                map: &mut M,
                tags: $crate::owned::schema::Tags<'_>,
            ) -> ::std::result::Result<(), M::Error> {
                let own = $crate::owned::schema::Tags::And($tag, &tags);
                match self {
                    $($name::$variant(part) => {
                        map.serialize_entry($tag, $text)?;
                        part.write_to(map, own)
                    })*
                    $name::$other(part) => part.write_to(map, tags),
                }
            }
        }

        impl ::std::convert::TryFrom<view::$name<'_>> for $name {
            type Error = $crate::owned::schema::Error;

            fn try_from(
                view: view::$name<'_>,
            ) -> ::std::result::Result<$name, $crate::owned::schema::Error> {
                if view.value().as_object().is_some() {
                    return $crate::owned::schema::try_own(view.value());
                }
                // A bare string has no discriminant, so the variant of the
                // view decides.
                Ok(match view {
                    $(view::$name::$variant(view) => {
                        $name::$variant(::std::boxed::Box::new(
                            view.try_into()?
                        ))
                    })*
                    view::$name::$other(view) => {
                        $name::$other(::std::boxed::Box::new(
                            view.try_into()?
                        ))
                    }
                })
            }
        }

        $crate::owned::schema::owned_types!(@serde $name);
    };

    // The items of a table.
    ($(
        $(#[$doc:meta])* $kind:ident $name:ident
        $(: $parent:ident)? $(or $bare:literal)?
        $(by $tag:literal else $other:ident($other_view:ident))?
        {$($body:tt)*}
    )*) => {$(
        $crate::owned::schema::owned_types! {
            @item $(#[$doc])* $kind $name
            $(: $parent)? $(or $bare)?
            $(by $tag else $other($other_view))?
            {$($body)*}
        }
    )*};
}
#[doc(inline)]
pub use owned_types;
