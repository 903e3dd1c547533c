/*!
Searches one rule in a text, where its literal is.
*/

use std::{ops::Range, sync::OnceLock};

use linetape::Error;
use regex_automata::{
    Anchored, Input,
    meta::{Config, Regex},
    util::{captures::Captures, syntax},
};

use crate::{
    grams::{begins_after_sign, ends_sequence},
    probe::Probe,
    rule::Rule,
    rules::data::is_blob,
};

/// A rule that is searched where its literal stands. To compile all rules takes
/// longer than to redact a short log, so each is compiled when it is needed.
#[derive(Debug)]
pub(super) struct Searched {
    pattern: &'static str,
    /// `None` for the data of images.
    rule: Option<&'static Rule>,
    regex: OnceLock<Option<Regex>>,
    probe: OnceLock<Option<Probe>>,
    pub(super) lead: usize,
    reach: usize,
    is_in_base64: bool,
}

/// How far a match can reach behind its start. Without a limit, texts with
/// very many literals would take quadratic time.
const REACH: usize = 8 << 10;

/// The same for rules whose matches begin before their literal.
const SHORT_REACH: usize = 1 << 10;

/// The same for rules that match texts of several lines.
const LONG_REACH: usize = 64 << 10;

/// The longest lead of rules whose matches are tried at each start.
const SHORT_LEAD: usize = 16;

/// A match of so many bytes ends where its characters end, so a match that
/// begins inside of it ends there, too.
pub(super) const LONG_MATCH: usize = 1 << 10;

/// Data in a URL, and how far it begins before `;base64,`.
const DATA_URL: &str =
    r"(?-u)data:[\w.+/;=-]{0,120};base64,[A-Za-z0-9+/=\s]{16,}";
const DATA_URL_LEAD: usize = 125;

impl Searched {
    pub(super) fn new(rule: &'static Rule) -> Searched {
        let lines = rule.pattern.contains(r"[\s\S]");
        let reach = match rule.lead {
            0 if lines => LONG_REACH,
            0 => REACH,
            // These are short. A search that is not anchored goes on to the
            // end of its range.
            lead => lead + SHORT_REACH,
        };
        Searched {
            pattern: rule.pattern,
            rule: Some(rule),
            regex: OnceLock::new(),
            probe: OnceLock::new(),
            lead: rule.lead,
            reach,
            is_in_base64: rule.is_in_base64(),
        }
    }

    /// Returns the rule for data in a URL.
    pub(super) fn data_url() -> Searched {
        Searched {
            pattern: DATA_URL,
            rule: None,
            regex: OnceLock::new(),
            probe: OnceLock::new(),
            lead: DATA_URL_LEAD,
            reach: usize::MAX,
            is_in_base64: false,
        }
    }

    fn regex(&self) -> Option<&Regex> {
        // A test shows that all of them compile.
        let regex = || compile(&[self.pattern], "").ok();
        self.regex.get_or_init(regex).as_ref()
    }

    /// Returns what is replaced of a match, or `None` if that is not certain.
    pub(super) fn part(
        &self,
        text: &str,
        whole: &Range<usize>,
    ) -> Option<Range<usize>> {
        if whole.len() >= LONG_MATCH || self.is_in_base64 {
            return None;
        }
        let regex = self.regex()?;
        if regex.captures_len() == 1 {
            return Some(whole.clone());
        }
        // What is around the match is not the same as in the automaton.
        let matched = text.get(whole.clone())?;
        let input = Input::new(matched).anchored(Anchored::Yes);
        let mut captures = regex.create_captures();
        regex.search_captures(&input, &mut captures);
        let all = captures.get_group(0).map(|all| all.range());
        let group = replaced(&captures)?;
        (all == Some(0..matched.len()))
            .then(|| group.start + whole.start..group.end + whole.start)
    }

    pub(super) fn probe(&self) -> Option<&Probe> {
        let probe = || self.rule.and_then(Probe::new);
        self.probe.get_or_init(probe).as_ref()
    }

    /// Returns what is replaced of the match with a literal at an offset.
    pub(super) fn find(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let regex = self.regex()?;
        let mut start = at.saturating_sub(self.lead);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        // With a short lead, each start is tried. A search that is not anchored
        // would go on to the end of its range.
        let is_anchored = self.lead <= SHORT_LEAD;
        let anchored = if is_anchored { Anchored::Yes } else { Anchored::No };
        loop {
            // After an escape sequence of a terminal or a percent escape, a
            // word begins although the escape ends with a letter or digit.
            let bytes = text.as_bytes();
            let is_cut = ends_sequence(bytes, at)
                || self.lead == 0 && begins_after_sign(bytes, at);
            let (cut, from) = match is_cut {
                true => (at, start.max(at)),
                false => (0, start),
            };
            let mut end = text.len().min(from.saturating_add(self.reach));
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let part = text.get(cut..)?;
            let input = Input::new(part)
                .range(from - cut..end - cut)
                .anchored(anchored);
            // Most places have no match, and groups cost more to find.
            let Some(whole) = regex.search(&input) else {
                start = from + 1;
                while !text.is_char_boundary(start) {
                    start += 1;
                }
                match is_anchored && start <= at {
                    true => continue,
                    false => return None,
                }
            };
            let whole = whole.start() + cut..whole.end() + cut;
            if whole.start > at {
                return None;
            }
            if whole.end > at {
                let mut found = whole.clone();
                if regex.captures_len() > 1 {
                    let mut captures = regex.create_captures();
                    regex.search_captures(&input, &mut captures);
                    let group = replaced(&captures)?;
                    found = group.start + cut..group.end + cut;
                }
                // Base64 of zeros begins like some tokens.
                let is_chance =
                    self.is_in_base64 && whole.start > 0 && is_blob(text);
                return Some(found).filter(|_| !is_chance);
            }
            start = whole.end.max(start + 1);
        }
    }
}

/// Returns the first group of a match, or else all of it.
pub(super) fn replaced(captures: &Captures) -> Option<Range<usize>> {
    let group = captures.get_group(1).or_else(|| captures.get_group(0))?;
    Some(group.range())
}

pub(super) fn compile<P: AsRef<str>>(
    patterns: &[P],
    name: &str,
) -> Result<Regex, Error> {
    Regex::builder()
        // A dash of `\w` would be a letter in another script.
        .syntax(syntax::Config::new().unicode(true))
        .configure(Config::new().nfa_size_limit(Some(10 << 20)))
        .build_many(patterns)
        .map_err(|error| {
            // The other lines quote the pattern, which could hold a secret.
            let text = match error.syntax_error() {
                Some(error) => error.to_string(),
                None => error.to_string(),
            };
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ");
            Error::invalid_input(format!("rule `{name}`: {reason}"))
        })
}
