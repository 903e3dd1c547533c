//! A session as a person reads it: who said what, and which tools were called.

mod calls;
mod flow;
mod server;
mod sheet;
mod speakers;
mod time;

use std::{collections::HashSet, io};

use clap::Args;
use linetape::{
    Block, Decoder, Message, Position,
    message::{
        results::ResultMessage,
        stream::{AssistantSubtype, User},
        system::System,
    },
};
use linetape_session::{Assembled, Deltas, Facts, Turns};

use crate::{
    input::{Files, Prints},
    outcome::Outcome,
    paint::{BAD, HEAD},
    records::for_each_live,
    table::dollars,
};

use calls::{Answer, kind};
use flow::Flow;
use sheet::{FAULT, Form, NOTE, OneLine, SPEECH, Sheet, THOUGHT};
use speakers::{Known, Speaker};

/// How a session is shown.
#[derive(Args)]
pub struct Look {
    /// Print all of what tools are given, and give back
    #[arg(long)]
    full: bool,
    /// Break lines at so many columns, or never if it is 0; without it, at
    /// the width of the terminal, if it is printed to one
    #[arg(long, value_name = "COLUMNS")]
    width: Option<u16>,
    /// Print strings as the log has them, even where they can drive the
    /// terminal: only for logs that you trust
    #[arg(long)]
    raw: bool,
}

/// Prints all conversations, in the order of the lines.
pub fn run(files: &Files, look: &Look) -> io::Result<Outcome> {
    let mut show = Show {
        sheet: Sheet::new(look),
        full: look.full,
        turns: Turns::new(),
        deltas: Deltas::new(),
        streamed: vec![],
        said: HashSet::new(),
        known: Known::default(),
        chunks: Flow::default(),
    };
    let outcome = for_each_live(
        files,
        Prints::AsItGoes,
        &mut show,
        |show, line| {
            let facts = Facts::of(line.checked()?);
            match show.deltas.add_facts(&facts)? {
                Some(whole) if whole.is_finished => show.streamed.push(whole),
                // The next one has begun.
                Some(torn) => show.end_stream(&torn)?,
                None => {}
            }
            show.message(&facts, line.position())
        },
        |show| show.sheet.flush(),
    )?;
    show.end_streams()?;
    show.end_chunks()?;
    show.sheet.flush()?;
    Ok(outcome)
}

struct Show {
    sheet: Sheet,
    /// Whether what tools are given and give back is not folded to one line.
    full: bool,
    /// Which results belong to which calls, and how long they took.
    turns: Turns,
    /// Messages that come piece by piece.
    deltas: Deltas,
    /// Those that have ended, and may come whole yet.
    streamed: Vec<Assembled>,
    /// The ids of messages that came whole.
    said: HashSet<String>,
    known: Known,
    /// A server's answer, which comes piece by piece.
    chunks: Flow,
}

impl Show {
    fn message(
        &mut self,
        facts: &Facts<'_>,
        position: Position,
    ) -> io::Result<()> {
        let message = facts.message();
        self.turns.add_facts(facts, position);
        if facts.is_sidechain() {
            // They are not the sub-agent's.
            self.end_chunks()?;
        }
        self.sheet.set_side(facts.is_sidechain());
        match message {
            Message::User(user) => self.blocks(speaker(user), message),
            Message::Assistant(said) => {
                let id = said.message().and_then(|inner| inner.id());
                self.said.extend(id.map(str::to_string));
                self.streamed.retain(|streamed| streamed.id.as_deref() != id);
                self.blocks(Speaker::Assistant, message)?;
                match said.tool_name() {
                    // The old form of a call has a line to itself.
                    Some(tool) => {
                        self.call(message, Some(tool), said.tool_arguments())
                    }
                    None => Ok(()),
                }
            }
            Message::System(system) => self.system(message, system),
            Message::CompactSystem(step) => match step.message() {
                Some(step) => self.note(message, step.as_str()),
                None => Ok(()),
            },
            Message::Result(result) => self.result(message, result),
            Message::Ui(ui) => self.event(message, ui.event()),
            Message::Input(input) => {
                self.says(Speaker::User, message, SPEECH, input.content())
            }
            Message::Error(error) => {
                let what = error.error().and_then(|error| error.message());
                self.says(Speaker::Error, message, SPEECH, what)
            }
            _ => Ok(()),
        }
    }

    /// The messages that came piece by piece, and never whole.
    fn end_streams(&mut self) -> io::Result<()> {
        let mut streamed = std::mem::take(&mut self.streamed);
        streamed.extend(self.deltas.take_unfinished());
        streamed.iter().try_for_each(|streamed| self.end_stream(streamed))
    }

    /// A message that will not come whole any more, unless it has.
    fn end_stream(&mut self, streamed: &Assembled) -> io::Result<()> {
        let id = streamed.id.as_deref();
        if id.is_some_and(|id| self.said.contains(id)) {
            return Ok(());
        }
        let line = streamed.to_line();
        let mut decoder = Decoder::new();
        if let Ok(record) = decoder.decode(line.as_bytes()) {
            self.message(&Facts::of(record.message()), record.position())?;
            self.speak(Speaker::Assistant, record.message())?;
            self.note(record.message(), "it breaks off here")?;
        }
        Ok(())
    }

