/*!
`Display` and `Debug` of values: compact JSON.

Characters that could change the state of a terminal, or that some programs
treat as line ends, are escaped.
*/

use std::fmt::{self, Write};

use crate::{
    escape::{Escaped, is_dangerous},
    json::{Array, Number, Object, Value},
};

/// Displays the value as JSON without whitespace, including duplicate keys.
///
/// The line is checked first. If it is invalid, the text of the value is
/// displayed unchanged (but escaped by [`Escaped`]), so that nothing is left
/// out.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.untrusted_text() {
            Some(text) => write!(f, "{}", Escaped::new(text)),
            None => fmt::Display::fmt(&Trusted(*self), f),
        }
    }
}

/// A value of a line that has passed the full check.
struct Trusted<'a>(Value<'a>);

impl fmt::Display for Trusted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Trusted(value) = self;
        if let Some(object) = value.as_object() {
            f.write_char('{')?;
            for (at, (key, value)) in object.iter().enumerate() {
                if at > 0 {
                    f.write_char(',')?;
                }
                write!(f, "{}:{}", Quoted(key), Trusted(value))?;
            }
            return f.write_char('}');
        }
        if let Some(array) = value.as_array() {
            f.write_char('[')?;
            for (at, value) in array.iter().enumerate() {
                if at > 0 {
                    f.write_char(',')?;
                }
                fmt::Display::fmt(&Trusted(value), f)?;
            }
            return f.write_char(']');
        }
        if let Some(text) = value.as_str() {
            return fmt::Display::fmt(&Quoted(text), f);
        }
        if let Some(flag) = value.as_bool() {
            return write!(f, "{flag}");
        }
        match value.as_number() {
            Some(Number::Unsigned(n)) => write!(f, "{n}"),
            Some(Number::Negative(n)) => write!(f, "{n}"),
            // `Debug` writes a float with a decimal point or an exponent, and
            // with enough digits to parse to the same float.
            Some(Number::Float(n)) => write!(f, "{n:?}"),
            None => f.write_str("null"),
        }
    }
}

/// Displays the object as JSON. See [`Value`].
impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value(), f)
    }
}

/// Displays the array as JSON. See [`Value`].
impl fmt::Display for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value(), f)
    }
}

/// The same as `Display`.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The same as `Display`.
impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The same as `Display`.
impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Displays a string as a JSON string, in quotes.
///
/// Quotes, backslashes and control characters are escaped, and so is
/// everything else that [`Escaped`](crate::Escaped) escapes.
///
/// # Example
///
/// This shows how to write a member of an object by hand.
///
/// ```
/// use linetape::value::Quoted;
///
/// let member = format!("{}:{}", Quoted("said"), Quoted("\"Hi\"\n"));
/// assert_eq!(member, r#""said":"\"Hi\"\n""#);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'t>(pub &'t str);

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
