use std::{
    fmt,
    ops::{Deref, DerefMut},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json, map};

/// The members of an object that are not stored in a field.
///
/// It dereferences to a [`serde_json::Map`]. It also records which fields were
/// read by their alias, so that they are written with the same key.
///
/// # Example
///
/// This adds a member that the schema does not know.
///
/// ```
/// use linetape::owned::{Message, stream::User};
///
/// let mut user = User::default();
/// user.extra.insert("mood".to_string(), "merry".into());
/// assert_eq!(user.extra["mood"], "merry");
/// assert_eq!(
///     serde_json::to_string(&Message::from(user))?,
///     r#"{"type":"user","mood":"merry"}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Extra {
    members: Map<String, Json>,
    /// A bit set of the fields with an alias: whether the field was read by
    /// it.
    second: u64,
}

impl Extra {
    /// Creates an empty set of members.
    pub fn new() -> Extra {
        Extra::default()
    }

    /// Returns the members. Use this to move them to a struct of another
    /// type: an `Extra` also knows which fields of its struct were read by
    /// their alias.
    pub fn into_map(self) -> Map<String, Json> {
        self.members
    }

    /// Returns whether the field with the given bit was read by its alias.
    pub(crate) fn is_second(&self, bit: u8) -> bool {
        self.second >> bit & 1 == 1
    }

    pub(crate) fn set_second(&mut self, bit: u8, is_second: bool) {
        self.second &= !(1 << bit);
        self.second |= u64::from(is_second) << bit;
    }
}

impl Deref for Extra {
    type Target = Map<String, Json>;

    fn deref(&self) -> &Map<String, Json> {
        &self.members
    }
}

impl DerefMut for Extra {
    fn deref_mut(&mut self) -> &mut Map<String, Json> {
        &mut self.members
    }
}

impl From<Map<String, Json>> for Extra {
    fn from(members: Map<String, Json>) -> Extra {
        Extra { members, second: 0 }
    }
}

impl IntoIterator for Extra {
    type Item = (String, Json);
    type IntoIter = map::IntoIter;

    fn into_iter(self) -> map::IntoIter {
        self.members.into_iter()
    }
}

impl<'e> IntoIterator for &'e Extra {
    type Item = (&'e String, &'e Json);
    type IntoIter = map::Iter<'e>;

    fn into_iter(self) -> map::Iter<'e> {
        self.members.iter()
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(&self.members).finish()
    }
}

impl Serialize for Extra {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.members.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Map::deserialize(from).map(Extra::from)
    }
}
