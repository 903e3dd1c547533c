//! Speakers, and the headings that were printed last.

use std::collections::HashMap;

use anstyle::Style;
use linetape::Value;
use linetape_session::Facts;

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
        }
    }

    pub fn style(self) -> Style {
        match self {
            Speaker::User => USER,
            Speaker::Assistant => MODEL,
            Speaker::Error => BAD.bold(),
            Speaker::Program | Speaker::System | Speaker::Server => HEAD,
        }
    }
}

/// The headings that have been printed, and are not repeated.
#[derive(Default)]
pub struct Known {
    pub session: Option<String>,
    /// Whether the session has messages on lines of their own.
    pub has_own_lines: bool,
    pub date: Option<String>,
    pub speech: Option<Speech>,
    /// Descriptions of sub-agents, by the ids of the calls that started them.
    agents: HashMap<String, String>,
}

/// Consecutive messages of one speaker.
#[derive(PartialEq)]
pub struct Speech {
    pub speaker: Speaker,
    /// The sub-agent: the id of the call that started it, or its own id.
    pub agent: Option<String>,
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

    /// Remembers the description of the sub-agent that a call starts, if it
    /// starts one.
    pub fn call(&mut self, id: Option<&str>, input: Option<Value<'_>>) {
        let text = |key| input?.get(key)?.as_str();
        let about = about(text("subagent_type"), text("description"));
        if let (Some(id), Some(_)) = (id, text("prompt")) {
            self.agents.insert(id.to_string(), about);
        }
    }

    /// Returns the description of the sub-agent of a message.
    pub fn agent(&self, facts: &Facts<'_>) -> String {
        let envelope = facts.message().envelope();
        let said =
            about(envelope.subagent_type(), envelope.task_description());
        let call = facts.parent_tool_use_id();
        let known = call.and_then(|call| self.agents.get(call));
        match known {
            _ if !said.is_empty() => said,
            Some(known) => known.clone(),
            None => about(facts.agent_id(), None),
        }
    }
}

/// Describes a sub-agent by its kind and task.
fn about(kind: Option<&str>, task: Option<&str>) -> String {
    let kind = kind.map(|kind| format!(" {kind}")).unwrap_or_default();
    let task = task.map(|task| format!(": {task}")).unwrap_or_default();
    kind + &task
}
