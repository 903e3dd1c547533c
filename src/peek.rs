/*!
Peeking at lines: reading their fields without decoding them.
*/

use std::{cell::Cell, fmt};

use bumpalo::Bump;

use crate::{
    error::{Error, LineError},
    idle::{Idle, LARGE},
    json::{
        Checked, Index, IndexRef, Indexes, Kept, Origin, Route, Routed,
        Source, Span, Text, TopFault, check, check_and_index,
        check_and_index_first, check_first, check_members, duplicate, explain,
        first_value, precheck, route, skim,
    },
    limits::Limits,
    lines::{RawLine, Tally},
    message::{Kind, Message},
    scan::{Kernel, Scanner, as_plain, as_utf8, unescape},
};

/// Peeks at and checks lines, and reuses its memory for the next line.
pub(crate) struct Peeker {
    limits: Limits,
    scanner: Scanner,
    /// The unescaped strings of the current line, and copies of indexes.
    arena: Bump,
    /// Whether the arena or the index of the line may be in use, or large.
    used: Cell<bool>,
    /// The index of the current line, and the memory for others.
    indexes: Indexes,
    idle: Idle,
}

impl Peeker {
    pub(crate) fn new(limits: Limits) -> Peeker {
        Peeker {
            limits,
            scanner: Scanner::best(),
            arena: Bump::new(),
            used: Cell::new(false),
            indexes: Indexes::in_place(),
            idle: Idle::default(),
        }
    }

    /// Sets the kernel of the scanner.
    pub(crate) fn set_kernel(&mut self, kernel: Kernel) -> Result<(), Error> {
        match Scanner::new(kernel) {
            Some(scanner) => self.set_scanner(scanner),
            None => return Err(kernel.unsupported()),
        }
        Ok(())
    }

    pub(crate) fn set_scanner(&mut self, scanner: Scanner) {
        self.scanner = scanner;
    }

    /// Resets the memory of the previous line. `line` is the length of the
    /// next line in bytes.
    #[inline]
    pub(crate) fn recycle(&mut self, line: usize) {
        if self.used.get() {
            self.reset(line);
        }
    }

    fn reset(&mut self, line: usize) {
        self.used.set(false);
        self.arena.reset();
        self.indexes.recycle();
        let taken = self.arena.allocated_bytes() + self.indexes.capacity();
        if self.idle.is_over(taken, line) {
            self.arena = Bump::new();
            self.indexes = Indexes::in_place();
        } else if taken > LARGE {
            // To be released after this line, even if the line does not use
            // it.
            self.used.set(true);
        }
    }

