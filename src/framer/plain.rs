use crate::{
    framer::{Framed, Framer, Lend},
    habit::Use,
    lines::Terminator,
    scan::{early_newline, newline},
};

/// The fast path, for lines that begin with a brace and are complete in the
/// source.
impl<H> Framer<H> {
    /// Returns the next line, and the use that it has been prepared for. The
    /// line is complete in the source, begins with a brace, is within the
    /// limit, and salvage is off. `None` leaves the line to
    /// [`next`](Framer::next).
    ///
    /// For a short line, copying the result through memory takes longer than
    /// finding the newline. So this is inlined into the loop of the caller,
    /// where the parts of the line stay in registers.
    #[inline(always)]
    pub(super) fn next_plain<S: Lend<Held = H>>(
        &mut self,
        source: &mut S,
    ) -> Option<(Framed<H>, Use)> {
        let expected = match self.routing {
            true => Use::Other,
            false => self.decoder.peeker_mut().begin_line(),
        };
        let is_plain = self.salvage.is_none()
            && self.splitter.is_between_lines()
            && self.splitter.offset() < self.stop;
        let (unseen, _) = source.unseen();
        if !is_plain || unseen.first() != Some(&b'{') {
            return None;
        }
        let (end, route, used) = match self.routing {
            true => {
                let routed = self.decoder.peeker().route_first(unseen)?;
                (routed.end, Some(routed.route), Use::Other)
            }
            false => {
                let (end, used) = self.find_end(source, expected)?;
                (end, None, used)
            }
        };
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
        Some((Framed { held, position, terminator, route }, used))
    }

    /// Finds the end of the next line, and prepares the line for its expected
    /// use in the same pass.
    #[inline(always)]
    fn find_end<S: Lend<Held = H>>(
        &mut self,
        source: &mut S,
        expected: Use,
    ) -> Option<(usize, Use)> {
        let peeker = self.decoder.peeker_mut();
        let (unseen, _) = source.unseen();
        let used = match expected {
            // For a line of one block, two passes are faster.
            Use::Peek | Use::Checked if early_newline(unseen).is_some() => {
                Use::Other
            }
            used => used,
        };
        let end = match used {
            Use::Other => return Some((newline(unseen)?, used)),
            Use::Check => peeker.check_first(unseen),
            Use::Peek => source.read_text(|text| peeker.index_first(text)),
            Use::Checked => {
                source.read_text(|text| peeker.check_and_index_first(text))
            }
        };
        peeker.attempted(end.is_some());
        Some((end?, used))
    }
}
