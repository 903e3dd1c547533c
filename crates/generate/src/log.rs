//! A log that is planned some lines ahead.

use std::collections::VecDeque;

use crate::{
    fill::{Call, Scope, template},
    random::{Lengths, Random},
};

/// How often a tool is called, its kind in `lines.txt`, and the lengths of the
/// longest text in its results.
pub(crate) type Tool = (u32, &'static str, Lengths);

#[derive(Debug)]
struct Line {
    template: &'static str,
    scope: Scope<'static>,
    /// The text of the scope.
    text: String,
}

/// The lines that are planned, and what is known about the next ones.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) random: Random,
    /// Plans some lines.
    plan: fn(&mut Log),
    lines: VecDeque<Line>,
    /// What the next line is about.
    pub(crate) scope: Scope<'static>,
    /// The offset of the next line.
    offset: usize,
    /// The number of remaining turns of the session.
    turns: u32,
}

impl Log {
    pub(crate) fn new(seed: u64, plan: fn(&mut Log)) -> Log {
        // 5 January 2026. A log begins within the hundred days after it.
        const START: u64 = 1_767_571_200_000;
        let mut random = Random::new(seed);
        let now = START + u64::from(random.below(8_640_000)) * 1_000;
        let session = random.next();
        let scope = Scope { now, session, ..Scope::default() };
        let lines = VecDeque::new();
        Log { random, plan, lines, scope, offset: 0, turns: 0 }
    }

    /// Appends the next line.
    pub(crate) fn line(&mut self, out: &mut String) {
        loop {
            if let Some(line) = self.lines.pop_front() {
                let (text, offset) = (&*line.text, self.offset);
                let scope = Scope { text, offset, ..line.scope };
                scope.fill(out, line.template);
                self.offset += out.len() + 1;
                return;
            }
            (self.plan)(self);
        }
    }

    /// Counts a turn. Returns whether it begins a session of at most `most`
    /// turns.
    pub(crate) fn begins_session(&mut self, most: u32) -> bool {
        let begins = self.turns == 0;
        if begins {
            self.turns = self.random.between(2, most);
            let (session, now) = (self.random.next(), self.scope.now);
            self.scope = Scope { session, now, ..Scope::default() };
        }
        self.turns -= 1;
        begins
    }

    /// Plans a line.
    pub(crate) fn push(&mut self, name: &str) {
        self.push_text(name, String::new());
    }

    /// Plans a line with a text.
    pub(crate) fn push_text(&mut self, name: &str, text: String) {
        self.scope.line = self.random.next();
        self.push_line(name, text);
    }

    /// Plans the line of a call, whose ids have the same seed.
    pub(crate) fn push_call(&mut self, name: &str) {
        self.scope.line = self.scope.call.seed;
        self.push_line(name, String::new());
    }

    fn push_line(&mut self, name: &str, text: String) {
        self.scope.now += u64::from(self.random.between(1, 3_000));
        let (template, scope) = (template(name), self.scope);
        self.lines.push_back(Line { template, scope, text });
        // A line that has a parent is the parent of the next.
        if template.starts_with("$begin") {
            self.scope.parent = Some(scope.line);
        }
    }

    /// Begins a message.
    pub(crate) fn message(&mut self) {
        self.scope.message = self.random.next();
    }

    /// Begins a call of one of the tools.
    pub(crate) fn call(&mut self, tools: &[Tool]) {
        let total = tools.iter().map(|tool| tool.0).sum();
        let mut left = self.random.below(total);
        for &(weight, tool, lengths) in tools {
            if left < weight {
                let seed = self.random.next();
                let size = self.random.length(lengths);
                self.scope.call = Call { seed, tool, size };
                return;
            }
            left -= weight;
        }
    }
}
