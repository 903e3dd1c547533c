use std::io::{self, Read};

use Place::{After, Before, Element, Escape, Gap, Plain, Text};

/// How many bytes decide whether a text is an array.
pub(crate) const DECIDING: usize = 64;

/// How many bytes are read at once.
const BUFFER: usize = 64 << 10;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Returns whether a text that begins with these bytes is a JSON array of
/// objects: it begins with `[`, and then comes `{` or `]`. There may be
/// whitespace and a BOM. So a log that begins with `[INFO]` is none. `None`
/// means that it depends on the bytes that follow.
pub(crate) fn is_array(first: &[u8]) -> Option<bool> {
    let first = first.get(..DECIDING).unwrap_or(first);
    let text = first.strip_prefix(BOM).unwrap_or(first);
    let mut tokens = text.iter().filter(|byte| !is_space(byte));
    let may_begin = match (tokens.next(), tokens.next()) {
        (Some(b'['), Some(next)) => return Some(b"{]".contains(next)),
        (first, _) => first.is_none_or(|byte| *byte == b'['),
    };
    let is_open = may_begin || BOM.starts_with(first);
    if is_open && first.len() < DECIDING { None } else { Some(false) }
}

/// Turns a JSON array into lines, byte for byte: what separates elements
/// becomes whitespace, with a newline before each element and at the end, and
/// a newline within an element becomes a space. So each element is a line at
/// its offset in the array.
///
/// After its `]`, there may be another array. Everything else that is no part
/// of an array is returned as it is: the lines after it, and the rest of one
/// that is not valid JSON. Elements are not checked.
#[derive(Debug, Default)]
pub(crate) struct Array {
    buffer: Vec<u8>,
    /// Where the bytes are that have been read, and those of them that are
    /// turned. `start <= turned <= end`.
    start: usize,
    turned: usize,
    end: usize,
    has_ended: bool,
    place: Place,
    /// The number of open brackets.
    depth: u64,
}

/// What the next byte is in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Place {
    /// Where an array may begin.
    #[default]
    Before,
    /// Between a bracket or comma and an element. Whether it is a bracket.
    Gap(bool),
    Element,
    /// A string of an element, and an escape sequence of one.
    Text,
    Escape,
    /// Between an element and a comma or bracket.
    After,
    /// What is no part of an array.
    Plain,
}

impl Array {
    /// Reads, by a function that reads the source.
    ///
    /// # Errors
    ///
    /// Returns an error if the source fails; no bytes are lost then. Also if
    /// it ends where a comma or bracket is missing. An element that is cut is
    /// none: whoever reads it finds that.
    pub(crate) fn read(
        &mut self,
        room: &mut [u8],
        mut source: impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        loop {
            let turned = self.buffer.get(self.start..self.turned);
            let count = turned.unwrap_or_default().read(room)?;
            if count > 0 {
                self.start += count;
                return Ok(count);
            }
            match self.place {
                Plain if self.start == self.end => return source(room),
                Gap(_) | After if self.has_ended => {
                    self.place = Plain;
                    let kind = io::ErrorKind::UnexpectedEof;
                    let why = "unexpected end of a JSON array: no `]`";
                    return Err(io::Error::new(kind, why));
                }
                _ if self.has_ended => return Ok(0),
                _ => {}
            }
            self.buffer.resize(BUFFER, 0);
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            (self.start, self.turned) = (0, 0);
            let free = self.buffer.get_mut(self.end..).unwrap_or_default();
            let count = source(free)?.min(free.len());
            self.has_ended = count == 0;
            self.end += count;
            self.turn();
        }
    }

    /// Turns what has been read, as far as the bytes that follow do not matter.
    fn turn(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some(text) = buffer.get_mut(self.turned..self.end)
            && !text.is_empty()
            && let Some(turned) = self.step(text)
        {
            self.turned += turned;
        }
        self.buffer = buffer;
    }

    /// Turns the next bytes, up to a place of another kind. Returns their
    /// number, or `None` if it depends on the bytes that follow.
    fn step(&mut self, text: &mut [u8]) -> Option<usize> {
        let length = text.len();
        match self.place {
            Plain => Some(length),
            Before => match is_array(text) {
                None if !self.has_ended => None,
                Some(true) => {
                    let at = text.iter().position(|byte| *byte == b'[')?;
                    *text.get_mut(at)? = b' ';
                    self.go(Gap(true), at)
                }
                _ => self.go(Plain, 0),
            },
            Gap(is_first) => {
                let (spaces, rest) = split_spaces(text);
                spaces.fill(b' ');
                let next = rest.first();
                let (last, before) = spaces.split_last_mut()?;
                if next.is_none() && !self.has_ended {
                    // It becomes a newline if an element follows.
                    return Some(before.len()).filter(|length| *length > 0);
                }
                *last = b'\n';
                let place = match next {
                    None => return Some(length),
                    Some(b']') if is_first => After,
                    Some(b']' | b',') => Plain,
                    Some(_) => Element,
                };
                self.depth = 1;
                self.go(place, before.len() + 1)
            }
            Element => {
                for (at, byte) in text.iter_mut().enumerate() {
                    match byte {
                        b'"' => return self.go(Text, at + 1),
                        b'{' | b'[' => self.depth += 1,
                        b' ' | b'\t' | b'\r' | b'\n' | b',' | b']' | b'}'
                            if self.depth == 1 =>
                        {
                            return self.go(After, at);
                        }
                        b'}' | b']' => {
                            self.depth -= 1;
                            if self.depth == 1 {
                                return self.go(After, at + 1);
                            }
                        }
                        b'\n' => *byte = b' ',
                        _ => {}
                    }
                }
                Some(length)
            }
            Text => {
                let is_end = |byte: &u8| matches!(byte, b'"' | b'\\');
                let at = text.iter().position(is_end);
                match at.and_then(|at| Some((at, text.get(at)?))) {
                    Some((at, b'"')) => self.go(Element, at + 1),
                    Some((at, _)) => self.go(Escape, at + 1),
                    None => Some(length),
                }
            }
            Escape => self.go(Text, 1),
            After => {
                let (spaces, rest) = split_spaces(text);
                spaces.fill(b' ');
                let at = spaces.len();
                match rest.first_mut() {
                    None => Some(length),
                    Some(byte @ b',') => {
                        // It is a part of the gap.
                        *byte = b' ';
                        self.go(Gap(false), at)
                    }
                    Some(byte @ b']') => {
                        *byte = b'\n';
                        self.go(Before, at + 1)
                    }
                    Some(_) => self.go(Plain, at),
                }
            }
        }
    }

    fn go(&mut self, place: Place, turned: usize) -> Option<usize> {
        self.place = place;
        Some(turned)
    }
}

fn split_spaces(text: &mut [u8]) -> (&mut [u8], &mut [u8]) {
    let spaces = text.iter().take_while(|byte| is_space(byte));
    text.split_at_mut(spaces.count())
}

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
