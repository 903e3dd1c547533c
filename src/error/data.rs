/*!
The error for a value that does not match the caller's type.
*/

use std::{
    fmt::{self, Write},
    sync::OnceLock,
};

use serde::de::{self, Expected, Unexpected};

use crate::{
    error::{Cause, Error, ErrorKind, Position},
    escape::Escaped,
};

/// The maximum length in bytes of a stored message, and of a path in an error
/// text. A message can quote a string of the input, which can be as long as
/// the line.
const SHOWN: usize = 1024;

/// Why a value does not match the caller's type, and where the value is.
///
/// Deserialisation is recursive. This error is boxed to keep its stack frames
/// small.
#[derive(Debug)]
pub(crate) struct Misfit(Box<Parts>);

#[derive(Debug)]
struct Parts {
    message: String,
    /// Keys and indexes, the innermost first: each level adds its own while
    /// the error is returned.
    steps: Vec<String>,
    /// The steps as a JSON Pointer, made on first use. Building it while the
    /// error is returned would take quadratic time, because each level would
    /// prepend its step.
    path: OnceLock<String>,
    location: Location,
}

/// The location of the value.
#[derive(Clone, Copy, Debug)]
enum Location {
    Unknown,
    /// The address of a node on a tape.
    Node(usize),
    At(Position),
}

impl Misfit {
    pub(crate) fn explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped::new(&self.0.message))?;
        let path = self.path().as_bytes();
        match path.get(..SHOWN) {
            Some(head) => write!(f, ", at {}...", Escaped::new(head)),
            None if path.is_empty() => Ok(()),
            None => write!(f, ", at {}", Escaped::new(path)),
        }
    }

    fn path(&self) -> &str {
        self.0.path.get_or_init(|| {
            let mut path = String::new();
            for step in self.0.steps.iter().rev() {
                path.push('/');
                path += &step.replace('~', "~0").replace('/', "~1");
            }
            path
        })
    }

    /// Adds the key or index of the value that contains this one.
    #[cold]
    pub(crate) fn within(&mut self, step: impl fmt::Display) {
        self.0.steps.push(step.to_string());
    }

    /// Sets the position of the value, unless its location is known.
    #[cold]
    pub(crate) fn or_at(&mut self, position: Position) {
        if let Location::Unknown = self.0.location {
            self.0.location = Location::At(position);
        }
    }

    /// Sets the address of the value on a tape, unless its location is known.
    #[cold]
    pub(crate) fn or_at_node(&mut self, address: usize) {
        if let Location::Unknown = self.0.location {
            self.0.location = Location::Node(address);
        }
    }

    /// Sets the position of the value with `find`, which maps an address on a
    /// tape to a position, unless the position is known.
    #[cold]
    pub(crate) fn located_by(
        mut self,
        find: impl FnOnce(Option<usize>) -> Position,
    ) -> Misfit {
        let address = match self.0.location {
            Location::At(_) => return self,
            Location::Node(address) => Some(address),
            Location::Unknown => None,
        };
        self.0.location = Location::At(find(address));
        self
    }
}

impl From<Misfit> for Error {
    #[cold]
    fn from(misfit: Misfit) -> Error {
        let location = misfit.0.location;
        let error = Error::of(ErrorKind::Data, Cause::Misfit(misfit));
        match location {
            Location::At(position) => error.with_position(position),
            Location::Node(_) | Location::Unknown => error,
        }
    }
}

impl de::Error for Misfit {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Misfit {
        let mut kept = Bounded(String::new());
        // A full message ends the write with an error that can be ignored.
        let _ = write!(kept, "{message}");
        Misfit(Box::new(Parts {
            message: kept.0,
            steps: Vec::new(),
            path: OnceLock::new(),
            location: Location::Unknown,
        }))
    }

    #[cold]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Misfit {
        let found = Found(found);
        Self::custom(format_args!(
            "invalid type: {found}, expected {expected}"
        ))
    }

    #[cold]
    fn invalid_value(
        found: Unexpected<'_>,
        expected: &dyn Expected,
    ) -> Misfit {
        let found = Found(found);
        Self::custom(format_args!(
            "invalid value: {found}, expected {expected}"
        ))
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explain(f)
    }
}

impl std::error::Error for Misfit {}

/// Creates errors of the kind [`ErrorKind::Data`].
impl de::Error for Error {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Error {
        Misfit::custom(message).into()
    }

    #[cold]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Error {
        Misfit::invalid_type(found, expected).into()
    }

    #[cold]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Error {
        Misfit::invalid_value(found, expected).into()
    }
}

/// Displays an unexpected value in terms of JSON: `null` and not "unit value".
struct Found<'a>(Unexpected<'a>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Unit => f.write_str("null"),
            found => fmt::Display::fmt(&found, f),
        }
    }
}

/// A string of at most [`SHOWN`] bytes. Longer text is cut and ends in three
/// dots.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let room = SHOWN.saturating_sub(self.0.len());
        if piece.len() <= room {
            self.0.push_str(piece);
            return Ok(());
        }
        let head = (0..=room).rev().find_map(|end| piece.get(..end));
        self.0.extend(head);
        self.0.push_str("...");
        Err(fmt::Error)
    }
}

impl Error {
    /// Returns the path of the value that does not match the caller's type,
    /// as a JSON Pointer such as `/message/usage/input_tokens`.
    ///
    /// The path begins at the value that was deserialised, and is empty if
    /// that value itself does not match. It is `None` for errors of any
    /// [kind](Error::kind) but [`ErrorKind::Data`].
    ///
    /// For a missing field, this is the path of the object that lacks it. For
    /// a value that serde buffers, such as an untagged enum or a flattened
    /// struct, the path does not go into the value.
    ///
    /// # Example
    ///
    /// This shows the path and the position of a value.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// let mut lines = linetape::lines(b"{}\n{\"a\":[1,\"two\"]}\n");
    /// lines.next_line();
    /// let line = lines.next_line().unwrap().unwrap();
    /// let error = line.deserialize::<HashMap<String, Vec<u8>>>();
    /// let error = error.unwrap_err();
    /// assert_eq!(error.path(), Some("/a/1"));
    /// assert_eq!(error.position().byte(), 11);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 2 (byte 11): invalid type: string \"two\", \
    ///      expected u8, at /a/1"
    /// );
    /// ```
    pub fn path(&self) -> Option<&str> {
        match &self.0.cause {
            Cause::Misfit(misfit) => Some(misfit.path()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::Error as _;

    use super::*;

    #[test]
    fn a_message_is_cut_between_characters() {
        let fits = "x".repeat(SHOWN);
        assert!(Error::custom(&fits).to_string().ends_with(&fits));
        for pad in SHOWN - 3..=SHOWN {
            let text = format!("{}é", "x".repeat(pad));
            let shown = Error::custom(&text).reason().to_string();
            let expected = if text.len() <= SHOWN {
                text
            } else {
                format!("{}...", "x".repeat(pad))
            };
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn a_path_is_escaped_as_a_pointer_and_a_text_for_the_terminal() {
        let mut error = Misfit::custom("\u{1b}[2J");
        ["a/b~c", "7", "\u{1b}"].iter().for_each(|step| error.within(step));
        let error = Error::from(error);
        assert_eq!(error.path(), Some("/\u{1b}/7/a~1b~0c"));
        let shown = r"\u{1b}[2J, at /\u{1b}/7/a~1b~0c";
        assert_eq!(error.reason().to_string(), shown);
    }
}
