/*!
Values as JSON text.

What could drive a terminal, or could be mistaken for the end of a line, is
escaped.
*/

use std::fmt::{self, Write};

use crate::{
    escape::is_dangerous,
    json::{Array, Number, Object, Value},
};

/// As JSON, without whitespace, repeated keys included.
///
/// In a line that has not been checked, this shows what can be read: a
/// container ends where it is not JSON. [`Value::check`] says whether that is
/// so.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(object) = self.as_object() {
            return fmt::Display::fmt(&object, f);
        }
        if let Some(array) = self.as_array() {
            return fmt::Display::fmt(&array, f);
        }
        if let Some(text) = self.as_str() {
            return fmt::Display::fmt(&Quoted(text), f);
        }
        if let Some(flag) = self.as_bool() {
            return write!(f, "{flag}");
        }
        match self.as_number() {
            Some(Number::Unsigned(n)) => write!(f, "{n}"),
            Some(Number::Negative(n)) => write!(f, "{n}"),
            // `Debug` writes a float with a point or an exponent, and reads
            // back as the same float.
            Some(Number::Float(n)) => write!(f, "{n:?}"),
            None => f.write_str("null"),
        }
    }
}

/// As JSON. See [`Value`].
impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        for (at, (key, value)) in self.iter().enumerate() {
            if at > 0 {
                f.write_char(',')?;
            }
            fmt::Display::fmt(&Quoted(key), f)?;
            f.write_char(':')?;
            fmt::Display::fmt(&value, f)?;
        }
        f.write_char('}')
    }
}

/// As JSON. See [`Value`].
impl fmt::Display for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (at, value) in self.iter().enumerate() {
            if at > 0 {
                f.write_char(',')?;
            }
            fmt::Display::fmt(&value, f)?;
        }
        f.write_char(']')
    }
}

/// The text that `Display` gives.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text that `Display` gives.
impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text that `Display` gives.
impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text as a JSON string, with everything escaped that could be mistaken for
/// more than text.
pub(crate) struct Quoted<'t>(pub(crate) &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                c if is_dangerous(c) => write!(f, "\\u{:04x}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
