use std::{cell::Cell, fmt};

use bumpalo::Bump;

use crate::{
    error::Position,
    idle::{Idle, LARGE},
    json::{Index, Indexes, Parser, Route},
    limits::Limits,
    lines::{RawLine, Tally, Terminator},
    scan::Scanner,
};

/// What a reader has for its current line: its memory, and what is known about
/// the line.
///
/// A [`Source`](crate::json::Source) is the line itself: its bytes, and a
/// reference to this. Lines are returned often, and read seldom; so what most of
/// them do not need is here, and not in the line.
pub(crate) struct State {
    pub(crate) limits: Limits,
    /// The maximum nesting depth.
    pub(crate) depth: usize,
    /// The length of the longest line that is within `max_line`, and too short
    /// to exceed `max_nodes`.
    longest: usize,
    /// Whether a duplicate of any key is an error.
    pub(crate) unique_keys: bool,
    pub(crate) scanner: Scanner,
    /// The position of the current line.
    pub(crate) position: Position,
    pub(crate) terminator: Terminator,
    found: Cell<Found>,
    verdict: Cell<Verdict>,
    /// The kind of the current line, if it is `Found::Kind`.
    pub(crate) route: Route,
    /// The unescaped strings of the current line, and what its values share.
    arena: Bump,
    /// Whether the arena or the index of the line may be in use, or large.
    used: Cell<bool>,
    /// The index of the current line, and the memory for others.
    indexes: Indexes,
    pub(crate) parser: Parser,
    /// Counts bad lines.
    pub(crate) tally: Tally,
    idle: Idle,
}

/// What is known about a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub(crate) found: Found,
    pub(crate) verdict: Verdict,
    pub(crate) route: Route,
}

/// What has been found in a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Found {
    #[default]
    Nothing,
    /// Its type and subtype, which are in the route of the state.
    Kind,
    /// Its strings and brackets, which are in the index of the state.
    Index,
}

impl Known {
    /// Returns what can be used with another state: it has no index of the line,
    /// and may have limits under which a bad line is good.
    pub(crate) fn portable(self) -> Known {
        let found = match self.found {
            Found::Index => Found::Nothing,
            found => found,
        };
        let verdict = match self.verdict {
            Verdict::Bad => Verdict::Unknown,
            verdict => verdict,
        };
        Known { found, verdict, ..self }
    }
}

/// The result of the full check of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The line has not been checked.
    #[default]
    Unknown,
    /// The line has passed.
    Good,
    /// The line has failed, or a fault has been found in it.
    Bad,
}

impl State {
    pub(crate) fn new(limits: Limits) -> State {
        State {
            limits,
            depth: limits.depth_cap(),
            longest: limits.line_cap().min(limits.max_nodes),
            unique_keys: false,
            scanner: Scanner::best(),
            position: Position::START,
            terminator: Terminator::Lf,
            found: Cell::default(),
            verdict: Cell::default(),
            route: Route::default(),
            arena: Bump::new(),
            used: Cell::new(false),
            indexes: Indexes::default(),
            parser: Parser::new(limits),
            tally: Tally::default(),
            idle: Idle::default(),
        }
    }

    /// Sets what is known of the next line.
    #[inline(always)]
    pub(crate) fn set_known(&mut self, found: Found, verdict: Verdict) {
        self.found.set(found);
        self.verdict.set(verdict);
    }

    /// Sets that nothing is known of the next line.
    #[inline(always)]
    pub(crate) fn set_unknown(&mut self) {
        self.set_known(Found::Nothing, Verdict::Unknown);
    }

    /// Sets what another state knows of the next line.
    pub(crate) fn inherit(&mut self, known: Known) {
        self.route = known.route;
        self.set_known(known.found, known.verdict);
    }

    /// Begins a line, after [`set_known`](State::set_known). Resets the memory
    /// of the previous line.
    #[inline(always)]
    pub(crate) fn begin(&mut self, line: RawLine<'_>) {
        if self.used.get() {
            self.reset(line.bytes.len());
        }
        self.position = line.position;
        self.terminator = line.terminator;
    }

    /// Begins a line of which nothing is known.
    pub(crate) fn begin_new(&mut self, line: RawLine<'_>) {
        self.set_unknown();
        self.begin(line);
    }

    /// Resets the memory of the previous line. An index that was built ahead
    /// for the next line, which has `length` bytes, stays.
    #[inline(never)]
    fn reset(&mut self, length: usize) {
        let has_index = matches!(self.found.get(), Found::Index);
        self.used.set(has_index);
        self.arena.reset();
        self.parser.recycle();
        if !has_index {
            self.indexes.recycle();
        }
        let taken = self.arena.allocated_bytes()
            + self.indexes.capacity()
            + self.parser.capacity();
        if self.idle.is_over(taken, length) {
            self.arena = Bump::new();
            self.indexes.release();
            self.parser.release();
        } else if taken > LARGE {
            // To be released after this line, even if the line does not use
            // it.
            self.used.set(true);
        }
    }

    /// Builds the index of the next line with `fill`, in the search for the
    /// end of that line.
    pub(crate) fn build_ahead<T>(
        &mut self,
        fill: impl FnOnce(&mut Index) -> Option<T>,
    ) -> Option<T> {
        self.used.set(true);
        self.indexes.recycle();
        self.indexes.build(fill)
    }

    /// Returns the memory for indexes.
    #[inline]
    pub(crate) fn indexes(&self) -> &Indexes {
        self.used.set(true);
        &self.indexes
    }

    /// Returns the memory for what lives as long as the line.
    #[inline]
    pub(crate) fn arena(&self) -> &Bump {
        self.used.set(true);
        &self.arena
    }

    /// Returns what is known about the current line.
    pub(crate) fn known(&self) -> Known {
        let (found, verdict) = (self.found.get(), self.verdict.get());
        Known { found, verdict, route: self.route }
    }

    #[inline(always)]
    pub(crate) fn found(&self) -> Found {
        self.found.get()
    }

    /// Records that the index of the current line has been built.
    pub(crate) fn set_indexed(&self) {
        self.found.set(Found::Index);
    }

    #[inline(always)]
    pub(crate) fn verdict(&self) -> Verdict {
        self.verdict.get()
    }

    #[inline(always)]
    pub(crate) fn set_verdict(&self, verdict: Verdict) {
        self.verdict.set(verdict);
    }

    /// Returns whether a line of `length` bytes is within `max_line`, and too
    /// short to exceed `max_nodes`. The passes over a line check neither limit,
    /// so other lines need [`precheck`](crate::json::precheck).
    #[inline(always)]
    pub(crate) fn is_short(&self, length: usize) -> bool {
        length <= self.longest
    }

    /// Returns the start of `text`, as much of it as such a line can have, and
    /// its newline.
    #[inline(always)]
    pub(crate) fn first_bytes<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        text.get(..=self.longest).unwrap_or(text)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("position", &self.position)
            .field("found", &self.found.get())
            .field("verdict", &self.verdict.get())
            .finish_non_exhaustive()
    }
}
