use std::{fmt, iter::FusedIterator};

use crate::{
    json::{Items, Value},
    message::{
        Block, Reading, TextBlock,
        schema::{Described, FromValue, SchemaWalk, views},
    },
};

/// The content of a message or tool result: a string, content blocks, or some
/// other JSON.
///
/// # Example
///
/// A string is read as one text block.
///
/// ```
/// use linetape::{Block, Decoder, Message};
///
/// let line = br#"{"type":"user","message":{"content":"Hello"}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// for block in record.message().content_blocks() {
///     let Block::Text(text) = block else { panic!("not text") };
///     assert_eq!(text.text(), Some("Hello"));
/// }
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Content<'a>(Value<'a>);

impl<'a> Content<'a> {
    /// Returns the underlying value.
    pub fn value(self) -> Value<'a> {
        self.0
    }

    /// Returns the content, if it is a string.
    pub fn as_str(self) -> Option<&'a str> {
        self.0.as_str()
    }

    /// Returns the content as blocks. A string is one text block; any other
    /// JSON that is not an array has no blocks.
    pub fn blocks(self) -> Blocks<'a> {
        match self.0.as_array() {
            Some(array) => Blocks(Source::Array(array.iter())),
            None => Blocks(Source::One(self.0.as_str().map(|_| self.0))),
        }
    }
}

impl<'a> FromValue<'a> for Content<'a> {
    fn from_value(value: Value<'a>) -> Option<Content<'a>> {
        (!value.is_null()).then_some(Content(value))
    }
}

impl<'a> Described<'a> for Content<'a> {
    fn reading(value: Value<'a>) -> Reading {
        let known =
            value.is_null() || value.is_string() || value.as_array().is_some();
        if known { Reading::Read } else { Reading::Json }
    }

    fn inside(value: Value<'a>, walk: &mut SchemaWalk<'a, '_>) {
        walk.items::<Block<'a>>(value.as_array().into_iter().flatten());
    }
}

views!(@shown Content);

/// An iterator over the content blocks of a message.
///
/// # Example
///
/// This lists the tools that a message uses.
///
/// ```
/// use linetape::{Block, Decoder};
///
/// let line = br#"{"type":"assistant","message":{"content":[
///     {"type":"tool_use","name":"Bash","input":{}}
/// ]}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// for block in record.message().content_blocks() {
///     if let Block::ToolUse(call) = block {
///         assert_eq!(call.name(), Some("Bash"));
///     }
/// }
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Blocks<'a>(Source<'a>);

#[derive(Clone, Debug)]
enum Source<'a> {
    Array(Items<'a>),
    /// A string, read as a text block.
    One(Option<Value<'a>>),
}

impl<'a> Blocks<'a> {
    pub(crate) fn none() -> Blocks<'a> {
        Blocks(Source::One(None))
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        match &mut self.0 {
            Source::Array(items) => items.find_map(Block::from_value),
            Source::One(text) => {
                text.take().map(TextBlock::new).map(Block::Text)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Source::Array(items) => (0, items.size_hint().1),
            Source::One(text) => text.iter().size_hint(),
        }
    }
}

impl FusedIterator for Blocks<'_> {}

/// An iterator over the pieces of a message's text.
///
/// Its `Display` implementation writes all pieces, without concatenating them
/// in memory first.
///
/// # Example
///
/// This counts the pieces and writes the whole text.
///
/// ```
/// let line = br#"{"type":"assistant","message":{"content":[
///     {"type":"text","text":"Hello, "},{"type":"text","text":"world"}
/// ]}}"#;
/// let mut decoder = linetape::Decoder::new();
/// let record = decoder.decode(line)?;
/// assert_eq!(record.message().text().count(), 2);
/// assert_eq!(record.message().text().to_string(), "Hello, world");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Text<'a>(Pieces<'a>);

#[derive(Clone, Debug)]
enum Pieces<'a> {
    Blocks(Blocks<'a>),
    One(Option<&'a str>),
}

impl<'a> Text<'a> {
    pub(crate) fn of_blocks(blocks: Blocks<'a>) -> Text<'a> {
        Text(Pieces::Blocks(blocks))
    }

    pub(crate) fn one(text: Option<&'a str>) -> Text<'a> {
        Text(Pieces::One(text))
    }
}

impl<'a> Iterator for Text<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        match &mut self.0 {
            Pieces::Blocks(blocks) => blocks.find_map(|block| match block {
                Block::Text(text) => text.text(),
                _ => None,
            }),
            Pieces::One(text) => text.take(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Pieces::Blocks(blocks) => (0, blocks.size_hint().1),
            Pieces::One(text) => text.iter().size_hint(),
        }
    }
}

impl FusedIterator for Text<'_> {}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().try_for_each(|piece| f.write_str(piece))
    }
}
