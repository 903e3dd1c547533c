/*!
Serialising values.

A value of a line that has not been checked could be cut short: a list ends
at the first thing that is not JSON. So the whole line is checked first, once,
and what fails the check is not written.
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
    /// Why the last value of this thread could not be serialised. A
    /// serialiser's own error can carry no more than a text, so the error
    /// itself waits here for a [`Writer`](crate::Writer) to take it.
    static REFUSED: Cell<Option<Error>> = const { Cell::new(None) };
}

/// Takes the error that kept a value from being serialised.
pub(crate) fn take_refused() -> Option<Error> {
    REFUSED.take()
}

#[cold]
fn refuse<E: ser::Error>(error: Error) -> E {
    let text = error.to_string();
    REFUSED.set(Some(error));
    E::custom(text)
}

/// Writes the value as it is in the line: members in their order, repeated
/// keys included.
///
/// # Errors
///
/// The serialiser's own, and one with the text of the error that
/// [`Line::decode`](crate::Line::decode) would return, if the line has not
/// been checked and is not valid. A [`Writer`](crate::Writer) returns that
/// error itself.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.ensure_checked().map_err(refuse)?;
        Trusted(*self).serialize(to)
    }
}

/// As for [`Value`].
impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(to)
    }
}

/// As for [`Value`].
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
