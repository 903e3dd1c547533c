/*!
Looking at lines without decoding them.
*/

use std::{cell::Cell, fmt};

use bumpalo::Bump;

use crate::{
    error::Error,
    json::{
        Checked, Idle, Index, Origin, Text, TopFault, check, duplicate,
        explain, first_value, precheck,
    },
    limits::Limits,
    lines::{RawLine, Route, Routed, Span, Splitter, Step, route},
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
            Some(scanner) => self.scanner = scanner,
            None => return Err(Error::unsupported(kernel)),
        }
        Ok(())
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

    /// The type and subtype that a line states. `None` if it has no type, or
    /// if there is anything unusual about it: then look at the whole.
    #[inline]
    pub(crate) fn stated_kind<'l>(
        &self,
        line: RawLine<'l>,
    ) -> Option<Kind<'l>> {
        let route = match line.route {
            Some(route) => route,
            None => self.route(line)?,
        };
        let name = string(line.bytes, route.name?)?;
        let subtype = match route.subtype {
            Some(span) => Some(string(line.bytes, span)?),
            None => None,
        };
        Some(Kind::new(Some(name), subtype))
    }

    fn route(&self, line: RawLine<'_>) -> Option<Route> {
        let routed = self.route_first(line.bytes)?;
        (routed.end == line.bytes.len()).then_some(routed.route)
    }

    /// Finds the end of the line that `text` begins with, and its type.
    #[inline]
    fn route_first(&self, text: &[u8]) -> Option<Routed> {
        let routed = route(self.scanner, text, self.limits.depth_cap())?;
        // Others know the rules for longer ones.
        let most = self.limits.line_cap().min(self.limits.max_nodes);
        (routed.end <= most).then_some(routed)
    }

    /// The splitter's next step, and the line's type if it could be found
    /// along with the end.
    ///
    /// A line whose end is not there yet is left to the splitter, which goes
    /// on where it was.
    #[inline]
    pub(crate) fn step(
        &self,
        splitter: &mut Splitter,
        piece: &[u8],
        eof: bool,
    ) -> (Step, Option<Route>) {
        if splitter.is_between_lines()
            && let Some(routed) = self.route_first(piece)
            && routed.end < piece.len()
        {
            return (splitter.step_to(piece, routed.end), Some(routed.route));
        }
        (splitter.step(piece, eof), None)
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
        let max_depth = self.limits.depth_cap();
        let mut index = self.index.take();
        let filled = index.fill(self.scanner, line.bytes, max_depth);
        self.used.set(true);
        let RawLine { position, terminated, .. } = line;
        let origin = Origin { position, terminated, limits: self.limits };
        let text = match filled {
            Ok(()) => {
                let (scanner, arena) = (self.scanner, &self.arena);
                Text::new(utf8, &mut index, scanner, arena, origin)
            }
            Err(_) => Err(TopFault::Grammar),
        };
        self.index.set(index);
        match text {
            Ok(text) => Ok(text),
            Err(TopFault::Grammar) => Err(self.explain(line)),
            Err(TopFault::Duplicate(key, at)) => {
                // If something else is wrong as well, that comes first.
                let RawLine { bytes, position, terminated, .. } = line;
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
        let RawLine { bytes, position, terminated, .. } = line;
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
