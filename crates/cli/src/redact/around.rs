//! What stands around the lines of a log: a byte order mark, blank lines, and
//! the carriage returns before newlines. A reader skips them, and they are
//! written again here.

use std::{
    cell::RefCell,
    collections::VecDeque,
    io::{self, Read, Write},
    mem,
    rc::Rc,
};

use linetape::Line;

/// The byte order mark in UTF-8.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The bytes of a source that are not behind the last line yet.
#[derive(Clone)]
pub struct Window(Rc<RefCell<Bytes>>);

struct Bytes {
    bytes: Vec<u8>,
    /// How many of the bytes are behind the last line.
    used: usize,
    /// The offset in the source of the first byte that is not used.
    start: u64,
    /// The most bytes that are kept. The text of a line that is over the
    /// limit is not needed.
    most: usize,
}

/// What stands around one line.
#[derive(Default)]
struct Around {
    /// Blank lines and a byte order mark.
    before: Vec<u8>,
    /// What is between the line and its newline.
    after: Vec<u8>,
}

impl Window {
    /// Creates a window for lines of at most `max_line` bytes.
    pub fn new(max_line: usize) -> Window {
        const AHEAD: usize = 4 << 20;
        let most = max_line.saturating_add(AHEAD);
        let bytes = Bytes { bytes: vec![], used: 0, start: 0, most };
        Window(Rc::new(RefCell::new(bytes)))
    }

    /// Wraps a source, whose bytes are seen by the window if there is one.
    pub fn watch<R: Read>(window: Option<&Window>, source: R) -> Seen<R> {
        Seen { source, window: window.cloned() }
    }

    /// Returns what is around a line, which is the next one.
    fn around(&self, line: &Line<'_>) -> Around {
        let mut seen = self.0.borrow_mut();
        let mut around = Around::default();
        let at = seen.start;
        kept_blanks(at, seen.take(line.offset()), false, &mut around.before);
        seen.take(line.offset() + line.as_bytes().len() as u64);
        let rest = seen.rest();
        let blank = rest.iter().position(|byte| !is_blank(*byte));
        if let Some(end) = blank.filter(|end| rest.get(*end) == Some(&b'\n')) {
            let after = rest.get(..end).unwrap_or_default();
            around.after.extend_from_slice(after);
            let end = seen.start + end as u64 + 1;
            seen.take(end);
        }
        around
    }

    /// Returns what is behind the last line.
    fn end(&self) -> Vec<u8> {
        let mut seen = self.0.borrow_mut();
        let mut kept = vec![];
        let at = seen.start;
        kept_blanks(at, seen.take(u64::MAX), true, &mut kept);
        kept
    }
}

impl Bytes {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.used..).unwrap_or_default()
    }

    /// Adds bytes of the source.
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.used);
        self.used = 0;
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > self.most {
            // Half of it at once: moving the rest at every read would take
            // quadratic time.
            let over = self.bytes.len() - self.most / 2;
            self.bytes.drain(..over);
            self.start += over as u64;
        }
    }

    /// Returns the bytes up to an offset in the source, which are used then.
    fn take(&mut self, end: u64) -> &[u8] {
        let length = end.saturating_sub(self.start);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let length = length.min(self.bytes.len() - self.used);
        let from = self.used;
        self.used += length;
        self.start += length as u64;
        self.bytes.get(from..self.used).unwrap_or_default()
    }
}

/// Appends the blank lines of a text between two lines, which begins at the
/// offset `start`. Everything else in it belongs to lines that are not passed
/// on. Blanks without a newline are only kept at the end of a log.
fn kept_blanks(start: u64, text: &[u8], is_end: bool, kept: &mut Vec<u8>) {
    let mut text = text;
    if start == 0
        && let Some(rest) = text.strip_prefix(BOM)
    {
        kept.extend_from_slice(BOM);
        text = rest;
    }
    for piece in text.split_inclusive(|byte| *byte == b'\n') {
        let (blank, is_ended) = match piece.strip_suffix(b"\n") {
            Some(blank) => (blank, true),
            None => (piece, false),
        };
        let is_kept = is_ended || is_end;
        if is_kept && blank.iter().all(|byte| is_blank(*byte)) {
            kept.extend_from_slice(piece);
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// A source that is seen by a window.
pub struct Seen<R> {
    source: R,
    window: Option<Window>,
}

impl<R: Read> Read for Seen<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(buf)?;
        if let Some(window) = &self.window {
            let bytes = buf.get(..length).unwrap_or_default();
            window.0.borrow_mut().push(bytes);
        }
        Ok(length)
    }
}

/// An output to which lines are written with what was around them. Lines may
/// be written later than they are expected, but in the same order.
pub struct Spaced<'w> {
    to: &'w mut dyn Write,
    window: Option<Window>,
    expected: VecDeque<Around>,
    /// What was before lines that are not passed on.
    carried: Vec<u8>,
    /// Whether a line is not ended yet.
    is_open: bool,
}

impl<'w> Spaced<'w> {
    /// Creates an output. Without a window, it writes nothing around the lines.
    pub fn new(to: &'w mut dyn Write, window: Option<Window>) -> Spaced<'w> {
        let (expected, carried) = (VecDeque::new(), vec![]);
        Spaced { to, window, expected, carried, is_open: false }
    }

    /// Expects a line.
    pub fn expect(&mut self, line: &Line<'_>) {
        let Some(window) = &self.window else { return };
        let mut around = window.around(line);
        if !self.carried.is_empty() {
            self.carried.append(&mut around.before);
            around.before = mem::take(&mut self.carried);
        }
        self.expected.push_back(around);
    }

    /// Expects the last expected line no longer: it is not passed on.
    pub fn forget(&mut self) {
        if let Some(around) = self.expected.pop_back() {
            self.carried.extend(around.before);
        }
    }

    /// Writes what is behind the last line.
    pub fn end(&mut self) -> io::Result<()> {
        self.to.write_all(&mem::take(&mut self.carried))?;
        match &self.window {
            Some(window) => self.to.write_all(&window.end()),
            None => Ok(()),
        }
    }
}

impl Write for Spaced<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.window.is_none() {
            return self.to.write(bytes);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let newline = memchr::memchr(b'\n', rest);
            let length = newline.map_or(rest.len(), |at| at + 1);
            let (piece, next) = rest.split_at(length);
            rest = next;
            let around = self.expected.front();
            if !mem::replace(&mut self.is_open, true)
                && let Some(around) = around
                && !around.before.is_empty()
            {
                self.to.write_all(&around.before)?;
            }
            let Some(line) = piece.strip_suffix(b"\n") else {
                self.to.write_all(piece)?;
                continue;
            };
            self.is_open = false;
            match self.expected.pop_front() {
                Some(mut around) if !around.after.is_empty() => {
                    self.to.write_all(line)?;
                    around.after.push(b'\n');
                    self.to.write_all(&around.after)?;
                }
                _ => self.to.write_all(piece)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
