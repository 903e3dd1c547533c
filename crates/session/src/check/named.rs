/*!
Enums with stable names in reports.
*/

use std::{error, fmt};

/// Implements `ALL`, `as_str`, `Display`, `FromStr` and, with the feature
/// `serde`, `Serialize` for an enum from one list of names.
macro_rules! named {
    ($name:ident, $what:literal, {$($variant:ident = $text:literal,)*}) => {
        impl $name {
            #[doc = concat!("All ", $what, "s, in the order of the enum.")]
            pub const ALL: [$name; [$($text),*].len()] =
                [$($name::$variant),*];

            #[doc = concat!("Returns the ", $what, "'s name in reports.")]
            /// Names do not change between versions.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
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

        impl ::std::str::FromStr for $name {
            type Err = $crate::check::UnknownName;

            /// Parses a name as returned by [`as_str`](Self::as_str).
            fn from_str(text: &str) -> Result<$name, Self::Err> {
                match text {
                    $($text => Ok($name::$variant),)*
                    _ => Err($crate::check::UnknownName::of($what)),
                }
            }
        }

        #[cfg(feature = "serde")]
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}
pub(crate) use named;

/// The error of parsing an unknown name of a [`Rule`](crate::check::Rule),
/// [`Level`](crate::check::Level) or [`Dialect`](crate::check::Dialect).
///
/// # Example
///
/// This shows the error message.
///
/// ```
/// use linetape_session::check::Dialect;
///
/// assert_eq!("stream".parse(), Ok(Dialect::Stream));
/// let error = "xml".parse::<Dialect>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown dialect");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownName(&'static str);

impl UnknownName {
    pub(crate) fn of(what: &'static str) -> UnknownName {
        UnknownName(what)
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {}", self.0)
    }
}

impl error::Error for UnknownName {}
