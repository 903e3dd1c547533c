/*!
Looks for a rule in the text of a string as it is written. This is faster than
to unescape and search the string.

A lazy DFA reads the string from a literal on, and unescapes it on the way. If it
meets a backslash that is itself escaped, what is inside of the string may be JSON
again, and the string has to be searched. The same applies to a match with an escape
in it.
*/

use std::ops::Range;

use regex_automata::{
    Anchored,
    hybrid::dfa::{Cache, DFA},
    util::{start, syntax},
};

use crate::{
    grams::begins_after_sign,
    rule::{Rule, is_local},
};

/// How far a string is read from the start of a match.
pub(crate) const REACH: usize = 8 << 10;

/// The same for names and their values: a text can have very many names.
const SHORT_REACH: usize = 1 << 10;

/// Returns how far a string is read from the start of a match of a rule.
pub(crate) fn reach(rule: &Rule) -> usize {
    if rule.is_assigned() { SHORT_REACH } else { REACH }
}

/// Where a rule has to be tried: before its literal.
#[derive(Clone, Copy, Debug)]
enum Before {
    /// Nowhere: a match begins with the literal.
    Nothing,
    /// At each of so many bytes.
    Each(usize),
    /// At the first of the bytes of the local part of an e-mail address.
    Local(usize),
}

/// What a rule finds at a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nothing, however often the string is unescaped.
    Nothing,
    /// A match, which has no escape in it.
    Match(Range<usize>),
    /// A match with escapes of one letter in it.
    Escaped(Range<usize>),
    /// The string has to be searched.
    Unsure,
}

/// A rule as an automaton.
#[derive(Debug)]
pub(crate) struct Probe {
    dfa: DFA,
    before: Before,
    reach: usize,
}

impl Probe {
    /// Returns `None` if there is no such automaton.
    pub(crate) fn new(rule: &Rule) -> Option<Probe> {
        let config = DFA::config()
            // It stops at the first byte that is not ASCII.
            .unicode_word_boundary(true)
            .skip_cache_capacity_check(true)
            .cache_capacity(1 << 20);
        let dfa = DFA::builder()
            .syntax(syntax::Config::new().unicode(true))
            .configure(config)
            .build(rule.pattern)
            .ok()?;
        let before = match rule.lead {
            0 => Before::Nothing,
            lead if rule.is_email() => Before::Local(lead),
            lead => Before::Each(lead),
        };
        Some(Probe { dfa, before, reach: reach(rule) })
    }

    pub(crate) fn cache(&self) -> Cache {
        self.dfa.create_cache()
    }

    /// Returns what the rule finds with its literal at an offset of a string. If
    /// it `is_key`, a match may go on in the value after it.
    pub(crate) fn look(
        &self,
        cache: &mut Cache,
        text: &[u8],
        at: usize,
        is_key: bool,
    ) -> Seen {
        let mut read = |start| self.read(cache, text, start, is_key);
        let mut start = match self.before {
            // A literal with a backslash is itself written as an escape.
            Before::Nothing if text.get(at) == Some(&b'\\') => {
                return Seen::Unsure;
            }
            Before::Nothing => return read(at),
            Before::Each(lead) => at.saturating_sub(lead),
            Before::Local(lead) => {
                let before = text.get(..at).unwrap_or_default().iter().rev();
                let count =
                    before.take(lead).take_while(|b| is_local(**b)).count();
                // The other starts read the same.
                let start = at - count;
                let start = start + usize::from(is_escaped(text, start));
                return read(start);
            }
        };
        while start <= at {
            match read(start) {
                Seen::Nothing => start += 1,
                // It has not got as far as the literal.
                Seen::Match(range) if range.end <= at => {
                    start = range.end.max(start + 1);
                }
                seen => return seen,
            }
        }
        Seen::Nothing
    }

    /// Returns whether a match that begins at the start of a text may go on
    /// after its end. The text is not escaped.
    pub(crate) fn goes_on(&self, text: &[u8]) -> bool {
        let mut cache = self.cache();
        let config = start::Config::new().anchored(Anchored::Yes);
        let Ok(mut state) = self.dfa.start_state(&mut cache, &config) else {
            return false;
        };
        for byte in text {
            state = match self.dfa.next_state(&mut cache, state, *byte) {
                Ok(state) if !state.is_dead() && !state.is_quit() => state,
                _ => return false,
            };
        }
        true
    }

    /// Returns what the rule finds that begins at an offset.
    fn read(
        &self,
        cache: &mut Cache,
        text: &[u8],
        start: usize,
        is_key: bool,
    ) -> Seen {
        if is_escaped(text, start) {
            return Seen::Nothing;
        }
        let Some(before) = before_of(text, start) else {
            return Seen::Unsure;
        };
        let is_cut = begins_after_sign(text, start);
        let config = start::Config::new()
            .anchored(Anchored::Yes)
            .look_behind(before.filter(|_| !is_cut));
        let Ok(mut state) = self.dfa.start_state(cache, &config) else {
            return Seen::Unsure;
        };
        // The offset, that of the first escape, and the end of the match.
        let (mut at, mut escape, mut end) = (start, None, None);
        loop {
            // Texts with very many literals would take quadratic time.
            if at - start > self.reach {
                return Seen::Unsure;
            }
            let last = at;
            let byte = match text.get(at) {
                None if is_key => return Seen::Unsure,
                None => None,
                Some(b'\\') => {
                    escape = escape.or(Some(at));
                    at += 1;
                    let read = text.get(at).copied().and_then(unescaped);
                    if read.is_none() {
                        return Seen::Unsure;
                    }
                    read
                }
                byte => byte.copied(),
            };
            at += 1;
            let next = match byte {
                Some(byte) => self.dfa.next_state(cache, state, byte),
                None => self.dfa.next_eoi_state(cache, state),
            };
            state = match next {
                Ok(state) if !state.is_quit() => state,
                _ => return Seen::Unsure,
            };
            // A match is known one byte after its end.
            if state.is_match() {
                end = Some(last);
            }
            if state.is_dead() || byte.is_none() {
                break;
            }
        }
        match end {
            None => Seen::Nothing,
            Some(end) if escape.is_none_or(|escape| end <= escape) => {
                Seen::Match(start..end)
            }
            Some(end) => Seen::Escaped(start..end),
        }
    }
}

/// Returns whether the byte at an offset is the letter of an escape, and so is
/// not in the text.
fn is_escaped(text: &[u8], at: usize) -> bool {
    match text.get(..at).unwrap_or_default() {
        [.., b'\\', b'\\'] => false,
        before => before.ends_with(b"\\"),
    }
}

/// Returns the byte before an offset, as it reads; `Some(None)` at the start of
/// the text. Returns `None` if that is not certain.
fn before_of(text: &[u8], at: usize) -> Option<Option<u8>> {
    match text.get(..at)? {
        [] => Some(None),
        [.., b'\\'] => None,
        [.., b'\\', b'\\', _] => None,
        [.., b'\\', escape] => unescaped(*escape).map(Some),
        [.., byte] => Some(Some(*byte)),
    }
}

/// Returns the byte that an escape of one letter stands for. A backslash is
/// not among them: it can begin another escape.
fn unescaped(escape: u8) -> Option<u8> {
    match escape {
        b'"' => Some(b'"'),
        b'n' => Some(b'\n'),
        b't' => Some(b'\t'),
        b'r' => Some(b'\r'),
        b'b' => Some(8),
        b'f' => Some(12),
        _ => None,
    }
}
