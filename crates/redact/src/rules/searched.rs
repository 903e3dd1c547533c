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
    assigned,
    builtin::LOGIN,
    error::invalid,
    grams::{begins_apart, is_in_word},
    key_lines::has_run,
    probe::{Probe, REACH, Seen, reach},
    rule::Rule,
    rules::scan::{Login, Scan},
    unescape::{to_escaped, unescape},
};

/// A rule that is searched where its literal stands. To compile all rules takes
/// longer than to redact a short log, so each is compiled when it is needed.
#[derive(Debug)]
pub(super) struct Searched {
    pattern: &'static str,
    /// `None` for data of images.
    rule: Option<&'static Rule>,
    regex: OnceLock<Option<Regex>>,
    probe: OnceLock<Option<Probe>>,
    pub(super) lead: usize,
    reach: usize,
    is_in_base64: bool,
}

/// How far a match can reach behind its start, for rules whose matches begin
/// before their literal. For others, it is where a [`Scan`] begins to count.
const SHORT_REACH: usize = 1 << 10;

/// How much longer it takes to find what a name is assigned than to find a token.
const SLOW: usize = 16;

/// The longest lead of rules whose matches are tried at each start.
const SHORT_LEAD: usize = 40;

/// A match of so many bytes ends where its characters end, so a match that
/// begins inside of it ends there, too.
pub(super) const LONG_MATCH: usize = 1 << 10;

/// Data in a URL, and how far it begins before `;base64,`.
const DATA_URL: &str =
    r"(?-u)data:[\w.+/;=-]{0,120};base64,[A-Za-z0-9+/=\s]{16,}";
const DATA_URL_LEAD: usize = 125;

/// The first characters of base64 of images and documents: PNG, JPEG, GIF, WebP
/// and PDF.
pub(super) const MAGIC: [&str; 5] =
    ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0"];
const IMAGE: &str = concat!(
    r"(?-u)\b{start-half}(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0)",
    // Lines are long, and only the last one can be short: words are no data.
    r"[A-Za-z0-9+/]{32,}(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/]{40,})*",
    r"(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/]{1,39}={1,2}|={0,2})"
);

