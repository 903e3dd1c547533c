use std::io::{self, Read};

use Place::{After, Before, Element, Ended, Escape, Gap, Plain, Text};

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
/// its offset in the array. A newline within a string, which is not JSON,
/// becomes a carriage return, which is not either: a part of an element is
/// never a line.
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
    /// Why the source has ended, if it has failed.
    failure: Option<io::Error>,
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
    /// At the end of the source, where a comma or bracket is missing.
    Ended,
    /// What is no part of an array.
    Plain,
}

impl Array {
    /// Reads, by a function that reads the source.
    ///
    /// # Errors
    ///
    /// Returns an error if the source fails, or if it ends where a comma or
    /// bracket is missing: in both cases after the newline that ends the last
    /// element. An element that is cut is no error: whoever reads it finds
    /// that. An error after which reading can go on is returned at once.
    pub(crate) fn read(
        &mut self,
        room: &mut [u8],
        mut source: impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if room.is_empty() {
            return Ok(0);
        }
        loop {
            let turned = self.buffer.get(self.start..self.turned);
            let count = turned.unwrap_or_default().read(room)?;
            if count > 0 {
                self.start += count;
                return Ok(count);
            }
            match self.place {
                Plain if self.start == self.end => {
                    return self
                        .failure
                        .take()
                        .map_or_else(|| source(room), Err);
                }
                Gap(_) if self.has_ended => {
                    self.place = Ended;
                    continue;
                }
                After if self.has_ended => {
                    self.place = Ended;
                    return (&b"\n"[..]).read(room);
                }
                Ended => {
                    self.place = Plain;
                    let kind = io::ErrorKind::UnexpectedEof;
                    let why = "unexpected end of a JSON array: no `]`";
                    let cut = || io::Error::new(kind, why);
                    return Err(self.failure.take().unwrap_or_else(cut));
                }
                _ if self.has_ended => {
                    return self.failure.take().map_or(Ok(0), Err);
                }
                _ => {}
            }
            self.buffer.resize(BUFFER, 0);
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            (self.start, self.turned) = (0, 0);
            let free = self.buffer.get_mut(self.end..).unwrap_or_default();
            let count = match source(free) {
                Ok(count) => count.min(free.len()),
                Err(error) if is_temporary(&error) => return Err(error),
                Err(error) => {
                    self.failure = Some(error);
                    0
                }
            };
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
            Plain | Ended => Some(length),
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
                for (at, byte) in text.iter_mut().enumerate() {
                    match byte {
                        b'"' => return self.go(Element, at + 1),
                        b'\\' => return self.go(Escape, at + 1),
                        b'\n' => *byte = b'\r',
                        _ => {}
                    }
                }
                Some(length)
            }
            Escape => {
                if let Some(byte @ b'\n') = text.first_mut() {
                    *byte = b'\r';
                }
                self.go(Text, 1)
            }
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

/// Returns whether reading can go on after an error.
fn is_temporary(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
