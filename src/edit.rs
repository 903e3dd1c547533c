//! Edits of the text of a line.

use std::{fmt, io::Write, ops::Range};

use crate::{
    error::{Error, ErrorKind, Position},
    idle::GIANT_TEXT,
    json::{
        Quoted, Source, State, Value, array_index, first_value, pointer_key,
        pointer_names,
    },
    limits::Limits,
    line::Line,
    lines::RawLine,
    scan::{part, scalar_end, skip_whitespace},
};

/// Edits lines, and reuses its memory for the next line.
///
/// [`edit`](Editor::edit) begins the edits of one line. [`Edit`] has an
/// example.
///
/// # Costs
///
/// Nothing is allocated for a line once there is enough memory. More than 4 MiB
/// are released when the next line is edited.
#[derive(Debug)]
pub struct Editor {
    /// Checks the results.
    state: State,
    splices: Vec<Splice>,
    /// The new texts of all splices.
    new: Vec<u8>,
    /// The edited line.
    out: Vec<u8>,
}

/// A change of the text.
#[derive(Clone, Copy, Debug)]
struct Splice {
    /// What is replaced. Empty for an insertion.
    start: usize,
    end: usize,
    /// The new text: a range of [`Editor::new`].
    new: (usize, usize),
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The new text replaces the old one.
    Replace,
    /// A member or item goes, with its comma.
    Remove,
    /// A new item before another one.
    InsertBefore,
    /// A new member or item after the others, or the only one.
    Append,
}

impl Default for Editor {
    fn default() -> Editor {
        Editor::new()
    }
}

impl Editor {
    /// Creates an editor with the default limits.
    pub fn new() -> Editor {
        Editor::with_limits(Limits::default())
    }

