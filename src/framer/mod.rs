/*!
The framing loop: how the bytes of a source become lines.

```text
             unseen bytes           Step            Verdict
    Source ───────────────► Splitter ───► Gate ─────────────► line
       ▲                    (or route)      │   ┌─► Salvage ─► line, line, ...
       │  NeedMore: refill      │           └───┤
       └────────────────────────┘               └─► error, counted in Tally
```

A [`Source`] provides bytes and stores the current line: in the buffer of a
[`Reader`](crate::Reader), the slice of [`Lines`](crate::Lines), or the queue of
[`Chunks`](crate::Chunks). [`Framer`] does everything else, so that all three
follow the same rules and have the same [`Settings`].
*/

mod borrowed;
mod plain;
mod settings;
mod source;

use crate::{
    error::{Error, LineError, Position},
    json::{Source as Current, State},
    level::Level,
    limits::Limits,
    lines::{
        Aligned, Gate, LineRange, RawLine, Splitter, Stats, Step, Tally,
        Terminator, Verdict,
    },
    salvage::{Found, Salvage},
};

pub(crate) use settings::Settings;
pub(crate) use source::{Lend, Source};

/// A line that the framer has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framed<H> {
    pub(crate) held: H,
    pub(crate) position: Position,
    pub(crate) terminator: Terminator,
}

impl<H> Framed<H> {
    /// Returns the line with its bytes.
    #[inline]
    fn raw<'b>(&self, bytes: &'b [u8]) -> RawLine<'b> {
        let Framed { position, terminator, .. } = *self;
        RawLine { bytes, position, terminator }
    }
}

/// Splits the bytes of one source into lines.
#[derive(Debug)]
pub(crate) struct Framer<H> {
    splitter: Splitter,
    gate: Gate,
    state: State,
    /// What lines are prepared for.
    level: Level,
    /// Whether errors about lines are counted, but not returned.
    skip_bad_lines: bool,
    /// The search for records in damaged lines, if that is switched on.
    salvage: Option<Salvage>,
    /// The damaged line that is being searched for records.
    damaged: Option<Framed<H>>,
    range: LineRange,
    /// The offset from which on a line needs a decision: the end of the range,
    /// or 0 while its start is unknown, and within a document.
    stop: u64,
    /// Whether the first line of the range is still to be found.
    is_aligning: bool,
}

impl<H> Framer<H> {
    pub(crate) fn new(settings: &Settings) -> Framer<H> {
        let Settings { limits, skip_noise, salvage, range, .. } = *settings;
        let start = settings.first_position();
        let is_aligning = !range.is_from_the_start();
        let mut state = State::new(limits);
        state.tally = Tally::keeping_raw(settings.keep_raw);
        state.unique_keys = settings.reject_duplicate_keys;
        state.scanner = settings.scanner.unwrap_or(state.scanner);
        let splitter = Splitter::with_limits(limits);
        let splitter = match is_aligning {
            true => splitter.starting_within(start),
            false => splitter.starting_at(start),
        };
        // With salvage, each line is searched for records first.
        let mut gate = Gate::new(limits)
            .starting_at(start)
            .skipping_noise(skip_noise && !salvage);
        gate.skip_documents = settings.skip_documents && !salvage;
        Framer {
            splitter,
            gate,
            state,
            level: match settings.level {
                // What else is prepared does not find duplicate keys.
                Level::Line => Level::Line,
                _ if settings.reject_duplicate_keys => Level::Peek,
                level => level,
            },
            skip_bad_lines: settings.skip_bad_lines,
            salvage: salvage.then(|| Salvage::new(skip_noise)),
            damaged: None,
            range,
            stop: if is_aligning { 0 } else { range.end() },
            is_aligning,
        }
    }

    /// Returns the position of the next line, which may be blank.
    pub(crate) fn position(&self) -> Position {
        self.splitter.position()
    }

    /// Returns the counts of lines, bytes and errors up to `position`.
    pub(crate) fn stats(&self) -> Stats {
        let (lines, next) = (self.splitter.lines(), self.splitter.offset());
        let mut stats = self.gate.stats(lines, next);
        stats.errors = self.state.tally.errors();
        if let Some(salvage) = &self.salvage {
            stats.salvaged = salvage.records;
            stats.lost = salvage.lost;
        }
        stats
    }

    /// Returns how many bytes of the line in progress have been seen. The
    /// source has kept them, unless the line is over the limit.
    pub(crate) fn pending(&self) -> u64 {
        self.splitter.pending()
    }

