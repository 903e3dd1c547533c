use linetape::Value;

/// Returns a copy of a value that owns what it holds.
pub(crate) fn json(value: Value<'_>) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}
