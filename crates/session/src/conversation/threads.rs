/*!
The session, thread and turn of a message.
*/

use crate::{
    Facts, Role,
    conversation::{
        Conversation, Place, SessionEntry, StepEntry, StepKind, ThreadEntry,
        TurnEntry,
    },
    ids::{Index, NameId},
    turns::ThreadId,
};

/// The place, time and thread of a message.
#[derive(Clone, Copy)]
pub(crate) struct Here {
    pub(super) place: Place,
    pub(super) time: Option<i64>,
    pub(super) session: Index,
    pub(super) thread: Index,
    /// The vertex of the message in the lineage.
    pub(super) vertex: Option<Index>,
}

impl Conversation {
    /// Returns the session of a message.
    /// A message without a session id belongs to the same session as the
    /// message before it in its source.
    pub(super) fn session_index(
        &mut self,
        facts: &Facts<'_>,
        place: Place,
    ) -> Index {
        let id = facts.session().map(|id| self.names.intern_session(id));
        let last = self.last_session.filter(|last| last.0 == place.source);
        if let Some((_, last)) = last.filter(|_| id.is_none()) {
            return last;
        }
        let index = self.session_named(id);
        self.last_session = Some((place.source, index));
        index
    }

    fn session_named(&mut self, id: Option<NameId>) -> Index {
        if let Some(index) = self.by_session.get(&id) {
            return *index;
        }
        let index = Index::next(&self.sessions);
        let main = Index::next(&self.threads);
        self.threads.push(ThreadEntry::new(index, None));
        self.by_thread.insert((index, ThreadId::Main), main);
        self.sessions.push(SessionEntry::new(id, main));
        self.by_session.insert(id, index);
        index
    }

    /// Returns the place, time and thread of a message.
    pub(super) fn here(
        &mut self,
        facts: &Facts<'_>,
        place: Place,
        vertex: Option<Index>,
    ) -> Here {
        let session = self.session_index(facts, place);
        let sidechains = &mut self.sidechains;
        let key = ThreadId::of(session, facts, &mut self.names, sidechains);
        let thread = match self.by_thread.get(&(session, key)).copied() {
            Some(thread) => {
                self.tie_stated(thread, key, facts);
                thread
            }
            None => self.begin_agent(session, key, facts),
        };
        if facts.role() != Role::Other
            && !facts.is_mirrored()
            && let Some(entry) = self.threads.get_mut(thread.get())
        {
            entry.has_own_lines = true;
        }
        self.note_first(session, facts, None);
        if facts.role() != Role::Other
            && !facts.is_sidechain()
            && let Some(vertex) = vertex
            && let Some(entry) = self.sessions.get_mut(session.get())
            // Lines with one uuid have one vertex.
            && entry.last.is_none_or(|last| self.lineage.is_after(vertex, last))
        {
            entry.last = Some(vertex);
        }
        if let Some(entry) = self.sessions.get_mut(session.get())
            && entry.cwd.is_none()
            && let Some(cwd) = facts.cwd()
        {
            entry.cwd = Some(self.names.intern(cwd));
        }
        Here { place, time: facts.time(), session, thread, vertex }
    }

    /// Notes the first message of a session's main thread: the session that
    /// it was forked from, and the vertex of a copy. The lines before it do
    /// not state the origin.
    fn note_first(
        &mut self,
        session: Index,
        facts: &Facts<'_>,
        copied: Option<Index>,
    ) {
        if facts.role() == Role::Other || facts.is_sidechain() {
            return;
        }
        let Some(entry) = self.sessions.get_mut(session.get()) else { return };
        if std::mem::replace(&mut entry.has_messages, true) {
            return;
        }
        entry.copied = copied;
        let fork = facts.message().envelope().forked_from();
        if let Some(from) = fork.and_then(|from| from.session_id()) {
            entry.forked_from = Some(self.names.intern(from));
        }
    }

    /// Notes what a message adds that is a copy of an earlier one: it may be
    /// the first one of another session, or name the call of a sub-agent.
    pub(super) fn note_copy(
        &mut self,
        facts: &Facts<'_>,
        place: Place,
        vertex: Index,
    ) {
        if facts.role() == Role::Other {
            return;
        }
        let session = self.session_index(facts, place);
        self.note_first(session, facts, Some(vertex));
        if facts.parent_tool_use_id().is_none() {
            return;
        }
        let sidechains = &mut self.sidechains;
        let key = ThreadId::of(session, facts, &mut self.names, sidechains);
        if let Some(thread) = self.by_thread.get(&(session, key)).copied() {
            self.tie_stated(thread, key, facts);
        }
    }

    /// Adds a step to the open turn of its thread. Begins a turn if none is
    /// open.
    pub(super) fn push(
        &mut self,
        here: Here,
        kind: StepKind,
        block: u32,
    ) -> Index {
        let is_ended = self
            .threads
            .get(here.thread.get())
            .is_none_or(|thread| thread.is_ended || thread.turns.is_empty());
        if is_ended {
            self.begin_turn(here, false);
        }
        let index = self.steps.next();
        let turn = self.open_turn(here.thread);
        self.steps.push(StepEntry {
            place: here.place,
            kind,
            is_abandoned: false,
            block,
            time: here.time,
            turn,
            link: None,
            vertex: here.vertex,
        });
        if let Some(turn) = self.turns.get_mut(turn.get()) {
            turn.add(index, here.time);
        }
        index
    }

    /// Begins a turn of a thread. `is_asked` is whether a prompt begins it.
    pub(super) fn begin_turn(&mut self, here: Here, is_asked: bool) {
        let index = Index::next(&self.turns);
        self.turns.push(TurnEntry {
            thread: here.thread,
            steps: vec![],
            times: None,
            messages: 0,
            is_interrupted: false,
            is_asked,
        });
        if let Some(thread) = self.threads.get_mut(here.thread.get()) {
            thread.turns.push(index);
            thread.is_ended = false;
            thread.stop_hooks.clear();
        }
    }

    pub(super) fn open_turn(&self, thread: Index) -> Index {
        let thread = self.threads.get(thread.get());
        let last = thread.and_then(|thread| thread.turns.last().copied());
        last.unwrap_or(Index::OUT_OF_REACH)
    }
}
