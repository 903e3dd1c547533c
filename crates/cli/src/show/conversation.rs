//! Prints the steps of a conversation, one by one.

use std::{collections::HashMap, io};

use linetape_report::run_figures;
use linetape_session::{
    Facts,
    conversation::{Session, Step, StepKind, Summary},
};

use crate::{
    show::{
        flow::Flow,
        notes,
        paper::{Form, Outcome, Paper},
        speakers::{Known, Speaker, Speech, described},
        time::Time,
        words::{arguments, headline, on_one_line, speaker_of},
    },
    table::counted,
};

/// The most lines of a hook's text that are printed without `--full`.
const HOOK_LINES: usize = 10;

/// The printed text, and the state that carries over to later steps.
pub struct Conversation<P> {
    pub paper: P,
    /// Whether everything is printed in full.
    pub full: bool,
    /// Whether steps come in reading order, and not in the order of the log.
    is_in_order: bool,
    known: Known,
    /// A server's answer, which arrives in chunks.
    chunks: Flow,
    /// The call that was printed last, if nothing was printed after it.
    last_call: Option<usize>,
    /// What the calls without a result are about.
    subjects: HashMap<usize, String>,
    pub depth: usize,
}

impl<P: Paper> Conversation<P> {
    pub fn new(paper: P, full: bool, is_in_order: bool) -> Conversation<P> {
        Conversation {
            paper,
            full,
            is_in_order,
            known: Known::default(),
            chunks: Flow::default(),
            last_call: None,
            subjects: HashMap::new(),
            depth: 0,
        }
    }

    /// Prints a step, but not the result or the sub-agents of a call.
    pub fn step(
        &mut self,
        step: Step<'_>,
        facts: &Facts<'_>,
    ) -> io::Result<()> {
        let depth = self.depth_of(step);
        if depth > 0 {
            // The chunks so far are not the sub-agent's.
            self.end_chunks()?;
        }
        self.paper.set_depth(depth);
        let turn = step.turn().map(|turn| turn.index());
        if self.known.turn != turn {
            self.end_chunks()?;
            // Consecutive prompts of the same time have one heading.
            if step.kind() != StepKind::Prompt {
                self.known.forget_speaker();
            }
            self.known.turn = turn;
        }
        let call = self.last_call.take();
        let speaker = speaker_of(step, facts);
        match step.kind() {
            StepKind::Call => self.call(step, facts),
            StepKind::ToolResult => self.answer(step, facts, call),
            StepKind::Chunk => {
                self.speak(speaker, step, facts)?;
                let (text, paper) = (step.text(facts), &mut self.paper);
                self.chunks.add(&text, |line| paper.line(Form::Speech, line))
            }
            StepKind::Thought => {
                self.says(speaker, step, facts, Form::Thought, None)
            }
            StepKind::Notification => self.notification(step, facts),
            StepKind::Summary if !self.full => {
                let lines = step.text(facts).trim().lines().count();
                let lines = counted(lines, "line");
                let note = format!("summary of the conversation: {lines}");
                self.note(step, facts, &note)
            }
            StepKind::Command | StepKind::Output => {
                let text = step.words(facts);
                self.says(speaker, step, facts, Form::Speech, Some(&text))
            }
            StepKind::Hook if !self.full => self.hook(step, facts),
            StepKind::Block => {
                self.speak(speaker, step, facts)?;
                self.content(step, facts)
            }
            StepKind::Result => self.result(step, facts),
            StepKind::Truncated => {
                self.speak(speaker, step, facts)?;
                self.note(step, facts, "message truncated")
            }
            StepKind::Agent => Ok(()),
            _ => match notes::note(step, facts) {
                Some(note) => self.note(step, facts, &note),
                None => self.says(speaker, step, facts, Form::Speech, None),
            },
        }
    }

    /// Prints the session of a step, if it is not that of the last one.
    fn begin(&mut self, step: Step<'_>, facts: &Facts<'_>) -> io::Result<()> {
        let session = step.turn().and_then(|turn| turn.session());
        let Some(session) = session else { return Ok(()) };
        if self.known.session == Some(session.index()) {
            return Ok(());
        }
        self.end_chunks()?;
        self.known.session = Some(session.index());
        self.known.speech = None;
        let date = Time::of(facts).map(|time| time.date);
        if self.heading(session, date.as_deref())? {
            self.paper.set_depth(self.depth_of(step));
            self.known.date = date;
        }
        Ok(())
    }

