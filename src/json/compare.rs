/*!
Equality of values.
*/

use std::collections::BTreeMap;

use crate::json::{Array, Object, Value};

/// Compares as `serde_json::Value` does: the order of members is ignored, the
/// last value of a duplicate key counts, and an integer is not equal to a float
/// (`1` is not `1.0`).
///
/// Comparing objects allocates, and takes O(n log n) for n members. In a line
/// that has not been checked, invalid members and items are left out, and a
/// string with an invalid escape is not equal to any string.
///
/// # Example
///
/// This shows that the order of members is ignored.
///
/// ```
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(br#"{"x":{"a":1,"b":2},"y":{"b":2,"a":1}}"#)?;
/// let value = record.value();
/// assert_eq!(value.get("x"), value.get("y"));
/// assert_eq!(value.pointer("/x/a").unwrap(), 1u64);
/// # Ok::<(), linetape::Error>(())
/// ```
impl<'b> PartialEq<Value<'b>> for Value<'_> {
    fn eq(&self, other: &Value<'b>) -> bool {
        if let (Some(mine), Some(other)) =
            (self.as_object(), other.as_object())
        {
            return mine == other;
        }
        if let (Some(mine), Some(other)) = (self.as_array(), other.as_array())
        {
            return mine == other;
        }
        if let (Some(mine), Some(other)) = (self.as_str(), other.as_str()) {
            return mine == other;
        }
        if let (Some(mine), Some(other)) =
            (self.as_number(), other.as_number())
        {
            return mine == other;
        }
        if let (Some(mine), Some(other)) = (self.as_bool(), other.as_bool()) {
            return mine == other;
        }
        self.is_null() && other.is_null()
    }
}

/// Ignores the order of members. The last value of a duplicate key counts. See
/// [`Value`].
impl<'b> PartialEq<Object<'b>> for Object<'_> {
    fn eq(&self, other: &Object<'b>) -> bool {
        // Looking up each key in the other object would take quadratic time.
        let mine: BTreeMap<&str, Value<'_>> = self.iter().collect();
        let other: BTreeMap<&str, Value<'b>> = other.iter().collect();
        mine.len() == other.len()
            && mine.iter().zip(&other).all(
                |((my_key, my_value), (key, value))| {
                    my_key == key && my_value == value
                },
            )
    }
}

/// Compares item by item. See [`Value`].
impl<'b> PartialEq<Array<'b>> for Array<'_> {
    fn eq(&self, other: &Array<'b>) -> bool {
        self.iter().eq(other.iter())
    }
}

/// Returns whether the value is a string equal to `other`.
impl PartialEq<str> for Value<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

/// Returns whether the value is a string equal to `other`.
impl PartialEq<&str> for Value<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(*other)
    }
}

/// Implements `PartialEq` with the accessor for the type.
macro_rules! equals {
    ($($(#[$doc:meta])* $type:ty, $ask:ident;)*) => {$(
        $(#[$doc])*
        impl PartialEq<$type> for Value<'_> {
            fn eq(&self, other: &$type) -> bool {
                self.$ask() == Some(*other)
            }
        }
    )*};
}

equals! {
    /// Returns whether the value is a bool equal to `other`.
    bool, as_bool;
    /// Returns whether the value is an integer equal to `other`.
    u64, as_u64;
    /// Returns whether the value is an integer equal to `other`.
    i64, as_i64;
    /// Returns whether the value is a number equal to `other`. A large
    /// integer is rounded first.
    f64, as_f64;
}
