//! Speakers, and the headings that were printed last.

use anstyle::Style;
use linetape_session::{Facts, conversation::Agent};

use crate::{
    paint::{BAD, HEAD, MODEL, USER},
    show::time::Time,
};

#[derive(Clone, Copy, PartialEq)]
pub enum Speaker {
    User,
    /// The agent's program, in a message of the user.
    Program,
    Assistant,
    System,
    Server,
    Error,
    /// A background task has ended.
    Notification,
    Hook,
}

impl Speaker {
    pub fn name(self) -> &'static str {
        match self {
            Speaker::User => "User",
            Speaker::Program => "Program",
            Speaker::Assistant => "Assistant",
            Speaker::System => "System",
            Speaker::Server => "Server",
            Speaker::Error => "Error",
            Speaker::Notification => "Notification",
            Speaker::Hook => "Hook",
        }
    }

    pub fn style(self) -> Style {
        match self {
            Speaker::User => USER,
            Speaker::Assistant => MODEL,
            Speaker::Error => BAD.bold(),
            _ => HEAD,
        }
    }
}

/// The headings that have been printed, and are not repeated.
#[derive(Default)]
pub struct Known {
    /// The index of the session.
    pub session: Option<usize>,
    /// The index of the turn.
    pub turn: Option<usize>,
    pub date: Option<String>,
    pub speech: Option<Speech>,
}

/// Consecutive messages of one speaker.
#[derive(PartialEq)]
pub struct Speech {
    pub speaker: Speaker,
    /// The index of the sub-agent.
    pub agent: Option<usize>,
    /// The time, if this is a prompt.
    pub time: Option<Time>,
}

impl Known {
    /// Makes the next speaker be printed, even if it is the same.
    pub fn forget_speaker(&mut self) {
        self.speech = None;
    }

    /// Returns a time, with its date if that is not the last one printed.
    pub fn short_time(&mut self, time: Time) -> String {
        let Time { date, of_day } = time;
        if self.date.as_ref() == Some(&date) {
            return of_day;
        }
        let shown = format!("{date} {of_day}");
        self.date = Some(date);
        shown
    }
}

/// Describes the sub-agent of a message by its kind and task.
pub fn described(agent: Agent<'_>, facts: &Facts<'_>) -> String {
    let envelope = facts.message().envelope();
    let said = about(envelope.subagent_type(), envelope.task_description());
    match (agent.kind(), agent.task()) {
        _ if !said.is_empty() => said,
        (None, None) => about(facts.agent_id(), None),
        (kind, task) => about(kind, task),
    }
}

fn about(kind: Option<&str>, task: Option<&str>) -> String {
    let kind = kind.map(|kind| format!(" {kind}")).unwrap_or_default();
    let task = task.map(|task| format!(": {task}")).unwrap_or_default();
    kind + &task
}
