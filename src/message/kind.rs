use std::fmt;

use crate::json::{Object, Stated, StatedKey};

/// The `type` and `subtype` of a record, known or not.
///
/// Only the members of the outermost object count. Each is `None` if it is
/// missing or not a string.
///
/// # Example
///
/// This selects records by kind.
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
    /// Creates the kind of a record that has only a name.
    pub(crate) fn named(name: &'a str) -> Kind<'a> {
        Kind { name: Some(name), subtype: None }
    }

    /// Creates a kind from a type and a subtype.
    pub fn new(name: Option<&'a str>, subtype: Option<&'a str>) -> Kind<'a> {
        Kind { name, subtype }
    }

    /// Reads the kind of an object. A duplicate `type` or `subtype` key is
    /// returned as the error.
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

    /// Returns the type.
    pub fn name(self) -> Option<&'a str> {
        self.name
    }

    /// Returns the subtype.
    pub fn subtype(self) -> Option<&'a str> {
        self.subtype
    }

    /// Returns whether the type is `name`.
    pub fn is(self, name: &str) -> bool {
        self.name == Some(name)
    }

    /// Returns whether the kind matches the pattern, which is `type` or
    /// `type/subtype`. A `type` alone matches any subtype.
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

/// Writes `type` or `type/subtype`; `none` if the type is missing.
impl fmt::Display for Kind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.unwrap_or("none"))?;
        self.subtype.map_or(Ok(()), |subtype| write!(f, "/{subtype}"))
    }
}