    /// Creates an editor whose results are within `limits`.
    pub fn with_limits(limits: Limits) -> Editor {
        Editor {
            state: State::new(limits),
            splices: Vec::new(),
            new: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Begins the edits of a line, which is [checked](Line::check) first.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return.
    pub fn edit<'e, 'a>(
        &'e mut self,
        line: &Line<'a>,
    ) -> Result<Edit<'e, 'a>, Error> {
        let root = line.checked()?.value();
        self.splices.clear();
        for text in [&mut self.new, &mut self.out] {
            text.clear();
            text.shrink_to(GIANT_TEXT);
        }
        Ok(Edit { editor: self, raw: line.source().raw(), root })
    }
}

/// The edits of one line: values that are replaced, removed or inserted.
///
/// An edit is a splice on the text of the line. Everything else stays as it is,
/// byte for byte: whitespace, the order of keys, duplicate keys, escapes, and
/// the spelling of numbers. The line itself is not changed:
/// [`finish`](Edit::finish) returns a new text, which is checked as
/// [`Line::check`] does.
///
/// A value is given as a [`Value`] of the same line, peeked or checked, or as a
/// JSON Pointer. New values are JSON texts; [`Quoted`] makes one of a string.
///
/// # Errors
///
/// All methods return [`ErrorKind::InvalidInput`](crate::ErrorKind) if the edit
/// cannot be made: there is no such value, it is of another line or decoded,
/// the new text is not exactly one JSON value or contains a newline.
///
/// Methods that take a JSON Pointer return
/// [`ErrorKind::DuplicateKey`](crate::ErrorKind) if one of its keys occurs more
/// than once in its object, also in different spellings such as `"a"` and
/// `"\u0061"`. The pointer would name one of several values, and the others
/// would stay: dangerous if the edit masks a field. To edit all of them, give
/// each as a [`Value`]: [`Object::iter`](crate::Object::iter) returns them.
///
/// # Example
///
/// This shows how to change three values of a line.
///
/// ```
/// use linetape::{edit::Editor, lines};
///
/// let mut editor = Editor::new();
/// let mut lines = lines(br#"{"n": 1.50, "cwd":"/home/me","tags":["a"]}"#);
/// let line = lines.next_line().unwrap()?;
/// let value = line.peek()?.value();
///
/// let mut edit = editor.edit(&line)?;
/// edit.replace(value.get("cwd").unwrap(), r#""***""#)?;
/// edit.insert_at("/tags/-", r#""b""#)?;
/// edit.insert(value, "ok", "true")?;
/// assert_eq!(
///     edit.finish()?,
///     br#"{"n": 1.50, "cwd":"***","tags":["a","b"],"ok":true}"#
/// );
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct Edit<'e, 'a> {
    editor: &'e mut Editor,
    raw: RawLine<'a>,
    root: Value<'a>,
}

impl<'e, 'a> Edit<'e, 'a> {
    /// Replaces a value by a JSON text.
    ///
    /// # Errors
    ///
    /// See [`Edit`].
    pub fn replace(
        &mut self,
        value: Value<'a>,
        json: &str,
    ) -> Result<(), Error> {
        let span = self.span(value)?;
        let json = self.one_value(json)?;
        self.add(span, How::Replace, None, json);
        Ok(())
    }

    /// Replaces the value at a JSON Pointer by a JSON text.
    ///
    /// # Errors
    ///
    /// See [`Edit`].
    pub fn replace_at(
        &mut self,
        pointer: &str,
        json: &str,
    ) -> Result<(), Error> {
        self.replace(self.at(pointer)?, json)
    }

    /// Removes a value: the item of an array, or the member of an object with
    /// its key.
    ///
    /// # Errors
    ///
    /// See [`Edit`]. The outermost value cannot be removed.
    pub fn remove(&mut self, value: Value<'a>) -> Result<(), Error> {
        let span = self.span(value)?;
        let line = self.raw.bytes;
        let Some(start) = element_start(line, span.start) else {
            return Err(self.refused("cannot remove the outermost value"));
        };
        self.add(start..span.end, How::Remove, None, "");
        Ok(())
    }

    /// Removes the value at a JSON Pointer.
    ///
    /// # Errors
    ///
    /// See [`Edit`].
    pub fn remove_at(&mut self, pointer: &str) -> Result<(), Error> {
        self.remove(self.at(pointer)?)
    }

    /// Inserts a value into an object or an array.
    ///
    /// In an object, it is the last member, and `key` must be new. In an array,
    /// `key` is the index of the item before which it is inserted, or `-` to
    /// append it.
    ///
    /// # Errors
    ///
    /// See [`Edit`].
    pub fn insert(
        &mut self,
        container: Value<'a>,
        key: &str,
        json: &str,
    ) -> Result<(), Error> {
        let span = self.span(container)?;
        let json = self.one_value(json)?;
        let mut name = None;
        let (last, before) = if let Some(object) = container.as_object() {
            if object.get(key).is_some() {
                return Err(self.refused("duplicate key"));
            }
            name = Some(key);
            (object.iter().last().map(|(_, value)| value), None)
        } else if let Some(array) = container.as_array() {
            let (length, last) = (array.len(), array.iter().last());
            match key {
                "-" => (last, None),
                _ => match array_index(key) {
                    Some(index) if index <= length => (last, array.get(index)),
                    _ => return Err(self.refused("no such index")),
                },
            }
        } else {
            return Err(self.refused("neither an object nor an array"));
        };
        let (at, how) = match (before, last) {
            (Some(item), _) => (self.span(item)?.start, How::InsertBefore),
            (None, Some(last)) => (self.span(last)?.end, How::Append),
            (None, None) => (span.start + 1, How::Append),
        };
        self.add(at..at, how, name, json);
        Ok(())
    }

    /// Inserts a value at a JSON Pointer, whose last token is the `key` of
    /// [`insert`](Edit::insert): `/message/tags/-` appends to an array.
    ///
    /// # Errors
    ///
    /// See [`Edit`].
    pub fn insert_at(
        &mut self,
        pointer: &str,
        json: &str,
    ) -> Result<(), Error> {
        let Some((parent, token)) = pointer.rsplit_once('/') else {
            return Err(self.refused(match pointer {
                "" => "empty JSON Pointer",
                _ => "not a JSON Pointer",
            }));
        };
        let parent = self.at(parent)?;
        if !token.contains('~') {
            return self.insert(parent, token, json);
        }
        match pointer_key(token).collect::<Option<String>>() {
            Some(key) => self.insert(parent, &key, json),
            None => Err(self.refused("not a JSON Pointer")),
        }
    }

    /// Replaces bytes of the line by a text: a key, or a part of a string.
    ///
    /// The text is not escaped. Use this only for what is not a value: the
    /// result is valid JSON, but it may have another structure.
    ///
    /// # Errors
    ///
    /// Returns an error if the range is not in the line, or if the text
    /// contains a newline.
    pub fn splice(
        &mut self,
        range: Range<usize>,
        text: &str,
    ) -> Result<(), Error> {
        if range.start > range.end || range.end > self.raw.bytes.len() {
            return Err(self.refused("the range is not in the line"));
        }
        let text = self.one_line(text)?;
        self.add(range, How::Replace, None, text);
        Ok(())
    }

    /// Returns whether there is no edit yet.
    pub fn is_empty(&self) -> bool {
        self.editor.splices.is_empty()
    }

    /// Returns the edited line, without a terminator. Without edits, these are
    /// the bytes of the line itself.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::InvalidInput`](crate::ErrorKind) if two edits
    /// overlap, or the error that decoding the result would return.
    pub fn finish(self) -> Result<&'e [u8], Error>
    where
        'a: 'e,
    {
        let Edit { editor, raw, .. } = self;
        if editor.splices.is_empty() {
            return Ok(raw.bytes);
        }
        let Editor { state, splices, new, out } = editor;
        // An insertion is before the value that begins at the same byte, and
        // after the insertion that was added earlier.
        splices.sort_unstable_by_key(|splice| {
            (splice.start, splice.start != splice.end, splice.new)
        });
        let mut at = 0;
        for splice in &*splices {
            if splice.start < at {
                return Err(refused("two edits overlap", raw.position));
            }
            out.extend_from_slice(part(raw.bytes, at..splice.start));
            at = splice.end;
            let new = part(new, splice.new.0..splice.new.1);
            match splice.how {
                How::Replace => out.extend_from_slice(new),
                How::InsertBefore => {
                    out.extend_from_slice(new);
                    out.push(b',');
                }
                How::Append => {
                    if !matches!(last_token(out), Some(b'[' | b'{')) {
                        out.push(b',');
                    }
                    out.extend_from_slice(new);
                }
                How::Remove => {
                    let next = skip_whitespace(raw.bytes, at);
                    if raw.bytes.get(next) == Some(&b',') {
                        at = skip_whitespace(raw.bytes, next + 1);
                    } else if last_token(out) == Some(b',') {
                        // The last one goes with the comma before it.
                        let comma = trimmed(out).len() - 1;
                        out.truncate(comma);
                    }
                }
            }
        }
        out.extend_from_slice(part(raw.bytes, at..));
        let result = RawLine { bytes: out, ..raw };
        state.begin_new(result);
        Source::new(out, state).check()?;
        Ok(out)
    }

    fn add(
        &mut self,
        range: Range<usize>,
        how: How,
        key: Option<&str>,
        json: &str,
    ) {
        let Editor { splices, new, .. } = &mut *self.editor;
        let start = new.len();
        if let Some(key) = key {
            // Writing to a vector cannot fail.
            let _ = write!(new, "{}:", Quoted(key));
        }
        new.extend_from_slice(json.as_bytes());
        let (new, Range { start, end }) = ((start, new.len()), range);
        splices.push(Splice { start, end, new, how });
    }

    /// Returns the value at a JSON Pointer. Each key of the pointer must occur
    /// once in its object, in whatever spelling: if it occurs again, the edit
    /// would leave one of the values as it is.
    fn at(&self, pointer: &str) -> Result<Value<'a>, Error> {
        let missing = || self.refused("no value at this pointer");
        let mut value = self.root;
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(missing());
        }
        for token in pointer.split('/').skip(1) {
            value = match (value.as_object(), value.as_array()) {
                (Some(object), _) => {
                    let mut members = object.iter();
                    let mut next =
                        || members.find(|(key, _)| pointer_names(token, key));
                    let (_, only) = next().ok_or_else(missing)?;
                    if let Some((key, second)) = next() {
                        return Err(self.duplicate(key, second));
                    }
                    only
                }
                (None, Some(array)) => array_index(token)
                    .and_then(|index| array.get(index))
                    .ok_or_else(missing)?,
                (None, None) => return Err(missing()),
            };
        }
        Ok(value)
    }

