/*!
`Serialize` for values.

In an invalid line, a list ends at the first fault, so that a value would be
incomplete. Therefore the whole line is checked first, once, and a value of an
invalid line is not serialised.
*/

use std::cell::Cell;

use serde::{
    Serialize, Serializer,
    ser::{self, SerializeMap, SerializeSeq},
};

use crate::{
    error::Error,
    json::{Array, Number, Object, Value},
};

thread_local! {
    /// The error of the last value in this thread that could not be
    /// serialised. A serialiser's error type can only be made from a string,
    /// so the [`Error`] is passed to [`Writer`](crate::Writer) through here.
    static REFUSED: Cell<Option<Error>> = const { Cell::new(None) };
}

/// Removes and returns the error of the last value in this thread that could
/// not be serialised, if the serialiser failed with its text.
///
/// The text can differ: a caller's `Serialize` may ignore the error of a value
/// and fail for a reason of its own.
pub(crate) fn take_refused(text: &str) -> Option<Error> {
    REFUSED.take().filter(|error| error.to_string() == text)
}

#[cold]
fn refuse<E: ser::Error>(error: Error) -> E {
    let text = error.to_string();
    REFUSED.set(Some(error));
    E::custom(text)
}

/// Serialises members in the order of the text, including duplicate keys.
///
/// # Errors
///
/// Returns the serialiser's errors. If the line is invalid, returns an error
/// with the text of the one that [`Line::decode`](crate::Line::decode) would
/// return; a [`Writer`](crate::Writer) returns that error itself.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.ensure_checked().map_err(refuse)?;
        Trusted(*self).serialize(to)
    }
}

/// See [`Value`].
impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(to)
    }
}

/// See [`Value`].
impl Serialize for Array<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(to)
    }
}

/// A value of a line that has passed the full check.
struct Trusted<'a>(Value<'a>);

impl Serialize for Trusted<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Trusted(value) = self;
        if let Some(text) = value.as_str() {
            return to.serialize_str(text);
        }
        if let Some(object) = value.as_object() {
            let mut map = to.serialize_map(Some(object.len()))?;
            for (key, value) in object {
                map.serialize_entry(key, &Trusted(value))?;
            }
            return map.end();
        }
        if let Some(array) = value.as_array() {
            let mut list = to.serialize_seq(Some(array.len()))?;
            for value in array {
                list.serialize_element(&Trusted(value))?;
            }
            return list.end();
        }
        if let Some(flag) = value.as_bool() {
            return to.serialize_bool(flag);
        }
        match value.as_number() {
            Some(Number::Unsigned(n)) => to.serialize_u64(n),
            Some(Number::Negative(n)) => to.serialize_i64(n),
            Some(Number::Float(n)) => to.serialize_f64(n),
            None => {
                debug_assert!(value.is_null(), "a checked value is something");
                to.serialize_unit()
            }
        }
    }
}
