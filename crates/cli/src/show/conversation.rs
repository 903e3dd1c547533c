//! The conversation as it is printed: sessions, speakers, text and notes.

use std::io;

use linetape_session::{Facts, Turns};

use crate::{
    paint::DIM,
    show::{
        flow::Flow,
        sheet::{Form, Look, NOTE, OneLine, SPEECH, Sheet},
        speakers::{Known, Speaker, Speech},
        time::Time,
    },
};

/// The printed text, and the state that carries over to later messages.
pub struct Conversation {
    pub sheet: Sheet,
    /// Whether the input and the result of a tool are printed in full, not
    /// folded to one line.
    pub full: bool,
    /// Which results belong to which calls, and how long they took.
    pub turns: Turns,
    pub known: Known,
    /// A server's answer, which arrives in chunks.
    pub chunks: Flow,
}

impl Conversation {
    pub fn new(look: &Look) -> Conversation {
        Conversation {
            sheet: Sheet::new(look),
            full: look.full,
            turns: Turns::new(),
            known: Known::default(),
            chunks: Flow::default(),
        }
    }

    /// Prints the session of a message, if it is not that of the last one.
    pub fn begin(&mut self, facts: &Facts<'_>) -> io::Result<()> {
        let Some(session) = facts.session_name() else { return Ok(()) };
        if self.known.session.as_deref() == Some(&*session) {
            return Ok(());
        }
        self.end_chunks()?;
        // The heading of a session is not indented for a sub-agent.
        self.sheet.set_side(false);
        self.sheet.gap()?;
        let time = Time::of(facts);
        let date = time.as_ref().map(|time| format!(", {}", time.date));
        let fork = facts.message().envelope().forked_from();
        let fork = fork.and_then(|from| from.session_id());
        let fork = fork.map(|from| format!(", forked from {from}"));
        self.one_line(OneLine {
            style: DIM,
            head: &format!("--- session {session}"),
            text: &fork.unwrap_or_default(),
            tail: &date.unwrap_or_default(),
            tail_style: DIM,
            ..OneLine::default()
        })?;
        self.sheet.set_side(facts.is_sidechain());
        self.known.session = Some(session.into_owned());
        self.known.has_own_lines = false;
        self.known.date = time.map(|time| time.date);
        self.known.speech = None;
        Ok(())
    }

    /// Prints the speaker of a message, if it is not that of the last one, or
    /// if a new prompt begins.
    pub fn speak(
        &mut self,
        speaker: Speaker,
        facts: &Facts<'_>,
    ) -> io::Result<()> {
        self.begin(facts)?;
        let agent = facts.is_sidechain().then(|| {
            let call = facts.parent_tool_use_id();
            call.or(facts.agent_id()).unwrap_or_default().to_string()
        });
        let time = match speaker {
            Speaker::User => Time::of(facts),
            _ => None,
        };
        let speech = Speech { speaker, agent, time: time.clone() };
        if self.known.speech.as_ref() == Some(&speech) {
            return Ok(());
        }
        self.known.speech = Some(speech);
        self.end_chunks()?;
        self.sheet.gap()?;
        let agent = match facts.is_sidechain() {
            true => format!(" (sub-agent{})", self.known.agent(facts)),
            false => String::new(),
        };
        let time =
            time.map(|time| format!("  {}", self.known.short_time(time)));
        self.one_line(OneLine {
            style: speaker.style(),
            head: speaker.name(),
            text: &agent,
            tail: &time.unwrap_or_default(),
            tail_style: DIM,
            ..OneLine::default()
        })
    }

    /// Prints a text and its speaker, unless it is empty.
    pub fn says(
        &mut self,
        speaker: Speaker,
        facts: &Facts<'_>,
        form: Form,
        text: Option<&str>,
    ) -> io::Result<()> {
        let text = text.unwrap_or_default();
        if text.trim().is_empty() {
            return Ok(());
        }
        self.speak(speaker, facts)?;
        self.text(form, text)
    }

    /// Prints a note in parentheses.
    pub fn note(&mut self, facts: &Facts<'_>, note: &str) -> io::Result<()> {
        self.begin(facts)?;
        self.end_chunks()?;
        self.sheet.line(NOTE, &format!("({note})"))
    }

    /// Prints a text of several lines.
    pub fn text(&mut self, form: Form, text: &str) -> io::Result<()> {
        self.end_chunks()?;
        let mut flow = Flow::default();
        flow.add(text, |line| self.sheet.line(form, line))?;
        flow.end(|line| self.sheet.line(form, line))
    }

    /// Prints a line that is truncated if it is too long.
    pub fn one_line(&mut self, line: OneLine<'_>) -> io::Result<()> {
        self.end_chunks()?;
        self.sheet.one_line(line)
    }

    /// Prints the rest of an answer that arrived in chunks.
    pub fn end_chunks(&mut self) -> io::Result<()> {
        let sheet = &mut self.sheet;
        self.chunks.end(|line| sheet.line(SPEECH, line))
    }
}