    /// Prints the heading of a session, and returns whether it has an id.
    fn heading(
        &mut self,
        session: Session<'_>,
        date: Option<&str>,
    ) -> io::Result<bool> {
        let Some(id) = session.id() else { return Ok(false) };
        // It is not indented for a sub-agent.
        self.paper.set_depth(0);
        let origin = session.forked_from();
        self.paper.session(id, origin, date)?;
        if !self.is_in_order {
            return Ok(true);
        }
        if let Some(other) = session.begins_as() {
            self.paper.note(&format!(
                "shares its first messages with session {other}, where they \
                 are shown"
            ))?;
        }
        for warning in session.warnings() {
            self.paper.note(&format!("warning: {warning}"))?;
        }
        Ok(true)
    }

    /// Prints the heading of a session whose messages are all copies of those
    /// of another one.
    pub fn copy(&mut self, session: Session<'_>) -> io::Result<()> {
        if session.begins_as().is_some() {
            self.end_chunks()?;
            self.heading(session, None)?;
        }
        Ok(())
    }

    fn depth_of(&self, step: Step<'_>) -> usize {
        let agent = step.turn().and_then(|turn| turn.agent());
        match self.is_in_order {
            true => self.depth,
            false => usize::from(agent.is_some()),
        }
    }

    /// Prints the speaker of a step, if it is not that of the last one, or if
    /// a new prompt begins.
    fn speak(
        &mut self,
        speaker: Speaker,
        step: Step<'_>,
        facts: &Facts<'_>,
    ) -> io::Result<()> {
        self.begin(step, facts)?;
        let agent = step.turn().and_then(|turn| turn.agent());
        let time = match speaker {
            Speaker::User | Speaker::Notification => Time::of(facts),
            _ => None,
        };
        let index = agent.map(|agent| agent.index());
        let speech = Speech { speaker, agent: index, time: time.clone() };
        if self.known.speech.as_ref() == Some(&speech) {
            return Ok(());
        }
        self.known.speech = Some(speech);
        self.end_chunks()?;
        let agent = agent.map(|agent| described(agent, facts));
        let time = time.map(|time| self.known.short_time(time));
        self.paper.speaker(speaker, agent.as_deref(), time.as_deref())
    }

    /// Prints a text and its speaker, unless it is empty. By default, the text
    /// of the step.
    fn says(
        &mut self,
        speaker: Speaker,
        step: Step<'_>,
        facts: &Facts<'_>,
        form: Form,
        text: Option<&str>,
    ) -> io::Result<()> {
        let own = match text {
            Some(text) => text.into(),
            None => step.text(facts),
        };
        if own.trim().is_empty() {
            return Ok(());
        }
        self.speak(speaker, step, facts)?;
        self.end_chunks()?;
        self.paper.text(form, &own)
    }

    /// Prints a note.
    fn note(
        &mut self,
        step: Step<'_>,
        facts: &Facts<'_>,
        note: &str,
    ) -> io::Result<()> {
        self.begin(step, facts)?;
        self.end_chunks()?;
        self.paper.note(note)
    }

    /// Prints what a hook says. If it is long, only its beginning: it may be a
    /// whole manual for the model.
    fn hook(&mut self, step: Step<'_>, facts: &Facts<'_>) -> io::Result<()> {
        let text = step.text(facts);
        let lines: Vec<&str> = text.trim().lines().collect();
        let shown = match lines.len() > HOOK_LINES {
            true => lines.get(..HOOK_LINES).unwrap_or_default().join("\n"),
            false => text.to_string(),
        };
        self.says(Speaker::Hook, step, facts, Form::Speech, Some(&shown))?;
        match lines.len().checked_sub(HOOK_LINES) {
            None | Some(0) => Ok(()),
            Some(left) => self.note(step, facts, &counted(left, "more line")),
        }
    }

    /// Prints what a content block is, and its text with `--full`.
    fn content(
        &mut self,
        step: Step<'_>,
        facts: &Facts<'_>,
    ) -> io::Result<()> {
        let all = step.text(facts);
        let Some((heading, text)) = all.split_once('\n') else {
            return self.note(step, facts, &all);
        };
        if self.full {
            self.note(step, facts, heading)?;
            return self.paper.text(Form::Speech, text);
        }
        let lines = counted(text.trim().lines().count(), "line");
        self.note(step, facts, &format!("{heading}: {lines}"))
    }

