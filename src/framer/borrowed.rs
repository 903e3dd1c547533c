use crate::{
    error::Error,
    framer::{Framed, Framer, Lend},
    habit::Use,
    line::Line,
    record::Record,
};

/// Methods for sources whose lines are borrowed.
impl<H> Framer<H> {
    #[inline(always)]
    pub(crate) fn next_line<'a, S: Lend<Held = H>>(
        &'a mut self,
        source: &'a mut S,
    ) -> Option<Result<Line<'a>, Error>> {
        let (found, used) = match self.next_plain(source) {
            Some(found) => found,
            None => match self.next_other(source)? {
                Ok(found) => (found, Use::Other),
                Err(error) => return Some(Err(error)),
            },
        };
        Some(Ok(self.line(source, &found, used)))
    }

    /// Returns the next line on the general path, which is not inlined.
    #[inline(never)]
    fn next_other<S: Lend<Held = H>>(
        &mut self,
        source: &mut S,
    ) -> Option<Result<Framed<H>, Error>> {
        self.next(source)
    }

    #[inline]
    pub(crate) fn next_where<'a, S: Lend<Held = H>>(
        &'a mut self,
        source: &'a mut S,
        mut wanted: impl FnMut(&Line<'_>) -> bool,
    ) -> Option<Result<Line<'a>, Error>> {
        loop {
            match self.next(source)? {
                Ok(found) => {
                    if wanted(&self.line(source, &found, Use::Other)) {
                        let line = self.line(source, &found, Use::Other);
                        return Some(Ok(line));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    pub(crate) fn next_record<'a, S: Lend<Held = H>>(
        &'a mut self,
        source: &'a mut S,
    ) -> Option<Result<Record<'a>, Error>> {
        Some(match self.next_to_decode(source)? {
            Ok(found) => self.decode(source, &found),
            Err(error) => Err(error),
        })
    }

    /// Returns a line that has been prepared for a use.
    #[inline(always)]
    fn line<'a, S: Lend<Held = H>>(
        &'a mut self,
        source: &'a S,
        found: &Framed<H>,
        used: Use,
    ) -> Line<'a> {
        let raw = found.raw(source.lend(&found.held));
        let indexed = match used {
            Use::Peek | Use::Checked => source.text(&found.held),
            Use::Check | Use::Other => None,
        };
        let is_checked = matches!(used, Use::Check | Use::Checked);
        let decoder = &mut self.decoder;
        Line::prepared(raw, found.route, indexed, is_checked, decoder)
    }

    fn decode<'a, S: Lend<Held = H>>(
        &'a mut self,
        source: &'a S,
        found: &Framed<H>,
    ) -> Result<Record<'a>, Error> {
        let raw = found.raw(source.lend(&found.held));
        self.decoder.decode_raw(raw)
    }
}
