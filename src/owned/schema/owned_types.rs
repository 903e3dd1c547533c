/// Generates the owned types of the items of a table.
///
/// [`message::schema`](crate::message::schema) describes the items and has an
/// example.
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

    // The bit of a field's alias, counted from 1; 0 if it has none.
    (@bit $field:ident) => { 0 };
    (@bit $field:ident $alias:literal) => { BEFORE + 1 + __Alias::$field as u8 };

    // The parent of a struct, if there is one.
    (@base $self:ident.base) => { Some(&$self.base) };
    (@base $self:ident.extra) => { None };

    // `Serialize` and `Deserialize`.
    (@serde $name:ident) => {
        impl __serde::Serialize for $name {
            #[inline]
            fn serialize<S: __serde::Serializer>(
                &self, to: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                let held = __schema::Slot::held(self);
                __serde::Serialize::serialize(&held, to)
            }
        }

        impl<'de> __serde::Deserialize<'de> for $name {
            #[inline]
            fn deserialize<D: __serde::Deserializer<'de>>(
                from: D,
            ) -> ::std::result::Result<$name, D::Error> {
                __schema::deserialize(from)
            }
        }
    };

    // A struct, with `base` or `extra` as the last member.
    (
        @struct [$(#[$doc:meta])*] $name:ident [$($bare:literal)?]
        {$(#[$last_doc:meta])* $last:ident: $parent:ty}
        {$(
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
            $(#[$last_doc])*
            pub $last: $parent,
        }

        const _: () = {
            use $crate::owned::schema::{self as __schema, serde as __serde};

            /// The number of each field.
            #[allow(non_camel_case_types, dead_code)]
            #[repr(u16)]
            enum __Number { $($field,)* Count }

            /// The fields with an alias.
            #[allow(non_camel_case_types, dead_code)]
            enum __Alias { $($(#[doc = $alias] $field,)?)* Count }

            /// The number of aliases in the parents.
            const BEFORE: u8 = <$parent as __schema::Keyed>::KEYS.aliases;

            impl __schema::Keyed for $name {
                const BARE: Option<&'static str> = [$(Some($bare),)? None][0];
                const KEYS: __schema::Keys = __schema::Keys {
                    fields: <view::$name<'static> as __schema::ViewFields<
                        'static
                    >>::FIELDS.own,
                    bits: &[$($crate::owned::schema::owned_types!(
                        @bit $field $($alias)?
                    )),*],
                    aliases: BEFORE + __Alias::Count as u8,
                };
            }
            const {
                let aliases = <$name as __schema::Keyed>::KEYS.aliases;
                assert!(aliases <= __schema::MAX_ALIASES)
            };

            impl __schema::Slots for $name {
                fn keys(&self) -> &'static __schema::Keys {
                    &<$name as __schema::Keyed>::KEYS
                }

                // Not inlined: a child calls that of its parent.
                #[inline(never)]
                fn find(
                    &self, key: &str, before: u16,
                ) -> Option<__schema::Found> {
                    match key {
                        $(
                            $key => Some(__schema::Found {
                                index: before + __Number::$field as u16,
                                alias: $crate::owned::schema::owned_types!(
                                    @bit $field $($alias)?
                                ),
                                is_alias: false,
                            }),
                            $($alias => Some(__schema::Found {
                                index: before + __Number::$field as u16,
                                alias: BEFORE + 1 + __Alias::$field as u8,
                                is_alias: true,
                            }),)?
                        )*
                        _ => __schema::Slots::find(
                            &self.$last, key, before + __Number::Count as u16,
                        ),
                    }
                }

                #[inline(never)]
                fn field(&self, index: u16) -> Option<&dyn __schema::AnySlot> {
                    match index {
                        $(i if i == __Number::$field as u16 => {
                            Some(&self.$field)
                        })*
                        _ => __schema::Slots::field(
                            &self.$last,
                            index.wrapping_sub(__Number::Count as u16),
                        ),
                    }
                }

                #[inline(never)]
                fn field_mut(
                    &mut self, index: u16,
                ) -> Option<&mut dyn __schema::AnySlot> {
                    match index {
                        $(i if i == __Number::$field as u16 => {
                            Some(&mut self.$field)
                        })*
                        _ => __schema::Slots::field_mut(
                            &mut self.$last,
                            index.wrapping_sub(__Number::Count as u16),
                        ),
                    }
                }

                fn each(
                    &self, visit: &mut dyn FnMut(u16, __schema::Held<'_>),
                ) {
                    let _ = &visit;
                    $(if let Some(value) = &self.$field {
                        let held = __schema::Slot::held(value);
                        visit(__Number::$field as u16, held);
                    })*
                }

                fn base(&self) -> Option<&dyn __schema::Slots> {
                    $crate::owned::schema::owned_types!(@base self.$last)
                }

                fn extra(&self) -> &__schema::Extra {
                    __schema::Slots::extra(&self.$last)
                }

                fn extra_mut(&mut self) -> &mut __schema::Extra {
                    __schema::Slots::extra_mut(&mut self.$last)
                }
            }

            impl ::std::convert::TryFrom<view::$name<'_>> for $name {
                type Error = __schema::Error;

                #[inline]
                fn try_from(
                    view: view::$name<'_>,
                ) -> ::std::result::Result<$name, __schema::Error> {
                    __schema::try_own(view.value())
                }
            }

            $crate::owned::schema::owned_types!(@serde $name);
        };
    };

    (
        @item $(#[$doc:meta])*
        struct $name:ident $(or $bare:literal)? {$($fields:tt)*}
    ) => {
        $crate::owned::schema::owned_types! {
            @struct [$(#[$doc])*] $name [$($bare)?]
            {
                /// The members that are not stored in a field.
                extra: $crate::owned::schema::Extra
            }
            {$($fields)*}
        }
    };

    (
        @item $(#[$doc:meta])*
        struct $name:ident: $parent:ident $(or $bare:literal)?
        {$($fields:tt)*}
    ) => {
        $crate::owned::schema::owned_types! {
            @struct [$(#[$doc])*] $name [$($bare)?]
            {
                /// The other fields of the same object. They are also fields
                /// of this struct, by `Deref`.
                base: $parent
            }
            {$($fields)*}
        }

        impl ::std::ops::Deref for $name {
            type Target = $parent;

            fn deref(&self) -> &$parent {
                &self.base
            }
        }

        impl ::std::ops::DerefMut for $name {
            fn deref_mut(&mut self) -> &mut $parent {
                &mut self.base
            }
        }
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
                &self, f: &mut ::std::fmt::Formatter<'_>,
            ) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        const _: () = {
            use $crate::owned::schema::{self as __schema, serde as __serde};

            impl __schema::Slot for $name {
                #[inline]
                fn fill(source: &mut __schema::Source<'_>) -> Option<$name> {
                    source.as_text().map($name::from)
                }

                #[inline]
                fn held(&self) -> __schema::Held<'_> {
                    __schema::Held::Text(self.as_str())
                }
            }

            impl __serde::Serialize for $name {
                fn serialize<S: __serde::Serializer>(
                    &self, to: S,
                ) -> ::std::result::Result<S::Ok, S::Error> {
                    to.serialize_str(self.as_str())
                }
            }

            impl<'de> __serde::Deserialize<'de> for $name {
                fn deserialize<D: __serde::Deserializer<'de>>(
                    from: D,
                ) -> ::std::result::Result<$name, D::Error> {
                    <String as __serde::Deserialize>::deserialize(from)
                        .map($name::from)
                }
            }
        };
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

        const _: () = {
            use $crate::owned::schema::{self as __schema, serde as __serde};

            impl __schema::Part for $name {
                fn start(members: &__schema::Members<'_>) -> $name {
                    match members.text($tag) {
                        $(Some($text) => $name::$variant(
                            __schema::Part::start_boxed(members)
                        ),)*
                        _ => $name::$other(
                            __schema::Part::start_boxed(members)
                        ),
                    }
                }

                fn inside(&self) -> __schema::Inside<'_> {
                    match self {
                        $($name::$variant(part) => {
                            let tag = Some(($tag, $text));
                            __schema::Inside::Variant(tag, &**part)
                        })*
                        $name::$other(part) => {
                            __schema::Inside::Variant(None, &**part)
                        }
                    }
                }

                fn inside_mut(&mut self) -> __schema::InsideMut<'_> {
                    match self {
                        $($name::$variant(part) => {
                            let tag = Some(($tag, $text));
                            __schema::InsideMut::Variant(tag, &mut **part)
                        })*
                        $name::$other(part) => {
                            __schema::InsideMut::Variant(None, &mut **part)
                        }
                    }
                }
            }

            impl ::std::convert::TryFrom<view::$name<'_>> for $name {
                type Error = __schema::Error;

                #[inline]
                fn try_from(
                    view: view::$name<'_>,
                ) -> ::std::result::Result<$name, __schema::Error> {
                    let value = view.value();
                    if value.as_object().is_some() {
                        return __schema::try_own(value);
                    }
                    // A bare string has no discriminant, so the variant of
                    // the view decides.
                    Ok(match view {
                        $(view::$name::$variant(_) => {
                            $name::$variant(__schema::try_boxed(value)?)
                        })*
                        view::$name::$other(_) => {
                            $name::$other(__schema::try_boxed(value)?)
                        }
                    })
                }
            }

            $crate::owned::schema::owned_types!(@serde $name);
        };
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
