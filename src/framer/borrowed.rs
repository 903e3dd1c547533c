use crate::{
    error::Error,
    framer::{Framed, Framer, Lend},
    json::Found,
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
        let found = match self.next_plain(source) {
            Some(found) => found,
            None => match self.next_other(source)? {
                Ok(found) => found,
                Err(error) => return Some(Err(error)),
            },
        };
        Some(Ok(self.line(source, &found)))
    }

    /// Returns the next line on the general path, which is not inlined.
    #[inline(never)]
    fn next_other<S: Lend<Held = H>>(
        &mut self,
        source: &mut S,
    ) -> Option<Result<Framed<H>, Error>> {
        self.next(source, false)
    }

    #[inline]
    pub(crate) fn next_where<'a, S: Lend<Held = H>>(
        &'a mut self,
        source: &'a mut S,
        mut wanted: impl FnMut(&Line<'_>) -> bool,
    ) -> Option<Result<Line<'a>, Error>> {
        loop {
            match self.next(source, true)? {
                Ok(found) => {
                    if wanted(&self.line(source, &found)) {
                        let line = self.line(source, &found);
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
            Ok(found) => self.line(source, &found).decode(),
            Err(error) => Err(error),
        })
    }

    #[inline(always)]
    fn line<'a, S: Lend<Held = H>>(
        &'a mut self,
        source: &'a S,
        found: &Framed<H>,
    ) -> Line<'a> {
        let raw = found.raw(source.lend(&found.held));
        self.state.begin(raw);
        let text = match self.state.found() {
            Found::Index => source.text(&found.held),
            _ => None,
        };
        match text {
            Some(text) => Line::indexed(text, &self.state),
            None => Line::new(raw.bytes, &self.state),
        }
    }
}