    /// Returns the type and subtype of a line from its route, or from a new
    /// [`route`] of the line.
    ///
    /// `None` if the line has no type or is off the fast path of `route`;
    /// the caller then uses [`text`](Peeker::text).
    #[inline]
    pub(crate) fn stated_kind<'l>(
        &self,
        line: RawLine<'l>,
        route: Option<Route>,
    ) -> Option<Kind<'l>> {
        let route = match route {
            Some(route) => route,
            None => {
                let routed = self.route_first(line.bytes)?;
                if routed.end != line.bytes.len() {
                    return None;
                }
                routed.route
            }
        };
        let name = string(line.bytes, route.name?)?;
        let subtype = match route.subtype {
            Some(span) => Some(string(line.bytes, span)?),
            None => None,
        };
        Some(Kind::new(Some(name), subtype))
    }

    /// Finds the end and the type of the first line of `text`.
    #[inline]
    pub(crate) fn route_first(&self, text: &[u8]) -> Option<Routed> {
        let routed = route(self.scanner, text, self.limits.depth_cap())?;
        self.can_route(routed.end).then_some(routed)
    }

    /// Indexes the first line of `text`, which begins with a brace, for
    /// [`text`](Peeker::text). Returns the line without its newline. `None`
    /// if the line has no newline, is over a limit, or has a fault.
    pub(crate) fn index_first<'t>(
        &mut self,
        text: &'t [u8],
    ) -> Option<&'t str> {
        self.used.set(true);
        let Peeker { limits, scanner, indexes, .. } = self;
        let text = first_bytes(text, *limits);
        indexes.build_ahead(|index| {
            let filled = index.fill_first(*scanner, text, limits.depth_cap());
            filled.ok()?.validated()
        })
    }

    /// Does the same as [`index_first`](Peeker::index_first), and checks the
    /// whole line.
    pub(crate) fn check_and_index_first<'t>(
        &mut self,
        text: &'t [u8],
    ) -> Option<&'t str> {
        self.used.set(true);
        let Peeker { limits, scanner, indexes, .. } = self;
        let depth = limits.depth_cap();
        let text = first_bytes(text, *limits);
        indexes.build_ahead(|index| {
            check_and_index_first(text, depth, *scanner, index)
        })
    }

    /// Checks the first line of `text`, which begins with a brace. Returns the
    /// offset of its newline. `None` if the line has no newline, is over a
    /// limit, has a fault or needs another check.
    pub(crate) fn check_first(&self, text: &[u8]) -> Option<usize> {
        let text = first_bytes(text, self.limits);
        check_first(text, self.limits.depth_cap(), self.scanner)
    }

    /// Returns whether a line of `length` bytes is within `max_line`, and too
    /// short to exceed `max_nodes`. [`route`] checks neither limit, so other
    /// lines need [`precheck`].
    #[inline]
    pub(crate) fn can_route(&self, length: usize) -> bool {
        length <= self.limits.line_cap().min(self.limits.max_nodes)
    }

    /// Returns whether what was prepared of a line of `length` bytes, with a
    /// limit of `depth` levels, is valid under the limits of this peeker too.
    pub(crate) fn trusts(&self, length: usize, depth: usize) -> bool {
        depth <= self.limits.depth_cap() && self.can_route(length)
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the first type of a line and its subtype, read up to the
    /// answer. `None` if they have to be looked for with checks.
    #[inline]
    pub(crate) fn skimmed_kind<'l>(
        &'l self,
        line: &'l [u8],
    ) -> Option<Kind<'l>> {
        let skimmed = skim(self.scanner, line, Message::may_have_subtype)?;
        let name = self.unescaped(line, skimmed.name)?;
        let subtype = match skimmed.subtype {
            Some(span) => Some(self.unescaped(line, span)?),
            None => None,
        };
        Some(Kind::new(Some(name), subtype))
    }

    /// Returns a string of a line. `None` if it is not valid.
    #[inline]
    fn unescaped<'l>(&'l self, line: &'l [u8], span: Span) -> Option<&'l str> {
        if let Some(text) = as_plain(line.get(span.range())?) {
            return Some(text);
        }
        let text = string(line, span)?;
        let is_plain = |&byte: &u8| byte >= 0x20 && byte != b'\\';
        if text.as_bytes().iter().all(is_plain) {
            return Some(text);
        }
        self.used.set(true);
        unescape(self.scanner, text, text.len(), &self.arena)
    }

    /// Returns a line to read values from.
    pub(crate) fn source<'l>(
        &'l self,
        line: RawLine<'l>,
        tally: Option<&'l Tally>,
    ) -> &'l Source<'l> {
        self.used.set(true);
        let RawLine { bytes, position, terminator } = line;
        let terminated = terminator.is_newline();
        let origin = Origin { position, terminated, limits: self.limits };
        let Peeker { scanner, arena, indexes, .. } = self;
        arena
            .alloc(Source::new(bytes, origin, *scanner, arena, indexes, tally))
    }

    /// Returns a line as a string, if it begins with `{` and is within the
    /// limits of its length and number of values.
    pub(crate) fn utf8<'l>(
        &self,
        line: RawLine<'l>,
    ) -> Result<&'l str, LineError> {
        precheck(line.bytes, line.position, self.limits)?;
        let utf8 = simdutf8::basic::from_utf8(line.bytes);
        utf8.map_err(|_| self.explain(line))
    }

    /// Indexes a line in one pass, and checks what
    /// [`Line::peek`](crate::Line::peek) lists. `ahead` is the line, if
    /// [`index_first`](Peeker::index_first) or
    /// [`check_and_index_first`](Peeker::check_and_index_first) has indexed it.
    pub(crate) fn text<'l>(
        &'l self,
        line: RawLine<'l>,
        ahead: Option<&'l str>,
        source: impl FnOnce() -> &'l Source<'l>,
    ) -> Result<&'l Text<'l>, LineError> {
        if ahead.is_none() {
            precheck(line.bytes, line.position, self.limits)?;
        }
        let source = source();
        let built = ahead.and_then(|utf8| Text::built_ahead(source, utf8));
        let text = built.unwrap_or_else(|| Text::new(source));
        let text = text.map_err(|fault| self.explain_top(line, fault))?;
        source.set_stated_once();
        Ok(text)
    }

    /// Indexes a line and checks all of it, in one pass.
    pub(crate) fn checked_text<'l>(
        &'l self,
        line: RawLine<'l>,
        source: impl FnOnce() -> &'l Source<'l>,
    ) -> Result<&'l Text<'l>, LineError> {
        precheck(line.bytes, line.position, self.limits)?;
        let source = source();
        let text = Text::checked(source);
        let text = text.map_err(|fault| self.explain_top(line, fault))?;
        source.set_stated_once();
        source.set_checked();
        Ok(text)
    }

    #[cold]
    fn explain_top(&self, line: RawLine<'_>, fault: TopFault) -> LineError {
        match fault {
            TopFault::Grammar => self.explain(line),
            TopFault::Duplicate(key, at) => {
                // A grammar error has precedence over a duplicate key.
                let RawLine { bytes, position, terminator } = line;
                let terminated = terminator.is_newline();
                let error = explain(bytes, position, terminated, self.limits);
                error.unwrap_or_else(|| duplicate(key, at, position))
            }
        }
    }

    /// Does the same for a line that nothing else is read from.
    pub(crate) fn text_alone<'l>(
        &'l self,
        line: RawLine<'l>,
        tally: Option<&'l Tally>,
    ) -> Result<&'l Text<'l>, LineError> {
        self.text(line, None, || self.source(line, tally))
    }

    /// Checks a line, and copies it with its index. `ahead` is the line, if it
    /// has been checked, and indexed while its end was searched.
    pub(crate) fn kept(
        &self,
        line: RawLine<'_>,
        ahead: Option<&str>,
    ) -> Result<Kept, LineError> {
        let Peeker { scanner, arena, indexes, .. } = self;
        let keep = |utf8, index: IndexRef<'_>| {
            Kept::new(utf8, index, *scanner, arena, line.position)
        };
        if let Some(utf8) = ahead
            && let Some(kept) = indexes.read_ahead(|index| keep(utf8, index))
        {
            self.used.set(true);
            return kept.ok_or_else(|| self.explain(line));
        }
        precheck(line.bytes, line.position, self.limits)?;
        self.used.set(true);
        self.indexes.with_scratch(|index| self.kept_by(line, index))
    }

    fn kept_by(
        &self,
        line: RawLine<'_>,
        index: &mut Index,
    ) -> Result<Kept, LineError> {
        let Peeker { scanner, arena, .. } = self;
        let depth = self.limits.depth_cap();
        let checked = check_and_index(line.bytes, depth, *scanner, index);
        let Some((utf8, is_doubtful)) = checked else {
            return Err(self.explain(line));
        };
        if is_doubtful {
            check_members(line.bytes, index)
                .map_err(|fault| self.explain_top(line, fault))?;
        }
        let kept =
            Kept::new(utf8, index.view(), *scanner, arena, line.position);
        kept.ok_or_else(|| self.explain(line))
    }

    /// Returns the memory for what lives as long as the line.
    pub(crate) fn arena(&self) -> &Bump {
        self.used.set(true);
        &self.arena
    }

    /// Checks a whole line.
    #[inline(always)]
    pub(crate) fn check(&self, line: &RawLine<'_>) -> Result<(), LineError> {
        // A line that is short enough needs no other checks, unless it is to
        // be said what is wrong with it.
        if !self.can_route(line.bytes.len()) {
            precheck(line.bytes, line.position, self.limits)?;
        }
        match check(line.bytes, self.limits.depth_cap(), self.scanner) {
            Checked::Good => Ok(()),
            // A copy, so that the line of the caller can be in registers.
            checked => self.check_again(*line, checked),
        }
    }

    /// Returns what is wrong with a line, if anything is.
    #[cold]
    fn check_again(
        &self,
        line: RawLine<'_>,
        checked: Checked,
    ) -> Result<(), LineError> {
        precheck(line.bytes, line.position, self.limits)?;
        self.used.set(true);
        match checked {
            Checked::Good => Ok(()),
            Checked::Bad => Err(self.explain(line)),
            // Indexing the line finds out whether a key is a duplicate. The
            // place of its index is left for `peek`.
            Checked::Doubtful => self.indexes.with_scratch(|index| {
                let depth = self.limits.depth_cap();
                let filled = index.fill(self.scanner, line.bytes, depth);
                let members = match filled {
                    Ok(_) => check_members(line.bytes, index),
                    Err(_) => Err(TopFault::Grammar),
                };
                members
                    .map(|_| ())
                    .map_err(|fault| self.explain_top(line, fault))
            }),
        }
    }

    /// Returns the length of the object that `text` begins with, or the
    /// offset of its first fault as an error.
    pub(crate) fn first_object(&self, text: &[u8]) -> Result<usize, usize> {
        first_value(text, self.limits.depth_cap())
    }

    /// Returns the error for a line that has failed a check.
    #[cold]
    fn explain(&self, line: RawLine<'_>) -> LineError {
        let RawLine { bytes, position, terminator } = line;
        let terminated = terminator.is_newline();
        let error = explain(bytes, position, terminated, self.limits);
        error.unwrap_or_else(|| LineError::syntax(position, "invalid value"))
    }
}

/// Returns the start of `text`, as much of it as a line can have that is within
/// the limits, and its newline.
fn first_bytes(text: &[u8], limits: Limits) -> &[u8] {
    let longest = limits.line_cap().min(limits.max_nodes);
    text.get(..=longest).unwrap_or(text)
}

/// Returns a part of a line as a string.
#[inline]
fn string(line: &[u8], span: Span) -> Option<&str> {
    as_utf8(line.get(span.range())?)
}

impl fmt::Debug for Peeker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peeker")
            .field("scanner", &self.scanner)
            .finish_non_exhaustive()
    }
}
