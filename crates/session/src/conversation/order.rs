/*!
The order of a sub-agent's steps.

Some versions of the agent program write a sub-agent's calls and results into
`progress` lines of the session, and all its messages into a file of its own. The
steps of each source are in order, but the sources are read one after the other.
*/

use crate::{
    conversation::{Conversation, TurnEntry},
    ids::Index,
};

/// A step with its time and turn.
struct Timed {
    time: Option<i64>,
    step: Index,
    /// The turn that it begins, if that has a prompt.
    begins: Option<Index>,
}

impl Conversation {
    /// Sorts the steps of sub-agents that are in several sources by time. The
    /// turns begin at the same prompts as before.
    pub(crate) fn sort_agents(&mut self) {
        for thread in 0..self.threads.len() {
            let Some(entry) = self.threads.get(thread) else { return };
            if !entry.is_agent || !self.has_several_sources(&entry.turns) {
                continue;
            }
            let turns = entry.turns.clone();
            let turns = self.sort_steps(turns);
            if let Some(entry) = self.threads.get_mut(thread) {
                entry.turns = turns;
            }
        }
    }

    fn has_several_sources(&self, turns: &[Index]) -> bool {
        let turns = turns.iter().filter_map(|at| self.turns.get(at.get()));
        let steps = turns.flat_map(|turn| turn.steps.iter());
        let mut sources =
            steps.filter_map(|step| Some(self.steps.get(*step)?.place.source));
        let first = sources.next();
        sources.any(|source| Some(source) != first)
    }

    /// Sorts the steps of several turns of a thread. Returns the turns that
    /// are left, in order.
    fn sort_steps(&mut self, turns: Vec<Index>) -> Vec<Index> {
        let mut steps = vec![];
        for turn in &turns {
            let Some(entry) = self.turns.get_mut(turn.get()) else { continue };
            let begins = entry.is_asked.then_some(*turn);
            entry.times = None;
            for (nth, step) in entry.steps.drain(..).enumerate() {
                let begins = begins.filter(|_| nth == 0);
                steps.push(Timed { time: None, step, begins });
            }
        }
        // A step without a time stays after the one before it.
        let mut last = None;
        for timed in &mut steps {
            let time = self.steps.get(timed.step).and_then(|step| step.time);
            last = time.or(last);
            timed.time = last;
        }
        steps.sort_by_key(|timed| timed.time);
        let mut left: Vec<Index> = vec![];
        for Timed { time, step, begins } in steps {
            let turn = begins.or(left.last().copied()).or_else(|| {
                let is_asked = |turn: &&Index| {
                    let turn = self.turns.get(turn.get());
                    turn.is_some_and(|turn| turn.is_asked)
                };
                let mut unasked = turns.iter().filter(|turn| !is_asked(turn));
                unasked.next().or(turns.first()).copied()
            });
            let Some(turn) = turn else { continue };
            if left.last() != Some(&turn) {
                left.push(turn);
            }
            self.steps.set_turn(step, turn);
            if let Some(entry) = self.turns.get_mut(turn.get()) {
                entry.add(step, time);
            }
        }
        self.move_messages(&turns, left.last());
        left
    }

    /// Counts the messages of turns without steps in the last turn.
    fn move_messages(&mut self, turns: &[Index], last: Option<&Index>) {
        let mut moved = 0;
        for turn in turns {
            if let Some(entry) = self.turns.get_mut(turn.get())
                && entry.steps.is_empty()
            {
                moved += std::mem::take(&mut entry.messages);
            }
        }
        if let Some(last) = last.and_then(|at| self.turns.get_mut(at.get())) {
            last.messages += moved;
        }
    }
}

impl TurnEntry {
    /// Adds a step at its end.
    pub(super) fn add(&mut self, step: Index, time: Option<i64>) {
        self.steps.push(step);
        let times = self.times.or(time.map(|at| (at, at)));
        self.times = times.map(|(first, last)| {
            let at = time.unwrap_or(last);
            (first.min(at), last.max(at))
        });
    }
}
