use std::fmt;

use crate::json::{Object, Stated, StatedKey};

/// What a record calls itself: its type and its subtype, known or not.
///
/// Only the outermost object is asked. A member that is missing or is not a
/// string is none.
///
/// # Example
///
/// This shows how to route by kind.
///
/// ```
/// let line = br#"{"type":"system","subtype":"init"}"#;
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(line)?;
/// let kind = record.kind();
/// assert!(kind.is("system"));
/// assert!(kind.matches("system/init") && kind.matches("system"));
/// assert_eq!(kind.to_string(), "system/init");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord,
)]
pub struct Kind<'a> {
    name: Option<&'a str>,
    subtype: Option<&'a str>,
}

impl<'a> Kind<'a> {
    /// The kind of a record that is known by a name alone.
    pub(crate) fn named(name: &'a str) -> Kind<'a> {
        Kind { name: Some(name), subtype: None }
    }

    /// Creates the kind of a record with this type and subtype.
    pub fn new(name: Option<&'a str>, subtype: Option<&'a str>) -> Kind<'a> {
        Kind { name, subtype }
    }

    /// The kind that an object states, or the key that it states twice.
    pub(crate) fn of(object: Object<'a>) -> Result<Kind<'a>, &'a str> {
        let mut kind = Kind::default();
        let mut seen = Stated::default();
        for (key, value) in object {
            match key {
                "type" => {
                    kind.name = value.as_str();
                    seen.note(StatedKey::Type, 0);
                }
                "subtype" => {
                    kind.subtype = value.as_str();
                    seen.note(StatedKey::Subtype, 0);
                }
                _ => continue,
            }
            if seen.second.is_some() {
                return Err(key);
            }
        }
        Ok(kind)
    }

    /// The type.
    pub fn name(self) -> Option<&'a str> {
        self.name
    }

    /// The subtype.
    pub fn subtype(self) -> Option<&'a str> {
        self.subtype
    }

    /// Whether the type is `name`.
    pub fn is(self, name: &str) -> bool {
        self.name == Some(name)
    }

    /// Whether the pattern, `type` or `type/subtype`, is met. A type alone is
    /// met by any subtype.
    pub fn matches(self, pattern: &str) -> bool {
        let rest = self.name.and_then(|name| pattern.strip_prefix(name));
        match rest {
            None => false,
            Some("") => true,
            Some(rest) => {
                let subtype = rest.strip_prefix('/');
                subtype.is_some() && subtype == self.subtype
            }
        }
    }
}

/// `type` or `type/subtype`; `none` for a type that is missing.
impl fmt::Display for Kind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.unwrap_or("none"))?;
        self.subtype.map_or(Ok(()), |subtype| write!(f, "/{subtype}"))
    }
}
