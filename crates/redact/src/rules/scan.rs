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
    /// Where the last long run of characters of tokens is.
    run: Range<usize>,
    /// From where the end of a private key was searched, and where it is.
    key: Option<(usize, Option<Range<usize>>)>,
    /// From where the end of a command was searched, and where it is.
    command: Range<usize>,
    /// From where an option with a password was searched, and where it is.
    login: Option<(usize, Option<Login>)>,
}

/// An option with a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) start: usize,
    pub(super) password: Range<usize>,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Scan<'t> {
        let budget = text.len().saturating_mul(4);
        Scan {
            text,
            is_blob: None,
            budget,
            run: 0..0,
            key: None,
            command: 0..0,
            login: None,
        }
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

    /// Returns where the command ends that an offset is in.
    pub(super) fn command_end(&mut self, from: usize) -> usize {
        if !self.command.contains(&from) {
            self.command = from..command_end(self.text.as_bytes(), from);
        }
        self.command.end
    }

    /// Returns the next option with a password, which `search` finds from an
    /// offset on. Many commands can be before one option.
    pub(super) fn login(
        &mut self,
        from: usize,
        search: impl FnOnce(usize) -> Option<Login>,
    ) -> Option<Login> {
        let known = self.login.take().filter(|(start, login)| {
            *start <= from && login.as_ref().is_none_or(|l| l.start >= from)
        });
        let (_, login) =
            self.login.insert(known.unwrap_or_else(|| (from, search(from))));
        login.clone()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// From each of many commands on, the text was searched again.
    #[test]
    fn a_text_is_searched_once_for_the_options_of_its_commands() {
        const OPTION: &str = " -u";
        let commands = "curl é ".repeat(1_000);
        // Each part of a text that ends with an option is searched once.
        for (text, expected) in [
            (commands.clone(), 1),
            (format!("{commands}{OPTION}"), 1),
            (format!("{commands}{OPTION} {commands}"), 2),
            (format!("{commands}{OPTION} ").repeat(3), 3),
        ] {
            let mut scan = Scan::new(&text);
            let mut count = 0;
            for (at, _) in text.match_indices("curl") {
                let next = |from: usize| {
                    let start = from + text.get(from..)?.find(OPTION)?;
                    let end = start + OPTION.len();
                    Some(Login { start, password: end..end })
                };
                let found = scan.login(at, |from| {
                    count += 1;
                    next(from)
                });
                assert_eq!(found, next(at));
                assert_eq!(scan.command_end(at), text.len());
            }
            assert_eq!(count, expected);
        }
    }
}
