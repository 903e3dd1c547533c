use crate::{
    framer::{Framed, Framer, Lend},
    level::Level,
    lines::Terminator,
    scan::newline,
};

/// The fast path, for lines that begin with a brace and are complete in the
/// source.
impl<H> Framer<H> {
    /// Returns the next line, prepared for the level of the reader. The line is
    /// complete in the source, begins with a brace, is within the limit, and
    /// salvage is off. `None` leaves the line to [`next`](Framer::next).
    ///
    /// For a short line, copying the result through memory takes longer than
    /// finding the newline. So this is inlined into the loop of the caller,
    /// where the parts of the line stay in registers.
    #[inline(always)]
    pub(super) fn next_plain<S: Lend<Held = H>>(
        &mut self,
        source: &mut S,
    ) -> Option<Framed<H>> {
        let is_plain = self.salvage.is_none()
            && self.splitter.is_between_lines()
            && self.splitter.offset() < self.stop;
        let (unseen, _) = source.unseen();
        if !is_plain || unseen.first() != Some(&b'{') {
            return None;
        }
        let end = self.find_end(source)?;
        // Borrowed again: `find_end` has used the source.
        let (unseen, _) = source.unseen();
        if end >= unseen.len() {
            return None;
        }
        let (length, terminator, position) =
            self.splitter.step_over(unseen, end)?;
        self.gate.count_length(length);
        let held = source.take(end + 1, length, terminator);
        let terminator = Terminator::of_length(terminator);
        Some(Framed { held, position, terminator })
    }

    /// Finds the end of the next line, and prepares the line in the same pass.
    #[inline(always)]
    fn find_end<S: Lend<Held = H>>(
        &mut self,
        source: &mut S,
    ) -> Option<usize> {
        let (unseen, _) = source.unseen();
        match self.level {
            Level::Line => {
                self.state.set_unknown();
                newline(unseen)
            }
            Level::Kind | Level::Check => {
                self.state.prepare(self.level, unseen)
            }
            Level::Peek | Level::Checked => self.index_ahead(source),
        }
    }

    #[inline(never)]
    fn index_ahead<S: Lend<Held = H>>(
        &mut self,
        source: &mut S,
    ) -> Option<usize> {
        let Framer { state, level, .. } = self;
        let indexed =
            source.read_text(|text| state.prepare_index(*level, text));
        indexed.or_else(|| {
            self.state.set_unknown();
            newline(source.unseen().0)
        })
    }
}
