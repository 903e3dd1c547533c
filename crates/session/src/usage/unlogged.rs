/*!
Tokens that the agent reports, and that no message has.
*/

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Tokens, Totals, UsageTotals,
    ids::{Index, NameId},
    usage::{covered::Covered, spent::Spent},
};

/// Tokens that the agent reports, and that no message of the log has.
///
/// A log lacks some requests, such as those of compactions and the last one of
/// a sub-agent in a stream. The messages of a stream may also have only the
/// counts of their start. But the agent reports the sums: in the results of a
/// stream (`modelUsage`), and in the `cost-state` of a transcript. This is what
/// they have beyond the messages, for each session or for those that have
/// messages in common, and never less than 0. A result that states what was
/// used since the result before it (`model_usage_since_last_result`) is taken
/// at its word; otherwise the sums are cumulative until they fall.
/// Messages of a stream that no result is about, such as those of a process
/// that was killed, are not compared with the results.
///
/// These are the agent's own figures: it estimates the output of a message that
/// was interrupted.
///
/// # Example
///
/// This shows a stream without events. Its line has the counts of the start of
/// the message, and its result those of the end.
///
/// ```
/// use linetape::lines;
/// use linetape_session::UsageTotals;
///
/// let log = br#"{"type":"assistant","session_id":"s1","message":{"id":"msg_1","model":"opus","stop_reason":null,"usage":{"input_tokens":7,"output_tokens":1}}}
/// {"type":"result","session_id":"s1","modelUsage":{"opus":{"inputTokens":7,"outputTokens":400}}}
/// "#;
/// let mut totals = UsageTotals::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     totals.add(line?.checked()?);
/// }
/// assert_eq!(totals.placeholders(), 1);
/// assert_eq!(totals.unlogged().counted.output_tokens, 399);
/// assert_eq!(totals.total().tokens.output_tokens, 400);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Unlogged {
    /// What the results of streams report. [`UsageTotals::total`] includes it.
    pub counted: Tokens,
    /// What the `cost-state` lines of transcripts report.
    /// [`UsageTotals::total`] does not include it: it is the sum of the
    /// messages of transcripts, as other programs count it.
    pub beside: Tokens,
    /// The number of messages whose output tokens are placeholders, and of
    /// which no result reports the tokens: the total lacks the rest.
    pub placeholders: u64,
}

impl UsageTotals {
    /// Returns the tokens that the agent reports, and that no message has.
    pub fn unlogged(&self) -> Unlogged {
        let mut unlogged = Unlogged::default();
        let covered = self.covered();
        let has_states = self.runs.values().any(|runs| runs.has_state());
        let messages = self.tokens_by_session();
        for (spent, totals) in self.messages.classes() {
            if !covered.contains_key(&spent.session) {
                unlogged.placeholders += totals.placeholders;
            }
        }
        if has_states {
            let streams = covered.keys().copied().collect();
            unlogged.beside = self.beside(&messages, streams);
        }
        for (session, covered) in covered {
            let all = messages.get(&session).copied().unwrap_or_default();
            unlogged.counted += covered.beyond(all);
            unlogged.placeholders += covered.placeholders;
        }
        unlogged
    }

    /// Returns the parts of [`Unlogged::counted`] by session, sorted by name.
    /// They have no messages. Sessions without such tokens are left out.
    ///
    /// # Example
    ///
    /// This shows a session whose result reports a compaction.
    ///
    /// ```
    /// use linetape::lines;
    /// use linetape_session::UsageTotals;
    ///
    /// let log = br#"{"type":"assistant","session_id":"s1","message":{"id":"msg_1","usage":{"output_tokens":7}}}
    /// {"type":"result","session_id":"s1","modelUsage":{"opus":{"outputTokens":400}}}
    /// "#;
    /// let mut totals = UsageTotals::new();
    /// let mut lines = lines(log);
    /// while let Some(line) = lines.next_line() {
    ///     totals.add(line?.checked()?);
    /// }
    /// let [session] = totals.unlogged_by_session()[..] else { panic!() };
    /// assert_eq!(session.name, Some("s1"));
    /// assert_eq!(session.tokens.output_tokens, 393);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn unlogged_by_session(&self) -> Vec<Totals<'_>> {
        let covered = self.covered();
        let messages = self.tokens_by_session();
        let sessions = covered.into_iter().map(|(session, covered)| {
            let all = messages.get(&session).copied().unwrap_or_default();
            let name = session.and_then(|session| self.names.name(session));
            Totals { name, messages: 0, tokens: covered.beyond(all) }
        });
        let used = sessions.filter(|one| one.tokens != Tokens::default());
        let mut used: Vec<_> = used.collect();
        used.sort_by_key(|one| one.name);
        used
    }

    fn tokens_by_session(&self) -> BTreeMap<Option<NameId>, Tokens> {
        let mut sessions: BTreeMap<_, Tokens> = BTreeMap::new();
        for (spent, totals) in self.messages.classes() {
            *sessions.entry(spent.session).or_default() += totals.tokens;
        }
        sessions
    }

    /// Returns what the results of each session are about.
    fn covered(&self) -> BTreeMap<Option<NameId>, Covered> {
        let told = self.runs.iter().filter(|(_, runs)| runs.has_told());
        let mut streamed: BTreeMap<_, Vec<(usize, Spent)>> =
            told.map(|(session, _)| (*session, vec![])).collect();
        if streamed.is_empty() {
            return BTreeMap::new();
        }
        for (index, spent) in self.messages.indexed() {
            if spent.is_streamed
                && let Some(messages) = streamed.get_mut(&spent.session)
            {
                messages.push((index, spent));
            }
        }
        let covered =
            streamed.into_iter().filter_map(|(session, messages)| {
                let runs = self.runs.get(&session)?;
                Some((session, Covered::of(runs, &messages)))
            });
        covered.collect()
    }

    /// Returns what `cost-state` lines report beyond the messages. A fork goes
    /// on with the sums of the original, so sessions that have messages in
    /// common are compared together.
    fn beside(
        &self,
        messages: &BTreeMap<Option<NameId>, Tokens>,
        streams: BTreeSet<Option<NameId>>,
    ) -> Tokens {
        let mut families = self.families();
        let mut reported: BTreeMap<Index, Tokens> = BTreeMap::new();
        for cost in self.costs() {
            let session = cost.session.and_then(|name| self.names.find(name));
            let runs = self.runs.get(&session);
            if runs.is_some_and(|runs| runs.has_state()) {
                let family = reported.entry(families.of(session)).or_default();
                *family += cost.models.iter().map(|model| model.tokens).sum();
            }
        }
        for session in streams {
            reported.remove(&families.of(session));
        }
        let mut counted: BTreeMap<Index, Tokens> = BTreeMap::new();
        for (session, tokens) in messages {
            *counted.entry(families.of(*session)).or_default() += *tokens;
        }
        let known = |family| counted.get(family).copied().unwrap_or_default();
        let more = reported
            .iter()
            .map(|(family, tokens)| tokens.without(known(family)).four());
        more.sum()
    }
}
