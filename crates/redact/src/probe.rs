/*!
Looks at the text of a string as it is written, and says that a rule cannot
match there. This is faster than to unescape and search the string.

A lazy DFA reads the string from a literal on, and unescapes it on the way. Once
it is dead, the rule does not match there. If it meets a backslash that is
itself escaped, what is inside of the string may be JSON again, and the string
is searched.
*/

use regex_automata::{
    Anchored,
    hybrid::dfa::{Cache, DFA},
    util::{start, syntax},
};

use crate::{
    grams::begins_after_sign,
    rule::{Rule, is_local},
};

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

/// A rule as an automaton.
#[derive(Debug)]
pub(crate) struct Probe {
    dfa: DFA,
    before: Before,
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
        Some(Probe { dfa, before })
    }

    pub(crate) fn cache(&self) -> Cache {
        self.dfa.create_cache()
    }

    /// Returns whether the rule may match with its literal at an offset of a
    /// string, or in the value after it if it `is_key`.
    pub(crate) fn may_match(
        &self,
        cache: &mut Cache,
        text: &[u8],
        at: usize,
        is_key: bool,
    ) -> bool {
        let first = match self.before {
            Before::Nothing => at,
            Before::Each(lead) => at.saturating_sub(lead),
            Before::Local(lead) => {
                let before = text.get(..at).unwrap_or_default().iter().rev();
                let count =
                    before.take(lead).take_while(|b| is_local(**b)).count();
                // The other starts read the same.
                let start = at - count;
                let start = start + usize::from(is_escaped(text, start));
                return self.reads(cache, text, start, is_key);
            }
        };
        (first..=at).any(|start| self.reads(cache, text, start, is_key))
    }

    /// Returns whether the rule may match what begins at an offset.
    fn reads(
        &self,
        cache: &mut Cache,
        text: &[u8],
        start: usize,
        is_key: bool,
    ) -> bool {
        if is_escaped(text, start) {
            return false;
        }
        let Some(before) = before_of(text, start) else { return true };
        let is_cut = matches!(self.before, Before::Nothing)
            && begins_after_sign(text, start);
        let config = start::Config::new()
            .anchored(Anchored::Yes)
            .look_behind(before.filter(|_| !is_cut));
        let Ok(mut state) = self.dfa.start_state(cache, &config) else {
            return true;
        };
        let mut at = start;
        loop {
            let Some(mut byte) = text.get(at).copied() else {
                // The key may be a part of the match.
                let end = self.dfa.next_eoi_state(cache, state);
                return is_key || !end.is_ok_and(|end| !end.is_match());
            };
            if byte == b'\\' {
                at += 1;
                let escape = text.get(at).copied().and_then(unescaped);
                let Some(escaped) = escape else { return true };
                byte = escaped;
            }
            at += 1;
            state = match self.dfa.next_state(cache, state, byte) {
                Ok(state) if state.is_dead() => return false,
                Ok(state) if state.is_match() || state.is_quit() => {
                    return true;
                }
                Ok(state) => state,
                Err(_) => return true,
            };
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