    fn blocks(
        &mut self,
        speaker: Speaker,
        message: Message<'_>,
    ) -> io::Result<()> {
        // The old form of thoughts is a message of its own.
        let form = match message {
            Message::Assistant(said)
                if said.subtype() == Some(AssistantSubtype::Thinking) =>
            {
                THOUGHT
            }
            _ => SPEECH,
        };
        for block in message.content_blocks() {
            match block {
                Block::Text(text) => {
                    self.says(speaker, message, form, text.text())?;
                }
                Block::Thinking(thought) => {
                    let thought = thought.thinking();
                    self.says(speaker, message, THOUGHT, thought)?;
                }
                Block::ToolUse(call) => self.calls(message, *call)?,
                Block::ServerToolUse(call) => self.calls(message, *call)?,
                Block::McpToolUse(call) => self.calls(message, *call)?,
                Block::ToolResult(answer) => {
                    self.answer(message, &Answer::of_block(*answer))?;
                }
                Block::McpToolResult(answer) => {
                    self.answer(message, &Answer::of_block(*answer))?;
                }
                Block::WebSearchToolResult(answer) => {
                    self.answer(message, &Answer::of_server(*answer))?;
                }
                Block::CodeExecutionToolResult(answer) => {
                    self.answer(message, &Answer::of_server(*answer))?;
                }
                other => {
                    self.speak(speaker, message)?;
                    self.note(message, kind(other))?;
                }
            }
        }
        Ok(())
    }

    fn system(
        &mut self,
        message: Message<'_>,
        system: System<'_>,
    ) -> io::Result<()> {
        let id = match system {
            System::Init(init) => {
                let model = init.model().unwrap_or("unknown model");
                return self.note(message, &format!("{model} begins"));
            }
            System::CompactBoundary(_) => {
                let note = "the conversation so far is compacted";
                return self.note(message, note);
            }
            System::ToolResult(result) => result.tool_use_id(),
            _ if message.is_error() => None,
            _ => return Ok(()),
        };
        // The old form of a result.
        let id = id.or(message.parent_uuid());
        let is_result = matches!(system, System::ToolResult(_));
        if is_result || self.find_call(message, id).is_some() {
            let (is_error, text) = (message.is_error(), message.text());
            let text = text.to_string();
            self.answer(message, &Answer { id, is_error, text })
        } else {
            self.blocks(Speaker::System, message)
        }
    }

    fn says(
        &mut self,
        speaker: Speaker,
        message: Message<'_>,
        form: Form,
        text: Option<&str>,
    ) -> io::Result<()> {
        let text = text.unwrap_or_default();
        if text.trim().is_empty() {
            return Ok(());
        }
        self.speak(speaker, message)?;
        self.text(form, text)
    }

    fn note(&mut self, message: Message<'_>, note: &str) -> io::Result<()> {
        self.begin(message)?;
        self.end_chunks()?;
        self.sheet.line(NOTE, &format!("({note})"))
    }

    fn result(
        &mut self,
        message: Message<'_>,
        result: ResultMessage<'_>,
    ) -> io::Result<()> {
        self.begin(message)?;
        self.end_chunks()?;
        self.known.forget_speaker();
        let subtype = result.subtype();
        let is_error = message.is_error();
        let facts = [
            subtype.map(|subtype| subtype.as_str().to_string()),
            is_error.then(|| "error".to_string()),
            result.num_turns().map(|turns| format!("{turns} turns")),
            result.duration_ms().map(|ms| format!("{:.1} s", ms / 1000.0)),
            result.total_cost_usd().map(|cost| format!("${}", dollars(cost))),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        self.sheet.gap()?;
        let style = if is_error { BAD.bold() } else { HEAD };
        self.one_line(OneLine {
            style,
            tail_style: style,
            head: "Result: ",
            text: &facts.join(", "),
            ..OneLine::default()
        })?;
        for error in result.errors().into_iter().flatten() {
            self.text(FAULT, error)?;
        }
        Ok(())
    }

    /// Several lines.
    fn text(&mut self, form: Form, text: &str) -> io::Result<()> {
        self.end_chunks()?;
        let mut flow = Flow::default();
        flow.add(text, |line| self.sheet.line(form, line))?;
        flow.end(|line| self.sheet.line(form, line))
    }

    fn one_line(&mut self, line: OneLine<'_>) -> io::Result<()> {
        self.end_chunks()?;
        self.sheet.one_line(line)
    }
}

/// Who says something in the user's name.
fn speaker(user: User<'_>) -> Speaker {
    let flags = [user.is_meta(), user.is_compact_summary()];
    match flags.contains(&Some(true)) {
        true => Speaker::Program,
        false => Speaker::User,
    }
}
