use linetape::Error;

use crate::{
    Turns,
    state::{
        self, Sort,
        codec::{Cursor, Saved, inconsistent, saved},
    },
    turns::{CallEntry, Ended, ThreadId, TurnEntry},
};

saved! {
    Turns { names, turns, open, calls, unasked, said, sidechains }
    TurnEntry {
        thread,
        prompt,
        position,
        times,
        stated_duration,
        messages,
        errors,
        is_interrupted,
        calls,
        first_unanswered,
        is_group_answered,
        last_caller,
        result,
    }
    Ended {
        position,
        subtype,
        is_error,
        duration_ms,
        duration_api_ms,
        num_turns,
    }
    CallEntry {
        id,
        name,
        position,
        called_at,
        answered,
        answered_at,
        is_error,
        group,
    }
}

impl Saved for ThreadId {
    fn save(&self, to: &mut Vec<u8>) {
        let (kind, name) = match self {
            ThreadId::Main => (0_u8, None),
            ThreadId::Call(call) => (1, Some(*call)),
            ThreadId::Agent(agent) => (2, Some(*agent)),
            ThreadId::Sidechain(uuid) => (3, Some(*uuid)),
        };
        (kind, name).save(to);
    }

    fn load(from: &mut Cursor<'_>) -> Result<ThreadId, Error> {
        match Saved::load(from)? {
            (0_u8, None) => Ok(ThreadId::Main),
            (1, Some(call)) => Ok(ThreadId::Call(call)),
            (2, Some(agent)) => Ok(ThreadId::Agent(agent)),
            (3, Some(uuid)) => Ok(ThreadId::Sidechain(uuid)),
            _ => Err(inconsistent()),
        }
    }
}

impl Turns {
    /// Returns the state of the turns. [`load`](Turns::load) it later, and add
    /// the lines that were appended to the log since then.
    ///
    /// # Costs
    ///
    /// Time and size are in proportion to the number of turns, tool calls and
    /// messages.
    ///
    /// # Example
    ///
    /// This shows a tool call whose result comes after the state was saved.
    ///
    /// ```
    /// use linetape::{Position, lines};
    /// use linetape_session::Turns;
    ///
    /// let call = br#"{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Read"}]}}"#;
    /// let result = br#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}"#;
    ///
    /// let mut turns = Turns::new();
    /// let mut lines = lines(call);
    /// while let Some(line) = lines.next_line() {
    ///     turns.add(line?.checked()?, Position::new(1, 0));
    /// }
    /// let state: Vec<u8> = turns.save();
    ///
    /// let mut turns = Turns::load(&state)?;
    /// let mut lines = linetape::lines(result);
    /// while let Some(line) = lines.next_line() {
    ///     turns.add(line?.checked()?, Position::new(2, 99));
    /// }
    /// let call = turns.find_call(None, "t1").unwrap();
    /// assert_eq!(call.answered, Some(Position::new(2, 99)));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn save(&self) -> Vec<u8> {
        state::save(Sort::Turns, self)
    }

    /// Returns the turns that were [saved](Turns::save).
    ///
    /// Adding the rest of a log to them gives the same turns as adding the
    /// whole log to new ones.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind
    /// [`ErrorKind::InvalidInput`](linetape::ErrorKind::InvalidInput) if the
    /// bytes are not a state of `Turns`, have another version of the format,
    /// or are damaged. A checksum detects damage.
    pub fn load(state: &[u8]) -> Result<Turns, Error> {
        state::load(Sort::Turns, state)
    }
}
