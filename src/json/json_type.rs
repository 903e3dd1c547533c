use std::fmt;

use crate::json::{Number, Value};

/// The type of a JSON value. Integers are distinct from other numbers.
///
/// # Example
///
/// This shows the types of some values.
///
/// ```
/// use linetape::value::JsonType;
///
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(br#"{"a":1,"b":1.0,"c":"x"}"#)?;
/// let object = record.value().as_object().unwrap();
/// let types: Vec<_> = object.iter().map(|(_, v)| v.json_type()).collect();
/// let expected = [JsonType::Integer, JsonType::Number, JsonType::String];
/// assert_eq!(types, expected);
/// assert_eq!(types[0].to_string(), "integer");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JsonType {
    /// A string.
    String,
    /// A number that fits `u64` or `i64`.
    Integer,
    /// Any other number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`.
    Null,
    /// An object.
    Object,
    /// An array.
    Array,
}

impl JsonType {
    /// All types, in the order of the enum.
    pub const ALL: [JsonType; 7] = [
        JsonType::String,
        JsonType::Integer,
        JsonType::Number,
        JsonType::Bool,
        JsonType::Null,
        JsonType::Object,
        JsonType::Array,
    ];

    /// Returns the type's name, in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            JsonType::String => "string",
            JsonType::Integer => "integer",
            JsonType::Number => "number",
            JsonType::Bool => "bool",
            JsonType::Null => "null",
            JsonType::Object => "object",
            JsonType::Array => "array",
        }
    }
}

impl fmt::Display for JsonType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Value<'_> {
    /// Returns the type of the value.
    ///
    /// In a line that has not been checked, a string may have an invalid
    /// escape, and a value that is not JSON has the type `Null`.
    pub fn json_type(self) -> JsonType {
        if self.is_string() {
            JsonType::String
        } else if self.is_object() {
            JsonType::Object
        } else if self.is_array() {
            JsonType::Array
        } else if self.is_bool() {
            JsonType::Bool
        } else {
            match self.as_number() {
                Some(Number::Unsigned(_) | Number::Negative(_)) => {
                    JsonType::Integer
                }
                Some(Number::Float(_)) => JsonType::Number,
                None => JsonType::Null,
            }
        }
    }

    /// Returns whether this is a number.
    pub fn is_number(self) -> bool {
        self.as_number().is_some()
    }

    /// Returns whether this is `true` or `false`.
    pub fn is_bool(self) -> bool {
        self.as_bool().is_some()
    }

    /// Returns whether this is an object.
    pub fn is_object(self) -> bool {
        self.as_object().is_some()
    }

    /// Returns whether this is an array.
    pub fn is_array(self) -> bool {
        self.as_array().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_types_is_in_the_order_of_the_enum() {
        for (i, kind) in JsonType::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, i, "{kind}");
        }
        assert_eq!(JsonType::Array as usize + 1, JsonType::ALL.len());
    }
}
