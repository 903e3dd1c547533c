/*!
What is found out about a line in the pass that finds its end.
*/

use crate::{
    json::{
        Found, Known, Routed, State, Verdict, check_and_index_first,
        check_first, route,
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
                let Routed { end, route } = self.route_first(text)?;
                self.set_known(Known {
                    found: Found::Kind(route),
                    verdict: Verdict::Unknown,
                });
                Some(end)
            }
            Level::Check => {
                let text = self.first_bytes(text);
                let end = check_first(text, self.depth, self.scanner)?;
                self.set_known(Known {
                    found: Found::Nothing,
                    verdict: Verdict::Good,
                });
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
        let text = self.first_bytes(text);
        let (line, verdict) = self.build_ahead(|index| match level {
            Level::Checked => {
                let line = check_and_index_first(text, depth, scanner, index);
                Some((line?, Verdict::Good))
            }
            _ => {
                let filled = index.fill_first(scanner, text, depth).ok()?;
                Some((filled.validated()?, Verdict::Unknown))
            }
        })?;
        self.set_known(Known { found: Found::Index, verdict });
        Some(line)
    }

    /// Finds the end and the type of the first line of `text`.
    #[inline]
    pub(crate) fn route_first(&self, text: &[u8]) -> Option<Routed> {
        let routed = route(self.scanner, text, self.depth)?;
        self.is_short(routed.end).then_some(routed)
    }
}
