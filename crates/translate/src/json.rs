/*!
JSON values that own what they hold.
*/

use linetape::Value;
use serde_json::Value as Json;

/// Returns a copy of a value. Its message must have passed the full check.
pub(crate) fn json(value: Value<'_>) -> Json {
    let copy = Json::try_from(value);
    debug_assert!(copy.is_ok(), "the message has been checked");
    copy.unwrap_or_default()
}
