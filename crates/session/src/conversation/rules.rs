/*!
What each type of message adds: `said` has the messages of the user and the
model, and `events` those of the agent program.
*/

use std::hash::{BuildHasher, Hash, Hasher};

use linetape::message::{Block, Message};

use crate::{
    Facts, Role,
    conversation::{Conversation, Here, Place, StepKind},
    facts::Part,
    turns::ThreadId,
};

/// The block index of a call or result that is a line, not a block.
pub(crate) const WHOLE_LINE: u32 = u32::MAX;

impl Conversation {
    /// Adds a message, and those that are nested in it. `nth` is the number
    /// of messages of the line before it.
    pub(crate) fn visit(
        &mut self,
        facts: &Facts<'_>,
        line: Place,
        nth: &mut u32,
    ) {
        let place = line.nested(*nth);
        if let Message::AgentMetadata(line) = facts.message() {
            self.describe(facts, line, place);
            return skip(facts, nth);
        }
        if self.described.is_some() && facts.role() != Role::Other {
            self.take_description(facts, place);
        }
        if facts.is_mirrored() && self.has_own_line(facts, line) {
            // A line of the main conversation can contain a message of a
            // sub-agent that has no other line.
            *nth = nth.saturating_add(1);
            for nested in facts.nested() {
                self.visit(&nested, line, nth);
            }
            return;
        }
        let is_fork_copy = self.is_fork_copy(facts, place);
        let vertex = self.lineage.add(facts, &mut self.names);
        if is_fork_copy {
            return skip(facts, nth);
        }
        if let Some(vertex) = vertex
            && facts.uuid().is_some()
            && !self.lineage.is_new(vertex, self.fingerprint(facts))
        {
            self.note_copy(facts, place, vertex);
            return skip(facts, nth);
        }
        *nth = nth.saturating_add(1);
        match facts.message() {
            Message::User(user) => {
                let here = self.here(facts, place, vertex);
                self.note_asked(here, facts);
                self.add_user(here, facts, user);
            }
            Message::Assistant(said) => {
                let here = self.here(facts, place, vertex);
                self.add_assistant(here, facts, said);
            }
            Message::System(system) => {
                let here = self.here(facts, place, vertex);
                self.add_system(here, facts, system);
            }
            Message::CompactSystem(step) if step.message().is_some() => {
                let here = self.here(facts, place, vertex);
                self.push(here, StepKind::Compaction, 0);
            }
            Message::Result(_) if facts.run_result().is_some() => {
                let here = self.here(facts, place, vertex);
                self.add_result_text(here, facts);
                self.push(here, StepKind::Result, 0);
                self.end_turn(here);
            }
            Message::ContinuedIn(next) => {
                let here = self.here(facts, place, vertex);
                self.push(here, StepKind::Link, 0);
                let next = next.continued_in_session_id();
                let next = next.map(|next| self.names.intern(next));
                if let Some(session) =
                    self.sessions.get_mut(here.session.get())
                {
                    session.continued_in = next.or(session.continued_in);
                }
            }
            Message::ForkContextRef(_) => {
                let here = self.here(facts, place, vertex);
                self.push(here, StepKind::Link, 0);
                self.begin_fork(here);
            }
            Message::CustomTitle(_) => self.add_title(facts, place, true),
            Message::AiTitle(_) => self.add_title(facts, place, false),
            Message::Input(_) => {
                let here = self.here(facts, place, vertex);
                self.begin_turn(here, true);
                self.push(here, StepKind::Prompt, 0);
            }
            Message::Error(_) => {
                let here = self.here(facts, place, vertex);
                self.push(here, StepKind::Error, 0);
            }
            Message::Attachment(_) => {
                self.add_attachment(facts, place, vertex)
            }
            Message::Ui(ui) => {
                let here = self.here(facts, place, vertex);
                self.add_event(here, facts, ui.event());
            }
            _ => {
                for nested in facts.nested() {
                    self.visit(&nested, line, nth);
                }
            }
        }
    }

    /// Returns a hash of the texts and ids in a message. Two lines with one
    /// uuid are the same message only if these are equal: some agents give one
    /// uuid to all lines of a message.
    fn fingerprint(&self, facts: &Facts<'_>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        for block in facts
            .said()
            .and_then(|said| said.content)
            .into_iter()
            .flat_map(|c| c.blocks())
        {
            // A text, a thought and an id can be equal.
            // A text may be a block or a string.
            let kind = match block {
                Block::Text(_) => Some("text"),
                other => other.value().get("type").and_then(|k| k.as_str()),
            };
            kind.hash(&mut hasher);
            let text = match block {
                Block::Text(text) => text.text(),
                Block::Thinking(thought) => thought.thinking(),
                other => match Part::of_block(other) {
                    Some(Part::Call(call)) => call.id(),
                    Some(Part::Answer(answer)) => {
                        let content = other.value().get("content");
                        let span = content.and_then(|content| content.span());
                        span.map(|span| span.len()).hash(&mut hasher);
                        answer.call
                    }
                    None => None,
                },
            };
            text.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Notes a prompt that is on a line of its own.
    fn note_asked(&mut self, here: Here, facts: &Facts<'_>) {
        if !facts.is_mirrored() && facts.answers().next().is_none() {
            let print = self.fingerprint(facts);
            if let Some(thread) = self.threads.get_mut(here.thread.get()) {
                thread.asked.insert(print);
            }
        }
    }

    /// Returns whether a mirrored message has a line of its own: a stream has
    /// the messages of its main conversation, and mirrors them as well. It has
    /// prompts only if it replays them, no attachments, and may have the
    /// messages of a sub-agent only in a mirror.
    fn has_own_line(&mut self, mirrored: &Facts<'_>, line: Place) -> bool {
        let session = self.session_index(mirrored, line);
        let (names, sidechains) = (&mut self.names, &mut self.sidechains);
        let key = ThreadId::of(session, mirrored, names, sidechains);
        let thread = self.by_thread.get(&(session, key));
        let thread = thread.and_then(|at| self.threads.get(at.get()));
        let Some(thread) = thread else { return false };
        match mirrored.message() {
            Message::Attachment(_) => false,
            Message::User(_) if mirrored.answers().next().is_none() => {
                thread.asked.contains(&self.fingerprint(mirrored))
            }
            _ => thread.has_own_lines,
        }
    }

    fn add_title(&mut self, facts: &Facts<'_>, place: Place, is_chosen: bool) {
        let session = self.session_index(facts, place);
        let Some(session) = self.sessions.get_mut(session.get()) else {
            return;
        };
        if is_chosen || session.title.is_none_or(|(_, chosen)| !chosen) {
            session.title = Some((place, is_chosen));
        }
    }

    pub(super) fn end_turn(&mut self, here: Here) {
        if let Some(thread) = self.threads.get_mut(here.thread.get()) {
            thread.is_ended = true;
        }
    }
}

/// Passes over a message and those that are nested in it.
fn skip(facts: &Facts<'_>, nth: &mut u32) {
    *nth = nth.saturating_add(1);
    facts.nested().for_each(|nested| skip(&nested, nth));
}
