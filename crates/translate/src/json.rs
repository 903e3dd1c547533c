/*!
JSON values that own what they hold.
*/

use linetape::Value;
use serde_json::{Map, Value as Json};

/// Returns a copy of a value.
///
/// The line of the value must have passed the full check: in a line that has
/// not, a list can end early and a bad number reads as nothing.
pub(crate) fn json(value: Value<'_>) -> Json {
    if let Some(text) = value.as_str() {
        return Json::from(text);
    }
    if let Some(object) = value.as_object() {
        let members = object.iter();
        let members = members.map(|(key, item)| (key.to_string(), json(item)));
        return Json::Object(members.collect::<Map<_, _>>());
    }
    if let Some(array) = value.as_array() {
        return array.iter().map(json).collect();
    }
    if let Some(flag) = value.as_bool() {
        return Json::from(flag);
    }
    if let Some(number) = value.as_u64() {
        return Json::from(number);
    }
    if let Some(number) = value.as_i64() {
        return Json::from(number);
    }
    if let Some(number) = value.as_f64() {
        return Json::from(number);
    }
    debug_assert!(value.is_null(), "the line has been checked");
    Json::Null
}