    /// Prints that steps were abandoned.
    pub fn abandoned(&mut self, count: usize) -> io::Result<()> {
        self.end_chunks()?;
        self.paper.set_depth(self.depth);
        self.last_call = None;
        let how = if self.full { "" } else { ", see --full" };
        let steps = counted(count, "step");
        self.paper.note(&format!("abandoned: {steps}{how}"))
    }

    fn call(&mut self, step: Step<'_>, facts: &Facts<'_>) -> io::Result<()> {
        let summary = Summary::of_step(step, facts);
        let input = match self.full {
            true => step.input(facts).map(arguments),
            false => None,
        };
        self.speak(Speaker::Assistant, step, facts)?;
        self.end_chunks()?;
        let call = step.call().map(|call| call.index());
        if let Some(call) = call {
            self.subjects.insert(call, summary.subject.clone());
        }
        self.last_call = call;
        self.paper.call(&summary, input.as_deref())
    }

    /// Prints the result of a call. `last` is the call before it.
    fn answer(
        &mut self,
        step: Step<'_>,
        facts: &Facts<'_>,
        last: Option<usize>,
    ) -> io::Result<()> {
        let result = step.result(facts);
        let call = step.call();
        let subject =
            call.and_then(|call| self.subjects.remove(&call.index()));
        let subject = subject.filter(|subject| {
            !subject.is_empty() && last != call.map(|call| call.index())
        });
        let is_error =
            result.is_error || call.is_some_and(|call| call.is_error());
        let head = headline(call, subject.as_deref(), is_error);
        let name = call.and_then(|call| call.name());
        let lines = result.lines();
        let tail = match (lines, name) {
            (0 | 1, name) if is_error || name != Some("Read") => String::new(),
            (lines, _) => format!(" [{}]", counted(lines, "line")),
        };
        // Their summaries say it all.
        let is_told = !is_error
            && matches!(
                name,
                Some("Read" | "Edit" | "MultiEdit" | "Write" | "NotebookEdit")
            );
        let text = match (self.full, is_told) {
            (true, _) => result.text.to_string(),
            (false, true) => String::new(),
            (false, false) => on_one_line(&result.text),
        };
        let tail = match (self.full, name) {
            (true, _) => "",
            (_, Some("Edit" | "MultiEdit" | "Write")) if is_told => "",
            _ => &tail,
        };
        // Results are in messages of the user, but belong to the assistant.
        self.speak(Speaker::Assistant, step, facts)?;
        self.end_chunks()?;
        let outcome = Outcome { head: &head, is_error, text: &text, tail };
        self.paper.result(&outcome, self.full)
    }

    /// Prints that a background task has ended.
    fn notification(
        &mut self,
        step: Step<'_>,
        facts: &Facts<'_>,
    ) -> io::Result<()> {
        let text = step.text(facts);
        self.speak(Speaker::Notification, step, facts)?;
        self.end_chunks()?;
        let notices = step.notices(&text, facts);
        if self.full || notices.is_empty() {
            return self.paper.text(Form::Speech, &step.words(facts));
        }
        for notice in notices {
            self.paper.text(Form::Speech, &notice.heading(step))?;
            let parts = [notice.result.unwrap_or_default(), notice.rest];
            for part in parts.into_iter().filter(|part| !part.is_empty()) {
                match part.lines().count() {
                    0 | 1 => self.paper.text(Form::Speech, part)?,
                    n => {
                        let lines = counted(n, "line");
                        self.paper.note(&format!("result: {lines}"))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Prints the end of a run.
    fn result(&mut self, step: Step<'_>, facts: &Facts<'_>) -> io::Result<()> {
        let Some(result) = facts.run_result() else { return Ok(()) };
        self.begin(step, facts)?;
        self.end_chunks()?;
        self.known.forget_speaker();
        let figures = run_figures(result, facts.is_error());
        self.paper.end(&figures, facts.is_error())?;
        for error in result.errors().into_iter().flatten() {
            self.paper.text(Form::Fault, error)?;
        }
        Ok(())
    }

    /// Prints the rest of an answer that arrived in chunks.
    pub fn end_chunks(&mut self) -> io::Result<()> {
        let paper = &mut self.paper;
        self.chunks.end(|line| paper.line(Form::Speech, line))
    }
}
