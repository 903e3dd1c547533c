/*!
The current line of a reader: its bytes, and what they are read with.
*/

use std::fmt;

use crate::{
    error::{Error, LineError},
    json::{
        Extent, Found, Index, Miss, Objects, Span, State, Text, TextValue,
        TopFault, Verdict, check, check_and_index, check_members, duplicate,
        explain, first_duplicate, pass, precheck, repeated,
    },
    lines::RawLine,
    scan::as_utf8,
};

/// The current line of a reader. What is found out about it is kept in the
/// state of the reader.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) state: &'a State,
}

impl<'a> Source<'a> {
    pub(crate) fn new(bytes: &'a [u8], state: &'a State) -> Source<'a> {
        Source { bytes, state }
    }

    /// Returns the line with its position and terminator.
    #[inline]
    pub(crate) fn raw(self) -> RawLine<'a> {
        let State { position, terminator, .. } = *self.state;
        RawLine { bytes: self.bytes, position, terminator }
    }

    /// Returns the line for a pass over it.
    #[inline(always)]
    fn extent(self) -> Extent<'a> {
        Extent::whole(self.bytes)
    }

    /// Returns a part of the line. `None` if it is not UTF-8.
    #[inline]
    pub(crate) fn part(self, span: Span) -> Option<&'a str> {
        as_utf8(self.bytes.get(span.range())?)
    }

    /// Returns the line as a string, if it begins with `{` and is within the
    /// limits of its length and number of values.
    pub(crate) fn utf8(self) -> Result<&'a str, LineError> {
        self.precheck()?;
        let utf8 = simdutf8::basic::from_utf8(self.bytes);
        utf8.map_err(|_| self.explain(TopFault::Grammar))
    }

    /// Returns the line with its index. Unless the line has been indexed, that
    /// takes one pass.
    pub(crate) fn text(self) -> Result<&'a Text<'a>, LineError> {
        if let Found::Index = self.state.found() {
            return self.indexed(self.utf8()?);
        }
        self.index(|index| {
            let State { scanner, depth, .. } = *self.state;
            pass::index(scanner, self.extent(), depth, index)
        })
    }

    /// Checks the whole line, and returns it with its index. If neither has
    /// been done before, both are done in one pass.
    pub(crate) fn checked_text(self) -> Result<&'a Text<'a>, LineError> {
        let is_indexed = matches!(self.state.found(), Found::Index);
        if is_indexed || self.state.verdict() != Verdict::Unknown {
            self.check()?;
            return self.text();
        }
        let mut is_clear = false;
        let text = self.index(|index| {
            let State { scanner, depth, .. } = *self.state;
            let (utf8, is_doubtful) =
                check_and_index(scanner, self.extent(), depth, index)?;
            is_clear = !is_doubtful;
            Some(utf8)
        })?;
        let keys = self.check_keys(text, Objects::All);
        keys.map_err(|fault| self.explain(fault))?;
        if !is_clear {
            // The index finds out whether a key is a duplicate.
            self.check_top(text)?;
        }
        self.state.set_verdict(Verdict::Good);
        Ok(text)
    }

    /// Builds the index of the line with `fill`, which returns the line as a
    /// string.
    #[inline]
    fn index(
        self,
        fill: impl FnOnce(&mut Index) -> Option<&'a str>,
    ) -> Result<&'a Text<'a>, LineError> {
        self.precheck()?;
        let utf8 = self.state.indexes().build(fill);
        let utf8 = utf8.ok_or_else(|| self.explain(TopFault::Grammar))?;
        self.state.set_indexed();
        self.indexed(utf8)
    }

    /// Returns the line, which has been indexed and is UTF-8.
    pub(crate) fn indexed(
        self,
        utf8: &'a str,
    ) -> Result<&'a Text<'a>, LineError> {
        debug_assert_eq!(utf8.as_bytes(), self.bytes);
        match self.state.indexes().line() {
            Some(index) => Ok(Text::of_line(utf8, index, self)),
            None => {
                debug_assert!(false, "it was indexed");
                Err(self.explain(TopFault::Grammar))
            }
        }
    }

    /// Checks the outermost object of the line, unless that has been done: then
    /// it has passed what [`Line::peek`](crate::Line::peek) lists. The members
    /// of a checked line are not noted until one of them is looked up.
    pub(crate) fn check_top(self, text: &Text<'_>) -> Result<(), LineError> {
        let is_good = self.state.verdict() == Verdict::Good;
        let checked = text.name_or_init(|index| match is_good {
            true => Ok(None),
            false => {
                let name = check_members(self.bytes, index);
                if name != Err(TopFault::Grammar) {
                    self.check_keys(text, Objects::Outermost)?;
                }
                name
            }
        });
        checked.map(|_| ()).map_err(|fault| self.explain(fault))
    }

    /// Checks the whole line, unless that has been done.
    pub(crate) fn check(self) -> Result<(), LineError> {
        match self.state.verdict() {
            Verdict::Good => Ok(()),
            Verdict::Bad => Err(self.explain(TopFault::Grammar)),
            Verdict::Unknown => self.first_check(),
        }
    }

    fn first_check(self) -> Result<(), LineError> {
        let Source { bytes, state } = self;
        // A line that is short enough needs no other checks, unless it is to
        // be said what is wrong with it.
        if !state.is_short(bytes.len()) {
            self.precheck()?;
        }
        if state.unique_keys {
            let keys = self.check_keys(self.text()?, Objects::All);
            keys.map_err(|fault| self.explain(fault))?;
        }
        if let Err(miss) = check(state.scanner, self.extent(), state.depth) {
            self.check_again(miss)?;
        }
        state.set_verdict(Verdict::Good);
        Ok(())
    }

    /// Looks for duplicate keys, if the reader refuses them.
    fn check_keys(
        self,
        text: &Text<'_>,
        objects: Objects,
    ) -> Result<(), TopFault> {
        if !self.state.unique_keys {
            return Ok(());
        }
        let (object, arena) = (TextValue::top(text), self.state.arena());
        match first_duplicate(object, objects, arena) {
            Some(at) => Err(TopFault::Repeated(at)),
            None => Ok(()),
        }
    }

    /// Returns what is wrong with a line, if anything is.
    #[cold]
    fn check_again(self, miss: Miss) -> Result<(), LineError> {
        self.precheck()?;
        let Source { bytes, state } = self;
        let fault = match miss {
            Miss::Bad => TopFault::Grammar,
            // Indexing the line finds out whether a key is a duplicate. The
            // place of its index is left for `peek`.
            Miss::Slow => {
                let State { scanner, depth, .. } = *state;
                let members = state.indexes().with_scratch(|index| {
                    match pass::index(scanner, self.extent(), depth, index) {
                        Some(_) => check_members(bytes, index),
                        None => Err(TopFault::Grammar),
                    }
                });
                match members {
                    Ok(_) => return Ok(()),
                    Err(fault) => fault,
                }
            }
        };
        if fault == TopFault::Grammar {
            state.set_verdict(Verdict::Bad);
        }
        Err(self.explain(fault))
    }

    /// Checks the limits of the line's length and number of values, and that
    /// it begins with a brace.
    pub(crate) fn precheck(self) -> Result<(), LineError> {
        precheck(self.bytes, self.state.position, self.state.limits)
    }

    /// Returns the error for a line that has failed a check.
    #[cold]
    pub(crate) fn explain(self, fault: TopFault) -> LineError {
        let position = self.state.position;
        // A grammar error has precedence over a duplicate key.
        self.fault().unwrap_or_else(|| match fault {
            TopFault::Grammar => LineError::syntax(position, "invalid value"),
            TopFault::Duplicate(key, at) => duplicate(key, at, position),
            TopFault::Repeated(at) => repeated(self.bytes, at, position),
        })
    }

    /// Returns the first fault of the line, if it has one.
    #[cold]
    pub(crate) fn fault(self) -> Option<LineError> {
        let RawLine { bytes, position, terminator } = self.raw();
        let terminated = terminator.is_newline();
        explain(bytes, position, terminated, self.state.limits)
    }

    /// Records that a value of the line is not JSON.
    #[cold]
    pub(crate) fn note_fault(self) {
        debug_assert_ne!(self.state.verdict(), Verdict::Good, "{self:?}");
        self.state.set_verdict(Verdict::Bad);
    }

    /// Returns whether the line passes the full check, which the first call
    /// runs.
    pub(crate) fn is_good(self) -> bool {
        self.check().is_ok()
    }

    /// Returns whether the line has passed the full check. Does not run it.
    #[cfg(feature = "owned")]
    pub(crate) fn is_known_good(self) -> bool {
        self.state.verdict() == Verdict::Good
    }

    /// Ends a walk that has read every value of the line. A walk without a
    /// fault is equivalent to the full check.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return if this walk or
    /// an earlier access has found a fault.
    #[cfg(feature = "owned")]
    pub(crate) fn end_walk(self) -> Result<(), Error> {
        // Duplicate keys are not found by a walk.
        if self.state.verdict() != Verdict::Bad && !self.state.unique_keys {
            debug_assert!(self.is_good(), "a walk has passed over {self:?}");
            self.state.set_verdict(Verdict::Good);
        }
        self.ensure_checked()
    }

    /// Runs the full check, unless that has been done. Counts the line if it
    /// fails.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return.
    #[inline(always)]
    pub(crate) fn ensure_checked(self) -> Result<(), Error> {
        match self.state.verdict() {
            Verdict::Good => Ok(()),
            _ => self.check().map_err(|error| self.report(error)),
        }
    }

    /// Counts an error about the line.
    #[cold]
    pub(crate) fn report(self, error: LineError) -> Error {
        self.state.tally.report(error, self.raw())
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(self.bytes);
        write!(f, "Source({:?}: {text})", self.state)
    }
}
