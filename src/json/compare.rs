/*!
When two values are the same.
*/

use std::collections::BTreeMap;

use crate::json::{Array, Object, Value};

/// Compares as `serde_json::Value` does: members in any order, the last of
/// several with one key, and numbers of one class only (`1` is not `1.0`).
///
/// To compare objects allocates. In a line that has not been checked, what
/// cannot be read is not there, and a string that cannot be unescaped equals
/// nothing.
///
/// # Example
///
/// This shows that the order of members does not count.
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

/// Compares members in any order, the last of several with one key. See
/// [`Value`].
impl<'b> PartialEq<Object<'b>> for Object<'_> {
    fn eq(&self, other: &Object<'b>) -> bool {
        // To look each key up in the other object would take the time of the
        // two sizes multiplied.
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

/// Whether this is that string.
impl PartialEq<str> for Value<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

/// Whether this is that string.
impl PartialEq<&str> for Value<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(*other)
    }
}

/// What a value is compared with by asking it for one of the same type.
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
    /// Whether this is `true` or `false` alike.
    bool, as_bool;
    /// Whether this is that integer.
    u64, as_u64;
    /// Whether this is that integer.
    i64, as_i64;
    /// Whether this is that number; a large integer is rounded first.
    f64, as_f64;
}
