use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

use crate::json::{Array, Number, Object, Value};

/// Repeated keys are written as they are in the line.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = self.as_str() {
            return to.serialize_str(text);
        }
        if let Some(object) = self.as_object() {
            return object.serialize(to);
        }
        if let Some(array) = self.as_array() {
            return array.serialize(to);
        }
        if let Some(flag) = self.as_bool() {
            return to.serialize_bool(flag);
        }
        match self.as_number() {
            Some(Number::Unsigned(n)) => to.serialize_u64(n),
            Some(Number::Negative(n)) => to.serialize_i64(n),
            Some(Number::Float(n)) => to.serialize_f64(n),
            None => to.serialize_unit(),
        }
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, &value)?;
        }
        map.end()
    }
}

impl Serialize for Array<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(self.len()))?;
        for value in self.iter() {
            list.serialize_element(&value)?;
        }
        list.end()
    }
}
