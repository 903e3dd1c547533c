//! The shapes of logs.

use std::{error::Error, fmt, str::FromStr};

/// A kind of log.
///
/// # Example
///
/// ```
/// use linetape_generate::Shape;
///
/// for shape in Shape::ALL {
///     println!("{shape:14}{}", shape.description());
/// }
/// assert_eq!("stream".parse(), Ok(Shape::Stream));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// A session transcript, as Claude Code saves it. The median line has
    /// about 1 KB, and one in a hundred 50 KB or more.
    Transcript,
    /// Stream-json: many small events, and whole messages between them.
    Stream,
    /// Tool results: tens to hundreds of kilobytes of code and diffs in one
    /// string.
    ToolHeavy,
    /// Lines of 20 to 60 bytes.
    Tiny,
    /// Text in many scripts, raw and escaped.
    Unicode,
    /// Worst cases for a SIMD scanner: escapes at every block boundary,
    /// nesting 120 levels deep, 100,000 keys in one object, a line of 8 MB,
    /// and more. The kinds of lines repeat after about 10 MB.
    Pathological,
}

impl Shape {
    /// All shapes.
    ///
    /// # Example
    ///
    /// ```
    /// use linetape_generate::{Shape, generate};
    ///
    /// for shape in Shape::ALL {
    ///     assert!(generate(shape, 1, 1_000).len() >= 1_000);
    /// }
    /// ```
    pub const ALL: [Shape; 6] = [
        Shape::Transcript,
        Shape::Stream,
        Shape::ToolHeavy,
        Shape::Tiny,
        Shape::Unicode,
        Shape::Pathological,
    ];

    /// Returns the name, in lower case. [`str::parse`] accepts it.
    ///
    /// # Example
    ///
    /// ```
    /// use linetape_generate::Shape;
    ///
    /// assert_eq!(Shape::ToolHeavy.name(), "tool_heavy");
    /// ```
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// Returns a description of the shape, in one line.
    ///
    /// # Example
    ///
    /// ```
    /// use linetape_generate::Shape;
    ///
    /// assert_eq!(Shape::Tiny.description(), "lines of 20 to 60 bytes");
    /// ```
    pub fn description(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Shape::Transcript => {
                ("transcript", "session transcripts of Claude Code")
            }
            Shape::Stream => {
                ("stream", "stream-json output, with partial messages")
            }
            Shape::ToolHeavy => {
                ("tool_heavy", "tool results of 10 to 900 KB, code and diffs")
            }
            Shape::Tiny => ("tiny", "lines of 20 to 60 bytes"),
            Shape::Unicode => {
                ("unicode", "text in many scripts, raw and escaped")
            }
            Shape::Pathological => {
                ("pathological", "lines built to defeat a SIMD scanner")
            }
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Shape {
    type Err = UnknownShape;

    fn from_str(name: &str) -> Result<Shape, UnknownShape> {
        Shape::ALL
            .into_iter()
            .find(|shape| shape.name() == name)
            .ok_or(UnknownShape(()))
    }
}

/// The error of parsing an unknown name of a [`Shape`]. Its message lists the
/// names.
///
/// # Example
///
/// ```
/// use linetape_generate::Shape;
///
/// let error = "round".parse::<Shape>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown shape; expected one of transcript, stream, tool_heavy, \
///      tiny, unicode, pathological"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownShape(());

impl fmt::Display for UnknownShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Shape::ALL.map(Shape::name).join(", ");
        write!(f, "unknown shape; expected one of {names}")
    }
}

impl Error for UnknownShape {}
