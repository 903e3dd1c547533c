/*!
Owned copies of JSON values.
*/

use linetape::Value;
use serde_json::Value as Json;

/// Returns an owned copy of a value, whose message must have been checked.
pub(crate) fn json(value: Value<'_>) -> Json {
    let copy = Json::try_from(value);
    debug_assert!(copy.is_ok(), "the message has been checked");
    copy.unwrap_or_default()
}
