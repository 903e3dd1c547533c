/*!
The counts at the end of streamed messages.

An agent writes an `assistant` line of a stream before the message is complete,
with the counts of its start. The last counts are in a `message_delta`, which
names the message (`api_message_id`), or else is about the one that began last
in its thread. These lines may be in different parts of a log, in any order. So
the counts are kept by the key of the message, and replace those of its row
when totals are reported.
*/

use std::collections::HashMap;

use linetape::message::{
    Usage,
    events::{ApiEvent, MessageDelta, MessageStart, StreamEvent},
};

use crate::{
    Facts,
    state::{codec::saved, hash::Sip},
    tokens::Figures,
    usage::{key::Key, keys::Ids},
};

/// The counts at the end of the streamed messages.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    last: HashMap<Key, Figures>,
    /// By the hash of the session and of the call that started the sub-agent.
    threads: HashMap<u64, Thread>,
}

/// One agent, which streams one message at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    /// Whether a message has begun.
    has_begun: bool,
    /// The last one that has begun, if it has an id.
    open: Option<Key>,
    /// The counts of a message that has begun in an earlier part of the log.
    early: Option<Figures>,
}

saved! {
    Ends { last, threads }
    Thread { has_begun, open, early }
}

impl Ends {
    /// Adds an event of a stream.
    pub(crate) fn add(&mut self, facts: &Facts<'_>, event: StreamEvent<'_>) {
        match event.event() {
            Some(ApiEvent::MessageStart(start)) => self.begin(facts, start),
            Some(ApiEvent::MessageDelta(delta)) => {
                self.end(facts, event, delta);
            }
            _ => {}
        }
    }

    fn begin(&mut self, facts: &Facts<'_>, start: MessageStart<'_>) {
        let session = facts.session_name();
        let key = start.message().and_then(|message| {
            let counts = message.usage().map(Usage::value).map(Figures::of);
            let counts = counts.unwrap_or_default();
            Some(Ids::of_event(message.id()?, session.as_deref(), &counts))
        });
        let thread = self.threads.entry(thread(facts)).or_default();
        (thread.has_begun, thread.open) = (true, key);
    }

    fn end(
        &mut self,
        facts: &Facts<'_>,
        event: StreamEvent<'_>,
        delta: MessageDelta<'_>,
    ) {
        let Some(usage) = delta.usage() else { return };
        let last = Figures::of(usage.value());
        let named = event.api_message_id().and_then(Ids::of_unique);
        let thread = self.threads.entry(thread(facts)).or_default();
        let is_early = named.is_none() && !thread.has_begun;
        if is_early {
            add(thread.early.get_or_insert_default(), last);
        } else if let Some(key) = named.or(thread.open) {
            add(self.last.entry(key).or_default(), last);
        }
    }

    /// Adds what a later part of the log has.
    pub(crate) fn append(&mut self, later: Ends) {
        for (thread, later) in later.threads {
            let thread = self.threads.entry(thread).or_default();
            if let Some(early) = later.early {
                if !thread.has_begun {
                    add(thread.early.get_or_insert_default(), early);
                } else if let Some(key) = thread.open {
                    add(self.last.entry(key).or_default(), early);
                }
            }
            if later.has_begun {
                (thread.has_begun, thread.open) = (true, later.open);
            }
        }
        for (key, last) in later.last {
            add(self.last.entry(key).or_default(), last);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, Figures)> {
        self.last.iter().map(|(key, last)| (*key, *last))
    }
}

/// Adds the counts of another `message_delta` of a message. They only grow, so
/// the largest ones are the last, in whatever order the parts of a log are
/// added.
fn add(known: &mut Figures, counts: Figures) {
    if !counts.are_zero() {
        *known = known.largest(counts);
    }
}

/// Returns the hash of the thread of an event. Events have no other sign of a
/// sub-agent.
fn thread(facts: &Facts<'_>) -> u64 {
    let mut hash = Sip::new();
    hash.text(facts.session_name().as_deref());
    hash.text(facts.parent_tool_use_id());
    hash.finish()
}
