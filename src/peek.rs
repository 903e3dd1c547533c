/*!
Looking at lines without decoding them.
*/

use std::{cell::Cell, fmt};

use bumpalo::Bump;

use crate::{
    error::Error,
    idle::Idle,
    json::{
        Checked, Index, Origin, Route, Routed, Span, Text, TopFault, check,
        duplicate, explain, first_value, precheck, route,
    },
    limits::Limits,
    lines::RawLine,
    message::Kind,
    scan::{Kernel, Scanner},
};

/// Looks at lines, and keeps the memory for the next.
pub(crate) struct Peeker {
    limits: Limits,
    scanner: Scanner,
    /// What the line at hand needs: its index, and strings that had to be
    /// unescaped.
    arena: Bump,
    /// Whether there may be something in the arena.
    used: Cell<bool>,
    /// Where indexes are made. A copy of the right size goes to the arena.
    index: Cell<Index>,
    idle: Idle,
}

impl Peeker {
    pub(crate) fn new(limits: Limits) -> Peeker {
        Peeker {
            limits,
            scanner: Scanner::best(),
            arena: Bump::new(),
            used: Cell::new(false),
            index: Cell::new(Index::default()),
            idle: Idle::default(),
        }
    }

    /// Scans with the given kernel from now on.
    pub(crate) fn set_kernel(&mut self, kernel: Kernel) -> Result<(), Error> {
        match Scanner::new(kernel) {
            Some(scanner) => self.set_scanner(scanner),
            None => return Err(Error::unsupported(kernel)),
        }
        Ok(())
    }

    pub(crate) fn set_scanner(&mut self, scanner: Scanner) {
        self.scanner = scanner;
    }

    /// Forgets what the last line needed. The next has `line` bytes.
    #[inline]
    pub(crate) fn recycle(&mut self, line: usize) {
        if self.used.get() {
            self.reset(line);
        }
    }

    fn reset(&mut self, line: usize) {
        self.used.set(false);
        self.arena.reset();
        let index = self.index.get_mut();
        let taken = self.arena.allocated_bytes() + index.capacity();
        if self.idle.is_over(taken, line) {
            self.arena = Bump::new();
            *index = Index::default();
        }
    }

    /// The type and subtype that a line states, given its route if that is
    /// known. `None` if the line has no type, or if it needs the rules that
    /// [`text`](Peeker::text) has and [`route`] has not.
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

    /// Finds the end of the line that `text` begins with, and its type.
    #[inline]
    pub(crate) fn route_first(&self, text: &[u8]) -> Option<Routed> {
        let routed = route(self.scanner, text, self.limits.depth_cap())?;
        self.can_route(routed.end).then_some(routed)
    }

    /// Whether a line of so many bytes is within the limits that `route` does
    /// not look at. A longer line goes through `precheck`.
    #[inline]
    fn can_route(&self, length: usize) -> bool {
        length <= self.limits.line_cap().min(self.limits.max_nodes)
    }

    /// Whether a route that was found with a limit of `depth` levels, in a
    /// line of `length` bytes, is one that this peeker would find.
    pub(crate) fn trusts_route(&self, length: usize, depth: usize) -> bool {
        depth <= self.limits.depth_cap() && self.can_route(length)
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Makes an index of a line, and checks what has to be right to look at
    /// it.
    pub(crate) fn text<'l>(
        &'l self,
        line: RawLine<'l>,
    ) -> Result<&'l Text<'l>, Error> {
        precheck(line.bytes, line.position, self.limits)?;
        let Ok(utf8) = simdutf8::basic::from_utf8(line.bytes) else {
            return Err(self.explain(line));
        };
        self.used.set(true);
        let RawLine { position, terminated, .. } = line;
        let origin = Origin { position, terminated, limits: self.limits };
        let (scanner, arena) = (self.scanner, &self.arena);
        let text = Text::new(utf8, &self.index, scanner, arena, origin);
        match text {
            Ok(text) => Ok(text),
            Err(TopFault::Grammar) => Err(self.explain(line)),
            Err(TopFault::Duplicate(key, at)) => {
                // If something else is wrong as well, that comes first.
                let RawLine { bytes, position, terminated } = line;
                let error = explain(bytes, position, terminated, self.limits);
                let twice = || duplicate(key, at, position);
                Err(error.unwrap_or_else(twice))
            }
        }
    }

    /// Checks all of a line.
    pub(crate) fn check(&self, line: RawLine<'_>) -> Result<(), Error> {
        precheck(line.bytes, line.position, self.limits)?;
        let depth = self.limits.depth_cap();
        match check(line.bytes, depth, self.scanner) {
            Checked::Good => Ok(()),
            Checked::Bad => Err(self.explain(line)),
            // To look at the line tells which keys it has.
            Checked::Doubtful => self.text(line).map(|_| ()),
        }
    }

    /// How far the object that `text` begins with goes: the end of it, or how
    /// much of it there is before its first fault.
    pub(crate) fn first_object(&self, text: &[u8]) -> Result<usize, usize> {
        first_value(text, self.limits.depth_cap())
    }

    /// What is wrong with a line that cannot be read.
    #[cold]
    fn explain(&self, line: RawLine<'_>) -> Error {
        let RawLine { bytes, position, terminated } = line;
        let error = explain(bytes, position, terminated, self.limits);
        debug_assert!(error.is_some(), "nothing is wrong with {line:?}");
        error.unwrap_or_else(|| Error::syntax(position, "invalid value"))
    }
}

/// A part of a line, as text.
#[inline]
fn string(line: &[u8], span: Span) -> Option<&str> {
    let bytes = line.get(span.start as usize..span.end as usize)?;
    std::str::from_utf8(bytes).ok()
}

impl fmt::Debug for Peeker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peeker")
            .field("scanner", &self.scanner)
            .finish_non_exhaustive()
    }
}
