//! Who speaks, in which session, and when.

use std::{collections::HashMap, io};

use anstyle::Style;
use linetape::{Message, Value};

use crate::{
    paint::{BAD, DIM, HEAD, MODEL, USER},
    show::{Show, sheet::OneLine, time::Time},
};

#[derive(Clone, Copy, PartialEq)]
pub enum Speaker {
    User,
    /// What the program says in the user's name.
    Program,
    Assistant,
    System,
    Server,
    Error,
}

impl Speaker {
    fn name(self) -> &'static str {
        match self {
            Speaker::User => "User",
            Speaker::Program => "Program",
            Speaker::Assistant => "Assistant",
            Speaker::System => "System",
            Speaker::Server => "Server",
            Speaker::Error => "Error",
        }
    }

    fn style(self) -> Style {
        match self {
            Speaker::User => USER,
            Speaker::Assistant => MODEL,
            Speaker::Error => BAD.bold(),
            Speaker::Program | Speaker::System | Speaker::Server => HEAD,
        }
    }
}

/// What the reader knows already, and need not be told again.
#[derive(Default)]
pub struct Known {
    session: Option<String>,
    date: Option<String>,
    speech: Option<Speech>,
    /// What sub-agents are, by the calls that started them.
    agents: HashMap<String, String>,
}

/// What somebody says at one time.
#[derive(PartialEq)]
struct Speech {
    speaker: Speaker,
    /// The sub-agent that it is in: its call, or its own id.
    agent: Option<String>,
    /// Of a prompt.
    time: Option<Time>,
}

impl Known {
    /// Whoever speaks next is named.
    pub fn forget_speaker(&mut self) {
        self.speech = None;
    }

    /// A time, with its date if that is another than before.
    fn news(&mut self, time: Time) -> String {
        let Time { date, of_day } = time;
        if self.date.as_ref() == Some(&date) {
            return of_day;
        }
        let shown = format!("{date} {of_day}");
        self.date = Some(date);
        shown
    }

    /// Remembers what a call says about the sub-agent that it starts, if it
    /// starts one.
    pub fn call(&mut self, id: Option<&str>, input: Option<Value<'_>>) {
        let text = |key| input?.get(key)?.as_str();
        let about = about(text("subagent_type"), text("description"));
        if let (Some(id), Some(_)) = (id, text("prompt")) {
            self.agents.insert(id.to_string(), about);
        }
    }

    /// What is known about the sub-agent that says something.
    fn agent(&self, message: Message<'_>) -> String {
        let envelope = message.envelope();
        let said =
            about(envelope.subagent_type(), envelope.task_description());
        let call = envelope.parent_tool_use_id();
        let told = call.and_then(|call| self.agents.get(call));
        match told {
            _ if !said.is_empty() => said,
            Some(told) => told.clone(),
            None => about(envelope.agent_id(), None),
        }
    }
}

/// A sub-agent in a few words.
fn about(kind: Option<&str>, task: Option<&str>) -> String {
    let kind = kind.map(|kind| format!(" {kind}")).unwrap_or_default();
    let task = task.map(|task| format!(": {task}")).unwrap_or_default();
    kind + &task
}

impl Show {
    /// Says which session this is, if that is news.
    pub fn begin(&mut self, message: Message<'_>) -> io::Result<()> {
        let session = message.session_id().map(|id| id.to_string());
        let Some(session) = session else { return Ok(()) };
        if self.known.session.as_ref() == Some(&session) {
            return Ok(());
        }
        self.end_chunks()?;
        // A session is not its sub-agent's.
        self.sheet.set_side(false);
        self.sheet.gap()?;
        let time = Time::of(message);
        let date = time.as_ref().map(|time| format!(", {}", time.date));
        self.one_line(OneLine {
            style: DIM,
            head: &format!("--- session {session}"),
            tail: &date.unwrap_or_default(),
            tail_style: DIM,
            ..OneLine::default()
        })?;
        self.sheet.set_side(message.is_sidechain());
        self.known.session = Some(session);
        self.known.date = time.map(|time| time.date);
        self.known.speech = None;
        Ok(())
    }

    /// Says who speaks, if that is somebody else, or if a prompt is another.
    pub fn speak(
        &mut self,
        speaker: Speaker,
        message: Message<'_>,
    ) -> io::Result<()> {
        self.begin(message)?;
        let envelope = message.envelope();
        let agent = message.is_sidechain().then(|| {
            let call = envelope.parent_tool_use_id();
            call.or(envelope.agent_id()).unwrap_or_default().to_string()
        });
        let time = match speaker {
            Speaker::User => Time::of(message),
            _ => None,
        };
        let speech = Speech { speaker, agent, time: time.clone() };
        if self.known.speech.as_ref() == Some(&speech) {
            return Ok(());
        }
        self.known.speech = Some(speech);
        self.end_chunks()?;
        self.sheet.gap()?;
        let agent = match message.is_sidechain() {
            true => format!(" (sub-agent{})", self.known.agent(message)),
            false => String::new(),
        };
        let time = time.map(|time| format!("  {}", self.known.news(time)));
        self.one_line(OneLine {
            style: speaker.style(),
            head: speaker.name(),
            text: &agent,
            tail: &time.unwrap_or_default(),
            tail_style: DIM,
            ..OneLine::default()
        })
    }
}
