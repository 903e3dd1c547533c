use crate::{
    framer::{Framed, Framer, Lend},
    level::Level,
    lines::Terminator,
    prepared::Prepared,
    scan::{early_newline, newline},
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
        let (end, prepared) = self.find_end(source)?;
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
        Some(Framed { held, position, terminator, prepared })
    }

    /// Finds the end of the next line, and prepares the line in the same pass.
    #[inline(always)]
    fn find_end<S: Lend<Held = H>>(
        &mut self,
        source: &mut S,
    ) -> Option<(usize, Prepared<()>)> {
        let (unseen, _) = source.unseen();
        let is_indexed = matches!(self.level, Level::Peek | Level::Checked);
        // For a line of one block, two passes are faster.
        if is_indexed && let Some(end) = early_newline(unseen) {
            return Some((end, Prepared::Nothing));
        }
        let peeker = self.decoder.peeker_mut();
        Some(match self.level {
            Level::Line => (newline(unseen)?, Prepared::Nothing),
            Level::Kind => {
                let routed = peeker.route_first(unseen)?;
                (routed.end, Prepared::Kind(routed.route))
            }
            Level::Check => (peeker.check_first(unseen)?, Prepared::Check),
            Level::Peek => {
                let end = source.read_text(|text| peeker.index_first(text));
                (end?, Prepared::Peek(()))
            }
            Level::Checked => {
                let end =
                    source.read_text(|t| peeker.check_and_index_first(t));
                (end?, Prepared::Checked(()))
            }
        })
    }
}