    /// Returns the span of a value of this line.
    fn span(&self, value: Value<'a>) -> Result<Range<usize>, Error> {
        let address = |value: Value<'a>| {
            let Source { bytes, state } = value.source()?;
            Some((bytes.as_ptr(), std::ptr::from_ref(state)))
        };
        match value.span() {
            Some(span) if address(value) == address(self.root) => Ok(span),
            _ => Err(self.refused("not a value of this line")),
        }
    }

    /// Returns a JSON text without the whitespace around it.
    fn one_value<'t>(&self, json: &'t str) -> Result<&'t str, Error> {
        let json = self.one_line(json)?.trim_matches([' ', '\t', '\r']);
        let text = json.as_bytes();
        let depth = self.editor.state.depth;
        // For `first_value`, a number at the end may be truncated.
        let end =
            scalar_end(text, 0).or_else(|| first_value(text, depth).ok());
        match end {
            Some(end) if end == json.len() => Ok(json),
            _ => Err(self.refused("the new text is not one JSON value")),
        }
    }

    fn one_line<'t>(&self, text: &'t str) -> Result<&'t str, Error> {
        match memchr::memchr(b'\n', text.as_bytes()) {
            None => Ok(text),
            Some(_) => Err(self.refused("the new text contains a newline")),
        }
    }

    #[cold]
    fn refused(&self, why: &'static str) -> Error {
        refused(why, self.raw.position)
    }

    /// Creates the error for a key that occurs again, with this value.
    #[cold]
    fn duplicate(&self, key: &str, value: Value<'a>) -> Error {
        let start = value.span().map_or(0, |span| span.start);
        let at = element_start(self.raw.bytes, start);
        debug_assert!(at.is_some(), "a member has a key");
        let at = at.unwrap_or(start);
        let text = "edit refused: duplicate key";
        let error = Error::new(ErrorKind::DuplicateKey, text);
        let error = error.with_snippet(key.as_bytes());
        error.with_position(self.raw.position.plus(at))
    }
}

