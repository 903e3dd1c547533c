/*!
What is known about a value that does not fit the caller's type.
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

/// How many bytes of a message are kept, and of a path shown. A message can
/// quote a string of the input, which can be as long as the line.
const SHOWN: usize = 1024;

/// Why a value does not fit, and where it is.
///
/// This is the error of everything that reads values inside of others: it is
/// a pointer, so that a type that is read level by level needs little stack.
#[derive(Debug)]
pub(crate) struct Misfit(Box<Parts>);

#[derive(Debug)]
struct Parts {
    message: String,
    /// Keys and indexes, the innermost first: they are added while the error
    /// is handed up.
    steps: Vec<String>,
    /// The steps as a JSON Pointer, made when it is first asked for. A text
    /// that grows at its front would be moved once for every level.
    path: OnceLock<String>,
    place: Place,
}

/// Where the value is, as far as that is known.
#[derive(Clone, Copy, Debug)]
enum Place {
    Unknown,
    /// At this address on a tape.
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

    pub(crate) fn is_placed(&self) -> bool {
        matches!(self.0.place, Place::At(_))
    }

    /// Says that the value is inside of a member or an item, whose key or
    /// index this is.
    #[cold]
    pub(crate) fn within(mut self, step: impl fmt::Display) -> Misfit {
        self.0.steps.push(step.to_string());
        self
    }

    /// Says where the value is, unless that is known already.
    #[cold]
    pub(crate) fn or_at(mut self, position: Position) -> Misfit {
        if let Place::Unknown = self.0.place {
            self.0.place = Place::At(position);
        }
        self
    }

    /// Says at which address of a tape the value is, unless its place is
    /// known already.
    #[cold]
    pub(crate) fn or_at_node(mut self, address: usize) -> Misfit {
        if let Place::Unknown = self.0.place {
            self.0.place = Place::Node(address);
        }
        self
    }

    /// Turns the address on a tape, if that is what is known, into a
    /// position.
    #[cold]
    pub(crate) fn placed_by(
        mut self,
        find: impl FnOnce(Option<usize>) -> Position,
    ) -> Misfit {
        let address = match self.0.place {
            Place::At(_) => return self,
            Place::Node(address) => Some(address),
            Place::Unknown => None,
        };
        self.0.place = Place::At(find(address));
        self
    }
}

impl From<Misfit> for Error {
    #[cold]
    fn from(misfit: Misfit) -> Error {
        let position = match misfit.0.place {
            Place::At(position) => position,
            Place::Node(_) | Place::Unknown => Position::START,
        };
        let error = Error::new(ErrorKind::Data, position);
        Error { cause: Cause::Misfit(misfit), ..error }
    }
}

impl de::Error for Misfit {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Misfit {
        let mut kept = Bounded(String::new());
        // A full message is what ends the writing.
        let _ = write!(kept, "{message}");
        Misfit(Box::new(Parts {
            message: kept.0,
            steps: Vec::new(),
            path: OnceLock::new(),
            place: Place::Unknown,
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

/// An error of the kind [`ErrorKind::Data`].
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

/// What was found, in the words of JSON.
struct Found<'a>(Unexpected<'a>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Unit => f.write_str("null"),
            found => fmt::Display::fmt(&found, f),
        }
    }
}

/// A text that takes no more than [`SHOWN`] bytes, and then three dots.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let room = SHOWN.saturating_sub(self.0.len());
        if piece.len() <= room {
            self.0.push_str(piece);
            return Ok(());
        }
        let is_whole = |end: &usize| piece.is_char_boundary(*end);
        let end = (0..=room).rev().find(is_whole).unwrap_or(0);
        self.0.push_str(piece.get(..end).unwrap_or_default());
        self.0.push_str("...");
        Err(fmt::Error)
    }
}

impl Error {
    /// Returns the path of the value that does not fit the caller's type, as
    /// a JSON Pointer: `/message/usage/input_tokens`. It is empty if that is
    /// the value which was to be deserialised, where the path begins, and
    /// `None` for an error of any other [kind](Error::kind).
    ///
    /// A missing field is an error of the object that it is missing from.
    /// What serde has to keep before it can choose a type, such as an
    /// untagged enum or a flattened struct, counts as one value.
    ///
    /// # Example
    ///
    /// This shows the path of a value, and its place.
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
        match &self.cause {
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
        let error = Misfit::custom("\u{1b}[2J");
        let error = error.within("a/b~c").within(7).within("\u{1b}");
        let error = Error::from(error);
        assert_eq!(error.path(), Some("/\u{1b}/7/a~1b~0c"));
        let shown = r"\u{1b}[2J, at /\u{1b}/7/a~1b~0c";
        assert_eq!(error.reason().to_string(), shown);
    }
}