    /// Returns what there is for the line that was found last.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn limits(&self) -> Limits {
        self.state.limits
    }

    /// Returns how many bytes have been searched for a newline.
    #[cfg(test)]
    pub(crate) fn searched(&self) -> u64 {
        self.splitter.searched
    }

    /// Returns the next line. `None` at the end, and if the source has nothing
    /// more for now.
    ///
    /// If it `may_prepare` the line, it does so as far as that needs no index.
    ///
    /// # Errors
    ///
    /// Returns an error about a line, unless bad lines are skipped, or an
    /// error of the source.
    #[inline]
    pub(crate) fn next<S: Source<Held = H>>(
        &mut self,
        source: &mut S,
        mut may_prepare: bool,
    ) -> Option<Result<Framed<H>, Error>> {
        loop {
            if self.damaged.is_some()
                && let Some(found) = self.next_salvaged(source)
            {
                return Some(found);
            }
            if self.splitter.offset() >= self.stop {
                match self.pass_stop(source) {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(error) => return Some(Err(error)),
                }
            }
            let (unseen, eof) = source.unseen();
            let step = self.step(unseen, eof, may_prepare);
            match step {
                Step::Line { consumed, length, terminator, position } => {
                    let held = source.take(consumed, length, terminator);
                    let terminator = Terminator::of_length(terminator);
                    let line = Framed { held, position, terminator };
                    let bytes = source.bytes(&line.held);
                    let verdict = self.gate.admit(bytes, position);
                    self.set_stop();
                    match verdict {
                        Verdict::Deliver if self.salvage.is_none() => {
                            return Some(Ok(line));
                        }
                        Verdict::Deliver => {
                            if self.check(line.raw(bytes)).is_ok() {
                                return Some(Ok(line));
                            }
                            self.begin_salvage(line, false);
                        }
                        Verdict::Skip => {}
                        Verdict::Refuse(error) => {
                            let raw = line.raw(bytes);
                            let error = self.report(error, raw);
                            self.begin_salvage(line, true);
                            if let Some(error) = error {
                                return Some(Err(error));
                            }
                        }
                    }
                }
                Step::TooLong { consumed, length, position } => {
                    source.discard(consumed);
                    let error = self.gate.too_long(length, position);
                    self.set_stop();
                    self.state.tally.count(error.kind);
                    if !self.skip_bad_lines {
                        return Some(Err(error.into()));
                    }
                }
                Step::NeedMore { consumed, pending } => {
                    match self.refill(source, consumed, pending) {
                        Ok(true) => may_prepare = true,
                        Ok(false) => return None,
                        Err(error) => return Some(Err(error)),
                    }
                }
                Step::End { consumed } => {
                    source.discard(consumed);
                    return None;
                }
            }
        }
    }

    /// Returns the splitter's next step. If all of the line is in `unseen`, it
    /// may be prepared in the same pass.
    ///
    /// A line whose end has not been read yet is left to the splitter, which
    /// resumes its search without starting again.
    #[inline]
    fn step(&mut self, unseen: &[u8], eof: bool, may_prepare: bool) -> Step {
        if may_prepare
            && self.splitter.is_between_lines()
            && unseen.first() == Some(&b'{')
            && let Some(end) = self.state.prepare(self.level, unseen)
            && end < unseen.len()
        {
            return self.splitter.step_to(unseen, end);
        }
        self.state.set_unknown();
        self.splitter.step(unseen, eof)
    }

    #[cold]
    fn refill<S: Source<Held = H>>(
        &mut self,
        source: &mut S,
        consumed: usize,
        pending: usize,
    ) -> Result<bool, Error> {
        let at = self.position();
        let reached = at.byte().saturating_add(self.splitter.pending());
        let reached = Position::new(at.line(), reached);
        let lines = self.splitter.lines();
        let filled = source.refill(consumed, pending, reached, lines);
        filled.inspect_err(|error| {
            if !error.is_recoverable() {
                self.state.tally.count(error.kind());
            }
        })
    }

    /// Within a document, each line needs a decision.
    #[inline]
    fn set_stop(&mut self) {
        let in_document = self.gate.is_in_document();
        self.stop = if in_document { 0 } else { self.range.end() };
    }

    /// Returns whether a document goes on in the range.
    fn is_in_document(&self) -> bool {
        self.gate.is_in_document() && self.splitter.offset() < self.range.end()
    }

    /// Returns whether the next line, if there is one, is after the range.
    pub(crate) fn is_past_range(&self) -> bool {
        self.splitter.offset() >= self.stop
            && !self.is_in_document()
            && !self.is_aligning
            && !self.is_first_line()
            && self.damaged.is_none()
    }

    /// Returns whether a damaged line is being searched for records.
    pub(crate) fn has_damaged(&self) -> bool {
        self.damaged.is_some()
    }

    /// Returns whether the current line is the first of the stream, and in
    /// the range.
    fn is_first_line(&self) -> bool {
        self.range.has_first_line() && self.splitter.lines() == 0
    }

    /// Returns whether the range has a line at the splitter's offset, which
    /// has reached `stop`.
    ///
    /// # Errors
    ///
    /// Returns the error of a source that fails while the first line of the
    /// range is searched.
    #[cold]
    fn pass_stop<S: Source<Held = H>>(
        &mut self,
        source: &mut S,
    ) -> Result<bool, Error> {
        // A BOM has been skipped, and the range ends in it.
        if self.is_first_line() || self.is_in_document() {
            return Ok(true);
        }
        while self.is_aligning {
            let (unseen, eof) = source.unseen();
            let length = unseen.len();
            match self.range.align(unseen, self.splitter.offset()) {
                Aligned::After(skipped) => {
                    source.discard(skipped);
                    self.skip(skipped);
                    self.is_aligning = false;
                    self.stop = self.range.end();
                    return Ok(true);
                }
                Aligned::NotYet if !eof => {
                    self.skip(length);
                    if !self.refill(source, length, 0)? {
                        return Ok(false);
                    }
                }
                Aligned::NotYet | Aligned::Empty => {
                    source.discard(length);
                    self.skip(length);
                    self.is_aligning = false;
                }
            }
        }
        Ok(false)
    }

    /// Skips bytes that belong to a line before the range.
    fn skip(&mut self, count: usize) {
        self.splitter.skip(count);
        self.gate.move_start(self.splitter.offset());
    }

    /// Counts an error about `line`, and returns it unless bad lines are
    /// skipped.
    fn report(&self, error: LineError, line: RawLine<'_>) -> Option<Error> {
        let State { tally, .. } = &self.state;
        match self.skip_bad_lines {
            true => {
                tally.skip(error, line);
                None
            }
            false => Some(tally.report(error, line)),
        }
    }

    /// Checks a whole line, unless it is known to be good.
    fn check(&mut self, line: RawLine<'_>) -> Result<(), LineError> {
        self.state.begin(line);
        Current::new(line.bytes, &self.state).check()
    }

    /// Starts the search of a damaged line, if salvage is on. `is_reported` is
    /// whether an error about the line has been counted already.
    #[cold]
    fn begin_salvage(&mut self, line: Framed<H>, is_reported: bool) {
        if let Some(salvage) = &mut self.salvage {
            salvage.begin(is_reported);
            self.damaged = Some(line);
        }
    }

    /// Returns the next record or error of the damaged line.
    #[cold]
    fn next_salvaged<S: Source<Held = H>>(
        &mut self,
        source: &S,
    ) -> Option<Result<Framed<H>, Error>> {
        loop {
            let damaged = self.damaged.take()?;
            let line = damaged.raw(source.bytes(&damaged.held));
            let salvage = self.salvage.as_mut()?;
            match salvage.next(line, &mut self.state)? {
                Found::Record(part) => {
                    let RawLine { position, terminator, .. } =
                        line.part(part.clone());
                    let held = source.part(&damaged.held, part);
                    self.damaged = Some(damaged);
                    // The search for it prepares nothing.
                    self.state.set_unknown();
                    let line = Framed { held, position, terminator };
                    return Some(Ok(line));
                }
                Found::Lost(error) => {
                    let error = self.report(error, line);
                    self.damaged = Some(damaged);
                    if let Some(error) = error {
                        return Some(Err(error));
                    }
                }
                Found::Noise => {
                    self.gate.count_noise();
                    return None;
                }
            }
        }
    }

    /// Returns the next line to decode.
    ///
    /// If bad lines are skipped, the line has been checked, so decoding it
    /// cannot fail. (Decoding lines until one succeeds would save the check,
    /// but the borrow checker rejects that loop, because a record borrows from
    /// the decoder.)
    #[inline]
    fn next_to_decode<S: Source<Held = H>>(
        &mut self,
        source: &mut S,
    ) -> Option<Result<Framed<H>, Error>> {
        loop {
            // The rest of a document has no records.
            let skips = self.gate.skip_documents;
            self.gate.skip_documents = self.salvage.is_none();
            let next = self.next(source, false);
            self.gate.skip_documents = skips;
            let line = match next? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            // With salvage, every line has been checked.
            if !self.skip_bad_lines || self.salvage.is_some() {
                return Some(Ok(line));
            }
            let raw = line.raw(source.bytes(&line.held));
            match self.check(raw) {
                Ok(()) => return Some(Ok(line)),
                Err(error) => self.state.tally.skip(error, raw),
            }
        }
    }
}
