use std::collections::{BTreeMap, HashMap};

use crate::{
    Tokens, Totals, UsageTotals,
    ids::NameId,
    usage::{spent::Spent, sums::ClassTotals},
};

/// The token usage of the messages that have the same session, model and day.
///
/// # Example
///
/// See [`UsageTotals::groups`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct GroupTotals<'t> {
    /// The session.
    pub session: Option<&'t str>,
    /// The project of the session: the first working directory that a line
    /// of the session has.
    pub project: Option<&'t str>,
    /// The model.
    pub model: Option<&'t str>,
    /// The date in the timestamps, such as `2026-01-31`.
    pub day: Option<&'t str>,
    /// Whether the messages belong to sub-agents.
    pub is_sidechain: bool,
    /// The number of messages of the model.
    pub messages: u64,
    /// The tokens that these messages used.
    pub tokens: Tokens,
}

/// What the messages of a group have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    session: Option<NameId>,
    model: Option<NameId>,
    day: Option<NameId>,
    is_sidechain: bool,
}

impl Key {
    fn of(spent: &Spent) -> Key {
        let Spent { session, model, day, rank, .. } = *spent;
        Key { session, model, day, is_sidechain: rank.is_sidechain() }
    }
}

/// A group, and the sums of its messages.
struct Group {
    key: Key,
    totals: ClassTotals,
}

impl UsageTotals {
    /// Returns the usage of all messages, and what the agent reports of a
    /// stream and no message has: [`counted`](crate::Unlogged::counted). The latter is in no
    /// group.
    pub fn total(&self) -> Totals<'_> {
        let mut total = sum(self.messages.classes().map(|(_, totals)| totals));
        total.tokens += self.unlogged().counted;
        total
    }

    /// Returns the usage of the messages of sub-agents, which
    /// [`total`](UsageTotals::total) includes.
    pub fn subagents(&self) -> Totals<'_> {
        let classes = self.messages.classes();
        let sidechains = classes.filter(|(of, _)| of.rank.is_sidechain());
        sum(sidechains.map(|(_, totals)| totals))
    }

    /// Returns the number of messages whose count of output tokens is only a
    /// placeholder: they have more than a hundred bytes of text, thinking and
    /// inputs of tools for each token, or are of a stream that has no later
    /// count. Sums of output tokens are too low then, except for the
    /// [total](UsageTotals::total) of a stream whose results report the rest.
    ///
    /// Some agents write the count that the API reports at the start of a
    /// message, and never the final one. Messages nested in `progress` lines
    /// often have such a count.
    pub fn placeholders(&self) -> u64 {
        let classes = self.messages.classes();
        classes.map(|(_, totals)| totals.placeholders).sum()
    }

    /// Returns the usage by session, in order of first appearance.
    pub fn by_session(&self) -> Vec<Totals<'_>> {
        self.by(|key| key.session)
    }

    /// Returns the usage by model, in order of first appearance.
    pub fn by_model(&self) -> Vec<Totals<'_>> {
        self.by(|key| key.model)
    }

    /// Returns the usage by day, in ascending order. Messages without a
    /// timestamp come first. A day is the date part of a message's timestamp,
    /// such as `2026-01-31`, without conversion to another time zone.
    pub fn by_day(&self) -> Vec<Totals<'_>> {
        let mut days = self.by(|key| key.day);
        days.sort_by_key(|day| day.name);
        days
    }

    /// Returns the usage by session, model and day at once, in order of first
    /// appearance. Messages of sub-agents are separate groups.
    ///
    /// There are far fewer groups than messages, so prefer this to
    /// [`messages`](UsageTotals::messages) where groups are enough.
    ///
    /// # Example
    ///
    /// This shows how to sum the usage by project.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use linetape::lines;
    /// use linetape_session::{Tokens, UsageTotals};
    ///
    /// let log = br#"{"type":"assistant","cwd":"/srv","sessionId":"s1","message":{"id":"m1","usage":{"output_tokens":5}}}
    /// {"type":"assistant","cwd":"/srv","sessionId":"s1","message":{"id":"m2","usage":{"output_tokens":6}}}"#;
    /// let mut totals = UsageTotals::new();
    /// let mut lines = lines(log);
    /// while let Some(line) = lines.next_line() {
    ///     totals.add(line?.checked()?);
    /// }
    /// let mut projects: BTreeMap<Option<&str>, Tokens> = BTreeMap::new();
    /// for group in totals.groups() {
    ///     assert_eq!((group.session, group.messages), (Some("s1"), 2));
    ///     *projects.entry(group.project).or_default() += group.tokens;
    /// }
    /// assert_eq!(projects[&Some("/srv")].output_tokens, 11);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn groups(&self) -> Vec<GroupTotals<'_>> {
        let name = |id: Option<NameId>| self.names.name(id?);
        let group = |Group { key, totals }| GroupTotals {
            session: name(key.session),
            project: self.project(key.session),
            model: name(key.model),
            day: name(key.day),
            is_sidechain: key.is_sidechain,
            messages: totals.messages,
            tokens: totals.tokens,
        };
        self.sorted_groups().into_iter().map(group).collect()
    }

    /// Returns the groups, in the order of their first messages.
    fn sorted_groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = vec![];
        let mut indexes = HashMap::new();
        for (of, totals) in self.messages.classes() {
            let key = Key::of(&of);
            let index = *indexes.entry(key).or_insert(groups.len());
            match groups.get_mut(index) {
                Some(group) => group.totals.merge(&totals),
                None => groups.push(Group { key, totals }),
            }
        }
        groups.sort_by_key(|group| group.totals.first);
        groups
    }

    fn by(&self, name: impl Fn(&Key) -> Option<NameId>) -> Vec<Totals<'_>> {
        let mut sums: Vec<Totals<'_>> = vec![];
        let mut indexes = BTreeMap::new();
        for Group { key, totals } in self.sorted_groups() {
            let id = name(&key);
            let index = *indexes.entry(id).or_insert(sums.len());
            if index == sums.len() {
                let name = id.and_then(|id| self.names.name(id));
                sums.push(Totals { name, ..Totals::default() });
            }
            if let Some(sum) = sums.get_mut(index) {
                sum.messages += totals.messages;
                sum.tokens += totals.tokens;
            }
        }
        sums
    }
}

fn sum<'t>(classes: impl Iterator<Item = ClassTotals>) -> Totals<'t> {
    let mut sum = Totals::default();
    for class in classes {
        sum.messages += class.messages;
        sum.tokens += class.tokens;
    }
    sum
}
