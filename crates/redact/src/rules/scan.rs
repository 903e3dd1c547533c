/*!
What is known of a text while it is searched.

Matches have no longest length, and a text can have very many literals. Without
this, such a text would take quadratic time.
*/

use std::ops::Range;

use crate::{
    rules::data::is_blob,
    tail::{command_end, is_token},
};

/// The search of one text.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    text: &'t str,
    /// Whether the whole text is base64, once that was asked.
    is_blob: Option<bool>,
    /// How many bytes may be searched beyond the reach of rules.
    budget: usize,
    /// The same for commands, whose options can be far behind their name.
    command_budget: usize,
    /// Where the last long run of characters of tokens is.
    run: Range<usize>,
    /// From where the end of a private key was searched, and where it is.
    key: Option<(usize, Option<Range<usize>>)>,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Scan<'t> {
        let budget = text.len().saturating_mul(4);
        let command_budget = budget;
        let run = 0..0;
        Scan { text, is_blob: None, budget, command_budget, run, key: None }
    }

    /// Returns whether the whole text is base64.
    pub(super) fn is_blob(&mut self) -> bool {
        *self.is_blob.get_or_insert_with(|| is_blob(self.text))
    }

    /// Returns the end of the characters of tokens that begin at an offset.
    pub(super) fn run_end(&mut self, at: usize) -> usize {
        if !self.run.contains(&at) {
            let rest =
                self.text.as_bytes().get(at..).unwrap_or_default().iter();
            self.run = at..at + rest.take_while(|b| is_token(**b)).count();
        }
        self.run.end
    }

    /// Returns whether so many bytes may be searched.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        let rest = self.budget.checked_sub(bytes);
        self.budget = rest.unwrap_or(0);
        rest.is_some()
    }

    /// Returns where the command ends that begins at an offset, if it is longer
    /// than what was searched, and so many bytes may be searched.
    pub(super) fn command_end(
        &mut self,
        from: usize,
        searched: usize,
    ) -> Option<usize> {
        if self.command_budget == 0 {
            return None;
        }
        let end = command_end(self.text.as_bytes(), from);
        if end <= searched {
            return None;
        }
        let rest = self.command_budget.checked_sub(end - from);
        self.command_budget = rest.unwrap_or(0);
        rest.map(|_| end)
    }

    /// Returns where the next line ends that ends a private key.
    pub(super) fn key_end(&mut self, from: usize) -> Option<usize> {
        let known = self.key.take().filter(|(start, line)| {
            *start <= from && line.as_ref().is_none_or(|l| l.start >= from)
        });
        let key = known
            .unwrap_or_else(|| (from, key_end(self.text.as_bytes(), from)));
        let end = key.1.as_ref().map(|line| line.end);
        self.key = Some(key);
        end
    }
}

/// Returns where the next line is that ends a private key, and at most what can
/// belong to it.
fn key_end(text: &[u8], mut from: usize) -> Option<Range<usize>> {
    const DASHES: &[u8] = b"-----";
    const LONGEST: usize = 100 + DASHES.len();
    loop {
        let rest = text.get(from..)?;
        let start = from + memchr::memmem::find(rest, DASHES)?;
        from = start + 1;
        let name = text.get(start + DASHES.len()..)?;
        let (end, name) = name.split_at_checked(3)?;
        let is_part =
            |b: &&u8| b.is_ascii_alphanumeric() || b" _-".contains(b);
        let count = name.iter().take(LONGEST).take_while(is_part).count();
        let name = name.get(..count)?;
        if end.eq_ignore_ascii_case(b"END")
            && memchr::memmem::find(name, DASHES).is_some()
        {
            return Some(start..start + DASHES.len() + end.len() + count);
        }
    }
}
