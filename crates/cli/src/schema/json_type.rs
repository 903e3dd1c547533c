//! What type a JSON value is of.

use linetape::Value;

/// The types of JSON. Integers have one of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    String,
    Integer,
    Number,
    Bool,
    Null,
    Object,
    Array,
}

impl JsonType {
    pub const ALL: [JsonType; 7] = [
        JsonType::String,
        JsonType::Integer,
        JsonType::Number,
        JsonType::Bool,
        JsonType::Null,
        JsonType::Object,
        JsonType::Array,
    ];

    pub fn name(self) -> &'static str {
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

    /// The type of a value that can be read.
    pub fn of(value: Value<'_>) -> JsonType {
        if value.as_object().is_some() {
            JsonType::Object
        } else if value.as_array().is_some() {
            JsonType::Array
        } else if value.is_null() {
            JsonType::Null
        } else if value.as_bool().is_some() {
            JsonType::Bool
        } else if value.as_u64().is_some() || value.as_i64().is_some() {
            JsonType::Integer
        } else if value.as_f64().is_some() {
            JsonType::Number
        } else {
            // Not asked for: a string would be unescaped for that.
            JsonType::String
        }
    }
}