/// Returns the error for an edit of the line at `position` that cannot be made.
#[cold]
fn refused(why: &str, position: Position) -> Error {
    let text = format!("edit refused: {why}");
    Error::new(ErrorKind::InvalidInput, text).with_position(position)
}

impl fmt::Debug for Edit<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Edit")
            .field("position", &self.raw.position)
            .field("splices", &self.editor.splices)
            .finish_non_exhaustive()
    }
}

/// Returns where the item or the member with this value begins. `None` for the
/// outermost value. The line is valid.
fn element_start(line: &[u8], value: usize) -> Option<usize> {
    let before = trimmed(part(line, ..value));
    match before.split_last()? {
        (b':', before) => {
            let (_, key) = trimmed(before).split_last()?;
            let mut quote = memchr::memrchr(b'"', key)?;
            // A quote inside the key has an odd number of backslashes before
            // it. There is none before the quote that opens the key.
            while part(key, ..quote).last() == Some(&b'\\') {
                quote = memchr::memrchr(b'"', part(key, ..quote))?;
            }
            Some(quote)
        }
        _ => Some(value),
    }
}

/// Returns the last byte that is not whitespace.
fn last_token(text: &[u8]) -> Option<u8> {
    trimmed(text).last().copied()
}

/// Returns a text without the whitespace at its end.
fn trimmed(text: &[u8]) -> &[u8] {
    let is_token = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let end = text.iter().rposition(is_token).map_or(0, |at| at + 1);
    part(text, ..end)
}