impl Searched {
    pub(super) fn new(rule: &'static Rule) -> Searched {
        let reach = match rule.lead {
            0 => reach(rule),
            // These are short. A search that is not anchored goes on to the
            // end of its range.
            lead => lead + SHORT_REACH,
        };
        Searched {
            pattern: match rule.is_command() {
                true => LOGIN,
                false => rule.pattern,
            },
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
        Searched::data(DATA_URL, DATA_URL_LEAD)
    }

    /// Returns the rule for images, which are known by their first bytes.
    pub(super) fn image() -> Searched {
        Searched::data(IMAGE, 0)
    }

    fn data(pattern: &'static str, lead: usize) -> Searched {
        Searched {
            pattern,
            rule: None,
            regex: OnceLock::new(),
            probe: OnceLock::new(),
            lead,
            reach: usize::MAX,
            is_in_base64: false,
        }
    }

    fn regex(&self) -> Option<&Regex> {
        // A test shows that all of them compile.
        let regex = || compile(&[self.pattern], "").ok();
        self.regex.get_or_init(regex).as_ref()
    }

    /// Returns whether some matches of the rule are kept.
    pub(super) fn is_judged(&self) -> bool {
        self.rule.is_some_and(Rule::is_judged)
    }

    /// Returns what a match is, in a string as it is written, of a rule of which
    /// some matches are kept. What is around the match counts, and it may have
    /// escapes, as the match may.
    pub(super) fn judged(&self, text: &str, whole: &Range<usize>) -> Seen {
        /// So many bytes before a match decide, whatever is before them.
        const ENOUGH: usize = 2 * assigned::BEFORE + 2;
        /// How many bytes after a match are looked at, at most.
        const AFTER: usize = 8;
        let judge = || {
            let rule = self.rule.filter(|rule| rule.is_judged())?;
            let first = whole.start.saturating_sub(3 * assigned::BEFORE);
            let before = text.as_bytes().get(first..whole.start)?;
            // What is before an escaped backslash does not count.
            let escapes = memchr::memmem::rfind(before, br"\\");
            let cut = escapes.map_or(0, |at| at + 2);
            let mut first = first + cut;
            while !text.is_char_boundary(first) {
                first += 1;
            }
            let is_blank = |b: &u8| {
                b" \t-+>#*_.".contains(b) || b.is_ascii_alphanumeric()
            };
            let near = text.as_bytes().get(first..whole.start)?;
            // Whether a line begins before the name is not known.
            let is_open =
                first > 0 && near.len() < ENOUGH && near.iter().all(is_blank);
            let after = text.as_bytes().get(whole.end..)?;
            if after.starts_with(br"\\") {
                return None;
            }
            let mut last = text.len().min(whole.end + AFTER);
            while !text.is_char_boundary(last) {
                last -= 1;
            }
            let written = text.get(first..last)?;
            let (mut before, mut read) = (String::new(), String::new());
            unescape(text.get(first..whole.start)?, &mut before);
            let start = before.len();
            unescape(written, &mut read);
            let regex = self.regex()?;
            let input =
                Input::new(&read).range(start..).anchored(Anchored::Yes);
            let mut captures = regex.create_captures();
            regex.search_captures(&input, &mut captures);
            let all = captures.get_group(0)?.range();
            let part = first_group(&captures)?;
            let mut is_kept = rule.keeps(&read, all.clone(), part.clone());
            if is_open {
                // As at the start of the text, a line may begin before it; or
                // it goes on, with a letter or another sign.
                is_kept &= ["x", "\"", "$"].iter().all(|sign| {
                    let behind = |range: &Range<usize>| {
                        range.start + sign.len()..range.end + sign.len()
                    };
                    let text = format!("{sign}{read}");
                    rule.keeps(&text, behind(&all), behind(&part))
                });
            }
            match (is_kept, is_open) {
                (true, _) => return Some(Seen::Nothing),
                (false, true) => return None,
                (false, false) => {}
            }
            let mut parts = [part];
            to_escaped(written, &mut parts);
            let [part] = parts;
            let part = first + part.start..first + part.end;
            let secret = text.get(part.clone())?;
            // Its pseudonym is that of the secret as it reads.
            let has_escape = secret.contains('\\');
            (part.end < last && !has_escape && part.len() < LONG_MATCH
                || part.end == text.len() && !has_escape)
                .then_some(Seen::Match(part))
        };
        judge().unwrap_or(Seen::Unsure)
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
        let group = first_group(&captures)?;
        (all == Some(0..matched.len()))
            .then(|| group.start + whole.start..group.end + whole.start)
    }

    /// Returns `None` for commands: of many, each would be read up to an option
    /// far behind them.
    pub(super) fn probe(&self) -> Option<&Probe> {
        let rule = self.rule.filter(|rule| !rule.is_command());
        let probe = || rule.and_then(Probe::new);
        self.probe.get_or_init(probe).as_ref()
    }

    /// Returns what is replaced of the match with a literal at an offset.
    pub(super) fn find(
        &self,
        text: &str,
        at: usize,
        scan: &mut Scan<'_>,
    ) -> Option<Range<usize>> {
        if self.rule.is_some_and(Rule::is_private_key) {
            return self.find_key(text, at, scan);
        }
        if self.rule.is_some_and(Rule::is_command) {
            return self.find_login(text, at, scan);
        }
        // With a short lead, each start is tried. A search that is not anchored
        // would go on to the end of its range.
        let is_anchored = self.lead <= SHORT_LEAD;
        let mut start = at.saturating_sub(self.lead);
        while start <= at {
            if !text.is_char_boundary(start) {
                start += 1;
                continue;
            }
            // After an escape, a word begins although the escape ends with a
            // letter or digit.
            let is_cut = is_anchored && begins_apart(text.as_bytes(), start);
            let cut = if is_cut { start } else { 0 };
            let (whole, found) = match self.search(text, cut, start, scan) {
                Search::Found(whole, found) => (whole, found),
                Search::Unknown(end) => return Some(at..end),
                Search::Nothing if is_anchored => {
                    start += 1;
                    continue;
                }
                Search::Nothing => return None,
            };
            if whole.start > at {
                return None;
            }
            if whole.end > at {
                let keeps = |rule: &Rule| {
                    rule.keeps(text, whole.clone(), found.clone())
                };
                if self.rule.is_some_and(keeps) {
                    return None;
                }
                // Base64 of zeros begins like some tokens.
                let is_chance =
                    self.is_in_base64 && whole.start > 0 && scan.is_blob();
                return Some(found).filter(|_| !is_chance);
            }
            start = whole.end.max(start + 1);
        }
        None
    }

    /// Searches a text from an offset on. What is before `cut` is not seen.
    fn search(
        &self,
        text: &str,
        cut: usize,
        from: usize,
        scan: &mut Scan<'_>,
    ) -> Search {
        let (Some(regex), Some(part)) = (self.regex(), text.get(cut..)) else {
            return Search::Nothing;
        };
        let is_anchored = self.lead <= SHORT_LEAD;
        let anchored = if is_anchored { Anchored::Yes } else { Anchored::No };
        let input = |end: usize| {
            let range = from - cut..end - cut;
            Input::new(part).range(range).anchored(anchored)
        };
        let mut end = text.len().min(from.saturating_add(self.reach));
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // Most places have no match, and groups cost more to find.
        let mut whole = regex.search(&input(end));
        let is_open = end < text.len()
            && self.lead == 0
            && match &whole {
                Some(whole) => whole.end() + cut == end,
                None => {
                    scan.run_end(from) > end && self.goes_on(text, from..end)
                }
            };
        if is_open {
            // Tokens have no longest length.
            end = scan.run_end(end).max(end);
            // To find the groups of these takes longer.
            let cost = if self.is_judged() { SLOW } else { 1 };
            if !scan.spend((end - from).saturating_mul(cost)) {
                return Search::Unknown(end);
            }
            whole = regex.search(&input(end));
        }
        let Some(whole) = whole else { return Search::Nothing };
        let whole = whole.start() + cut..whole.end() + cut;
        if regex.captures_len() == 1 {
            return Search::Found(whole.clone(), whole);
        }
        let mut captures = regex.create_captures();
        regex.search_captures(&input(end), &mut captures);
        match first_group(&captures) {
            Some(group) => {
                let group = group.start + cut..group.end + cut;
                Search::Found(whole, group)
            }
            None => Search::Nothing,
        }
    }

    /// Returns whether a match that begins with a range may go on after it.
    fn goes_on(&self, text: &str, range: Range<usize>) -> bool {
        let part = text.get(range).unwrap_or_default();
        self.probe().is_some_and(|probe| probe.goes_on(part.as_bytes()))
    }

    /// Returns where the password is in an option of the command whose name is at
    /// an offset.
    fn find_login(
        &self,
        text: &str,
        at: usize,
        scan: &mut Scan<'_>,
    ) -> Option<Range<usize>> {
        let name = *self.rule?.literals.first()?;
        let (bytes, end) = (text.as_bytes(), at + name.len());
        let before = bytes.get(..at)?.last();
        let is_word =
            before.is_none_or(|b| !is_in_word(*b)) || begins_apart(bytes, at);
        if !is_word || bytes.get(end).is_some_and(|b| is_in_word(*b)) {
            return None;
        }
        let regex = self.regex()?;
        let login = scan.login(end, |from| {
            let whole = regex.search(&Input::new(text).range(from..))?;
            let input = Input::new(text).range(whole.range());
            let mut captures = regex.create_captures();
            regex.search_captures(&input, &mut captures);
            let password = first_group(&captures)?;
            Some(Login { start: whole.start(), password })
        })?;
        // The space before an option may be the newline that ends the command.
        (login.start <= scan.command_end(end)).then_some(login.password)
    }

    /// Returns where a private key is that begins at an offset.
    fn find_key(
        &self,
        text: &str,
        at: usize,
        scan: &mut Scan<'_>,
    ) -> Option<Range<usize>> {
        let key_end = scan.key_end(at);
        let mut end = key_end.unwrap_or(text.len().min(at + REACH));
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let input = Input::new(text).range(at..end).anchored(Anchored::Yes);
        let found = self.regex()?.search(&input)?.range();
        if found.end < end || key_end.is_some() {
            return Some(found);
        }
        // A key without an end that is longer than the reach.
        let rest = text.get(end..).unwrap_or_default();
        let lines = rest.split_inclusive('\n');
        let lines = lines.take_while(|l| l.trim().is_empty() || has_run(l));
        Some(found.start..end + lines.map(str::len).sum::<usize>())
    }
}
/// What a search finds.
enum Search {
    /// The whole match, and what of it is replaced.
    Found(Range<usize>, Range<usize>),
    /// To find out would take too long. A match could end here.
    Unknown(usize),
    Nothing,
}

/// Returns the first group with a match, or else all of the match.
fn first_group(captures: &Captures) -> Option<Range<usize>> {
    let mut groups = (1..captures.group_len()).chain([0]);
    let group = groups.find_map(|group| captures.get_group(group))?;
    Some(group.range())
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
                None if error.size_limit().is_some() => {
                    "the pattern is too large".to_string()
                }
                None => error.to_string(),
            };
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ");
            invalid(format!("rule `{name}`: {reason}"))
        })
}
