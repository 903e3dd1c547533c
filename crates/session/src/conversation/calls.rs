/*!
Joins calls with their results and notifications.
*/

use std::{
    fmt::{self, Write},
    hash::{BuildHasher, Hash, Hasher},
};

use linetape::{Value, message::Message, message::ToolCall};

use crate::{
    Facts,
    conversation::{
        CallEntry, CallRest, Conversation, Here, StepKind, agents::MAX_NAME,
        sort::Notice, summary::changed_lines,
    },
    ids::{Index, NameId},
    turns::ThreadId,
};

/// Hashes what is written to it.
struct Hashed<H>(H);

impl<H: Hasher> Write for Hashed<H> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl Conversation {
    /// Adds a call of the message with the id `message`.
    ///
    /// A call with the id of an earlier one is another call, unless the same
    /// message was written again.
    pub(crate) fn add_call(
        &mut self,
        here: Here,
        call: ToolCall<'_>,
        message: Option<&str>,
        block: u32,
    ) {
        let id = call.id().map(|id| self.names.intern(id));
        let key = id.map(|id| (here.session, id));
        let before = key.and_then(|key| self.by_call.get(key));
        let print = self.print(call, message);
        if let Some(before) = before
            && self.is_written_again(before, key, print)
        {
            return;
        }
        let step = self.push(here, StepKind::Call, block);
        let index = self.calls.next();
        self.link(step, index);
        let input = call.input();
        let text = |key: &str| input?.get(key)?.as_str();
        let prompt = text("prompt");
        // Other calls have descriptions as well.
        let about = |key: &str| prompt.and_then(|_| text(key));
        let kind = about("subagent_type").filter(|kind| !kind.is_empty());
        let task = about("description");
        if let Some(prompt) = prompt {
            let key = (here.session, self.hasher.hash_one(prompt.trim()));
            self.by_prompt.entry(key).or_insert(index);
        }
        let mut name = |text: Option<&str>| {
            let text = text.filter(|t| t.len() <= MAX_NAME)?;
            Some(self.names.intern(text))
        };
        let tool = name(call.name());
        let (kind, task) = (name(kind), name(task));
        self.calls.push(CallEntry {
            id,
            name: tool,
            step,
            answer: None,
            print,
            rest: None,
            is_error: false,
            is_background: false,
        });
        if (kind.is_some() || task.is_some())
            && let Some(rest) = self.rest_mut(index)
        {
            (rest.kind, rest.task) = (kind, task);
        }
        if let Some(session) = self.sessions.get_mut(here.session.get()) {
            session.calls.push(index);
        }
        if let Some(key) = key {
            let known = before.and_then(|call| self.calls.get(call.get()));
            if let Some(known) = known {
                self.prints.extend([(key, known.print), (key, print)]);
            }
            let is_open = |before: Index| {
                let before = self.calls.get(before.get());
                before.is_some_and(|before| before.answer.is_none())
            };
            match before.filter(|before| is_open(*before)) {
                // The next result is that of the earlier call.
                Some(_) => self.again.entry(key).or_default().push_back(index),
                None => self.by_call.insert(key, index),
            }
            // A sub-agent's messages may come before the call.
            let agent = (key.0, ThreadId::Call(key.1));
            if let Some(thread) = self.by_thread.get(&agent).copied() {
                self.tie(thread, index);
            }
        }
    }

    /// Returns a hash of a call and of its message's id, or 0 if it has none.
    fn print(&self, call: ToolCall<'_>, message: Option<&str>) -> u32 {
        let Some(message) = message else { return 0 };
        let mut hasher = Hashed(self.hasher.build_hasher());
        (message, call.name()).hash(&mut hasher.0);
        if let Some(input) = call.input() {
            _ = write!(hasher, "{input}");
        }
        // Half of it is enough to tell calls with one id apart.
        (hasher.0.finish() as u32).max(1)
    }

    /// Returns whether a call with this id and print was added before.
    fn is_written_again(
        &self,
        before: Index,
        key: Option<(Index, NameId)>,
        print: u32,
    ) -> bool {
        if print == 0 {
            return false;
        }
        let first = self.calls.get(before.get());
        if first.is_some_and(|first| first.print == print) {
            return true;
        }
        // A log can have any number of calls with one id, so they are not
        // compared one by one.
        key.is_some_and(|key| self.prints.contains(&(key, print)))
    }

