/*!
What is found out about a line in the pass that finds its end.
*/

use crate::{
    json::{
        Extent, Found, State, Verdict, check, check_and_index, index, route,
    },
    level::Level,
    scan::early_newline,
};

impl State {
    /// Finds the end of the first line of `text`, which begins with a brace, and
    /// prepares the line, if that needs no index. `None` if the line has no
    /// newline, is over a limit, has a fault or is unusual.
    #[inline(always)]
    pub(crate) fn prepare(
        &mut self,
        level: Level,
        text: &[u8],
    ) -> Option<usize> {
        match level {
            Level::Kind => {
                let State { scanner, depth, .. } = *self;
                let line = Extent::first(text);
                let end = route(scanner, line, depth, &mut self.route)?;
                self.set_known(Found::Kind, Verdict::Unknown);
                self.is_short(end).then_some(end)
            }
            Level::Check => {
                let line = Extent::first(self.first_bytes(text));
                let end = check(self.scanner, line, self.depth).ok()?;
                self.set_known(Found::Nothing, Verdict::Good);
                Some(end)
            }
            Level::Line | Level::Peek | Level::Checked => None,
        }
    }

    /// Does the same for a level with an index, and indexes the line. Returns
    /// it without its newline. For a line of one block, two passes are faster.
    pub(crate) fn prepare_index<'t>(
        &mut self,
        level: Level,
        text: &'t [u8],
    ) -> Option<&'t str> {
        if early_newline(text).is_some() {
            return None;
        }
        let (depth, scanner) = (self.depth, self.scanner);
        let line = Extent::first(self.first_bytes(text));
        let (line, verdict) = self.build_ahead(|memory| match level {
            Level::Checked => {
                let (line, is_doubtful) =
                    check_and_index(scanner, line, depth, memory)?;
                (!is_doubtful).then_some((line, Verdict::Good))
            }
            _ => {
                let line = index(scanner, line, depth, memory)?;
                Some((line, Verdict::Unknown))
            }
        })?;
        self.set_known(Found::Index, verdict);
        Some(line)
    }
}
