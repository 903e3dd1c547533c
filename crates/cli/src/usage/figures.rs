//! Token counts by name.

use linetape_session::Tokens;
use serde_json::Value;

/// Returns the token counts, with their names in logs.
pub fn figures(tokens: Tokens) -> [(&'static str, u64); 4] {
    [
        ("input_tokens", tokens.input_tokens),
        ("output_tokens", tokens.output_tokens),
        ("cache_creation_input_tokens", tokens.cache_creation_input_tokens),
        ("cache_read_input_tokens", tokens.cache_read_input_tokens),
    ]
}

/// Adds the token counts to a JSON object.
pub fn with_tokens(mut object: Value, tokens: Tokens) -> Value {
    for (name, count) in figures(tokens) {
        object[name] = count.into();
    }
    object
}