    /// Adds a result, and joins it with its call. `result` is what the agent
    /// program states beside it.
    pub(crate) fn add_answer(
        &mut self,
        here: Here,
        call: Option<Index>,
        is_error: bool,
        result: Option<Value<'_>>,
        block: u32,
    ) {
        let step = self.push(here, StepKind::ToolResult, block);
        match (call, self.sessions.get_mut(here.session.get())) {
            (Some(call), _) => self.link(step, call),
            (None, Some(session)) => session.unasked += 1,
            (None, None) => {}
        }
        let open = call.filter(|call| {
            let entry = self.calls.get(call.get());
            entry.is_some_and(|entry| entry.answer.is_none())
        });
        let Some(index) = open else { return };
        let text = |key: &str| result?.get(key)?.as_str();
        let agent = text("agentId").or(text("agent_id"));
        let shell = text("backgroundTaskId");
        let is_async = text("status") == Some("async_launched")
            || result.and_then(|r| r.get("isAsync")?.as_bool()) == Some(true);
        let changed = result.and_then(changed_lines);
        // The type that it really has.
        let kind = agent.and_then(|_| text("agentType"));
        let kind = kind.filter(|kind| (1..=MAX_NAME).contains(&kind.len()));
        if let Some(kind) = kind.map(|kind| self.names.intern(kind))
            && let Some(rest) = self.rest_mut(index)
        {
            rest.kind = Some(kind);
        }
        if let Some(entry) = self.calls.get_mut(index.get()) {
            entry.answer = Some(step);
            entry.is_error = is_error;
            entry.is_background = is_async || shell.is_some();
            let key = entry.id.map(|id| (here.session, id));
            self.next_with_id(key);
        }
        if changed.is_some()
            && let Some(rest) = self.rest_mut(index)
        {
            rest.changed = changed;
        }
        for task in [agent, shell].into_iter().flatten() {
            let task = self.names.intern(task);
            self.by_task.insert((here.session, task), index);
            let agent = (here.session, ThreadId::Agent(task));
            if let Some(thread) = self.by_thread.get(&agent).copied() {
                self.tie(thread, index);
            }
        }
    }

    /// Adds the notifications of a text, and joins each with the call that
    /// began its task.
    pub(crate) fn add_notices(
        &mut self,
        here: Here,
        notices: &[Notice<'_>],
        block: u32,
    ) {
        let step = self.push(here, StepKind::Notification, block);
        let mut is_linked = false;
        for notice in notices {
            let find =
                |id: Option<&str>| Some((here.session, self.names.find(id?)?));
            let call = find(notice.call);
            let call = call.and_then(|key| self.by_call.get(key));
            let task = find(notice.task);
            let task = task.and_then(|key| self.by_task.get(&key).copied());
            let Some(index) = call.or(task) else { continue };
            if !std::mem::replace(&mut is_linked, true) {
                self.link(step, index);
            }
            let Some(rest) = self.rest_mut(index) else { continue };
            if rest.notification.is_some() {
                continue;
            }
            rest.notification = Some(step);
            if let Some(entry) = self.calls.get_mut(index.get()) {
                entry.is_error |= notice.status == Some("failed");
            }
        }
    }

    /// Returns the call with an id.
    pub(crate) fn call_with(
        &self,
        here: Here,
        id: Option<&str>,
    ) -> Option<Index> {
        let id = self.names.find(id?)?;
        self.by_call.get((here.session, id))
    }

    /// Returns the first call of the open turn without a result.
    pub(crate) fn first_open_call(&self, here: Here) -> Option<Index> {
        let turn = self.turns.get(self.open_turn(here.thread).get())?;
        turn.steps.iter().find_map(|step| {
            let step = self.steps.get(*step)?;
            let call = step.link.filter(|_| step.kind == StepKind::Call)?;
            let entry = self.calls.get(call.get())?;
            entry.answer.is_none().then_some(call)
        })
    }

    /// Makes the next call with an id the one that a result belongs to.
    fn next_with_id(&mut self, key: Option<(Index, NameId)>) {
        let Some(key) = key else { return };
        let Some(waiting) = self.again.get_mut(&key) else { return };
        match waiting.pop_front() {
            Some(next) => self.by_call.insert(key, next),
            None => _ = self.again.remove(&key),
        }
    }

    fn link(&mut self, step: Index, call: Index) {
        self.steps.set_link(step, call);
    }

    /// Returns what few calls have, and adds it if it is missing.
    pub(crate) fn rest_mut(&mut self, call: Index) -> Option<&mut CallRest> {
        let entry = self.calls.get_mut(call.get())?;
        let at = *entry.rest.get_or_insert_with(|| {
            let at = Index::next(&self.rests);
            self.rests.push(CallRest::default());
            at
        });
        self.rests.get_mut(at.get())
    }

    /// Notes the length of what the model wrote, and the output tokens that
    /// its message states. Counts the message, unless an earlier line of it
    /// was counted.
    pub(crate) fn count(&mut self, here: Here, facts: &Facts<'_>, len: u64) {
        let Message::Assistant(_) = facts.message() else { return };
        let id = facts.message_id().or(facts.uuid());
        let id = id.map(|id| self.lineage.hash(id));
        let usage = facts.usage();
        let tokens = usage.and_then(|usage| usage.output_tokens());
        let tokens = tokens.unwrap_or(0);
        let turn = self.open_turn(here.thread);
        let Some(thread) = self.threads.get_mut(here.thread.get()) else {
            return;
        };
        let is_new = id.is_none() || thread.said != id;
        let before = if is_new { 0 } else { thread.tokens };
        thread.said = id;
        thread.tokens = before.max(tokens);
        let more = thread.tokens - before;
        if let Some(session) = self.sessions.get_mut(here.session.get()) {
            session.stated = session.stated.saturating_add(more);
            session.written = session.written.saturating_add(len);
        }
        if let Some(turn) = self.turns.get_mut(turn.get()) {
            turn.messages += u64::from(is_new);
        }
    }
}
