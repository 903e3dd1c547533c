//! A session as a person reads it: who said what, and which tools were called.

use std::{
    collections::HashSet,
    io::{self, Write},
};

use linetape::{
    Block, Decoder, Escaped, Message, Position, Value,
    message::{
        AnswerBlock, AssistantSubtype, CallBlock, Content, ResultMessage,
        System, UiEvent,
    },
    session::{Assembled, Deltas, ToolCall, Turns},
};

use crate::{
    input::{Files, Prints},
    outcome::Outcome,
    paint::page,
    records::for_each,
    table::dollars,
};

/// How many characters of a tool's input or result are shown.
const FOLD: usize = 100;

/// Prints all conversations, in the order of the lines. With `full`, what
/// tools give back is not folded to one line.
pub fn run(files: &Files, full: bool) -> io::Result<Outcome> {
    let mut show = Show {
        out: page(),
        full,
        turns: Turns::new(),
        deltas: Deltas::new(),
        streamed: vec![],
        said: HashSet::new(),
        session: None,
        side: false,
        speaker: None,
        chunks: String::new(),
    };
    let outcome = for_each(files, Prints::AsItGoes, |line| {
        // The line has been checked.
        let Ok(message) = line.peek() else { return Ok(()) };
        let streamed = show.deltas.add(message);
        show.streamed.extend(streamed);
        show.message(message, line.position())
    })?;
    show.end_streams()?;
    show.end_chunks()?;
    show.out.flush()?;
    Ok(outcome)
}

struct Show<W> {
    out: W,
    full: bool,
    /// Which results belong to which calls, and how long they took.
    turns: Turns,
    /// Messages that come piece by piece.
    deltas: Deltas,
    /// Those that have ended, and may come whole yet.
    streamed: Vec<Assembled>,
    /// The ids of messages that came whole.
    said: HashSet<String>,
    /// The session that the last line was of.
    session: Option<String>,
    /// Whether the message is in a sidechain.
    side: bool,
    /// Who spoke last, and whether in a sidechain.
    speaker: Option<(&'static str, bool)>,
    /// What has come of a server's answer, piece by piece.
    chunks: String,
}

impl<W: Write> Show<W> {
    fn message(
        &mut self,
        message: Message<'_>,
        position: Position,
    ) -> io::Result<()> {
        self.turns.add(message, position);
        self.side = message.is_sidechain();
        match message {
            Message::User(_) => self.blocks("User", message),
            Message::Assistant(said) => {
                let id = said.message().and_then(|inner| inner.id());
                self.said.extend(id.map(str::to_string));
                self.streamed.retain(|streamed| streamed.id.as_deref() != id);
                self.blocks("Assistant", message)?;
                match said.tool_name() {
                    // The old form of a call has a line to itself.
                    Some(tool) => {
                        self.speak("Assistant", message)?;
                        self.call(Some(tool), said.tool_arguments())
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
                self.says("User", message, "", input.content())
            }
            Message::Error(error) => {
                let what = error.error().and_then(|error| error.message());
                self.says("Error", message, "", what)
            }
            _ => Ok(()),
        }
    }

    /// The messages that came piece by piece, and never whole.
    fn end_streams(&mut self) -> io::Result<()> {
        let mut streamed = std::mem::take(&mut self.streamed);
        streamed.extend(self.deltas.take_unfinished());
        let mut decoder = Decoder::new();
        for streamed in streamed {
            let id = streamed.id.as_deref();
            if id.is_some_and(|id| self.said.contains(id)) {
                continue;
            }
            let line = streamed.to_line();
            if let Ok(record) = decoder.decode(line.as_bytes()) {
                self.message(record.message(), record.position())?;
                self.note(record.message(), "it breaks off here")?;
            }
        }
        Ok(())
    }

    fn blocks(
        &mut self,
        speaker: &'static str,
        message: Message<'_>,
    ) -> io::Result<()> {
        // The old form of thoughts is a message of its own.
        let mark = match message {
            Message::Assistant(said)
                if said.subtype() == Some(AssistantSubtype::Thinking) =>
            {
                "~ "
            }
            _ => "",
        };
        for block in message.content_blocks() {
            match block {
                Block::Text(text) => {
                    self.says(speaker, message, mark, text.text())?;
                }
                Block::Thinking(thought) => {
                    self.says(speaker, message, "~ ", thought.thinking())?;
                }
                Block::ToolUse(call) => self.calls(message, *call)?,
                Block::ServerToolUse(call) => self.calls(message, *call)?,
                Block::McpToolUse(call) => self.calls(message, *call)?,
                Block::ToolResult(answer) => {
                    self.answers(message, *answer)?;
                }
                Block::McpToolResult(answer) => {
                    self.answers(message, *answer)?;
                }
                other => {
                    let kind = other.value().get("type");
                    let kind = kind.and_then(|kind| kind.as_str());
                    self.speak(speaker, message)?;
                    self.note(message, kind.unwrap_or("something else"))?;
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
            let text = message.text().to_string();
            self.answer(message, id, message.is_error(), &text)
        } else {
            self.blocks("System", message)
        }
    }

    fn event(
        &mut self,
        message: Message<'_>,
        event: UiEvent<'_>,
    ) -> io::Result<()> {
        match event {
            UiEvent::TextChunk(chunk) => {
                self.speak("Assistant", message)?;
                self.chunks += chunk.text().unwrap_or_default();
                Ok(())
            }
            UiEvent::ToolExecuting(call) => {
                self.speak("Assistant", message)?;
                self.call(call.tool_name(), call.input())
            }
            UiEvent::ToolCompleted(done) => {
                let text = done.result().unwrap_or_default();
                self.answer(message, done.tool_use_id(), false, text)
            }
            UiEvent::Complete(_) => {
                self.speaker = None;
                self.end_chunks()
            }
            _ => {
                let text = message.text().to_string();
                self.says("Server", message, "", Some(&text))
            }
        }
    }

    /// Says which session this is, if that is news.
    fn begin(&mut self, message: Message<'_>) -> io::Result<()> {
        let session = message.session_id().map(|id| id.to_string());
        let Some(session) = session else { return Ok(()) };
        if self.session.as_ref() == Some(&session) {
            return Ok(());
        }
        self.end_chunks()?;
        let shown = Escaped(session.as_bytes());
        writeln!(self.out, "--- session {shown}")?;
        self.session = Some(session);
        self.speaker = None;
        Ok(())
    }

    /// Says who speaks, if that is somebody else.
    fn speak(
        &mut self,
        speaker: &'static str,
        message: Message<'_>,
    ) -> io::Result<()> {
        self.begin(message)?;
        if self.speaker == Some((speaker, self.side)) {
            return Ok(());
        }
        self.speaker = Some((speaker, self.side));
        self.end_chunks()?;
        writeln!(self.out)?;
        let agent = if self.side { " (sub-agent)" } else { "" };
        self.line(&format!("{speaker}{agent}"))
    }

    /// One line of the log's own words, or of others with some of them. All
    /// of them go through here, so that none can drive the terminal.
    fn line(&mut self, text: &str) -> io::Result<()> {
        self.end_chunks()?;
        let indent = if self.side { "    " } else { "" };
        let line = format!("{indent}{}", Escaped(text.as_bytes()));
        writeln!(self.out, "{}", line.trim_end())
    }

    fn text(&mut self, mark: &str, text: &str) -> io::Result<()> {
        for line in text.trim_end().lines() {
            let line = line.replace('\t', "    ");
            self.line(&format!("  {mark}{line}"))?;
        }
        Ok(())
    }

    /// The end of an answer that came piece by piece, if there was one.
    fn end_chunks(&mut self) -> io::Result<()> {
        let chunks = std::mem::take(&mut self.chunks);
        self.text("", &chunks)
    }

    fn says(
        &mut self,
        speaker: &'static str,
        message: Message<'_>,
        mark: &str,
        text: Option<&str>,
    ) -> io::Result<()> {
        let text = text.unwrap_or_default();
        if text.trim().is_empty() {
            return Ok(());
        }
        self.speak(speaker, message)?;
        self.text(mark, text)
    }

    fn note(&mut self, message: Message<'_>, note: &str) -> io::Result<()> {
        self.begin(message)?;
        self.line(&format!("  ({note})"))
    }

    fn calls(
        &mut self,
        message: Message<'_>,
        call: CallBlock<'_>,
    ) -> io::Result<()> {
        self.speak("Assistant", message)?;
        self.call(call.name(), call.input())
    }

    fn call(
        &mut self,
        name: Option<&str>,
        input: Option<Value<'_>>,
    ) -> io::Result<()> {
        let name = name.unwrap_or("unnamed tool");
        let shown = |value: Value<'_>| match value.as_str() {
            Some(text) => text.to_string(),
            None => format!("{value:?}"),
        };
        let input = match input.and_then(|input| input.as_object()) {
            Some(members) => {
                let members = members.into_iter();
                let members = members
                    .map(|(key, value)| format!("{key}: {}", shown(value)));
                members.collect::<Vec<_>>().join(", ")
            }
            None => input.map(shown).unwrap_or_default(),
        };
        self.line(&format!("  > {name}({})", folded(&input)))
    }

    fn answers(
        &mut self,
        message: Message<'_>,
        answer: AnswerBlock<'_>,
    ) -> io::Result<()> {
        let blocks = answer.content().into_iter().flat_map(Content::blocks);
        let texts = blocks.filter_map(|block| match block {
            Block::Text(text) => text.text(),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        self.answer(message, answer.tool_use_id(), answer.is_error(), &text)
    }

    fn answer(
        &mut self,
        message: Message<'_>,
        id: Option<&str>,
        failed: bool,
        text: &str,
    ) -> io::Result<()> {
        let head = answered(self.find_call(message, id), failed);
        // What tools give back is in a message of the user's.
        self.speak("Assistant", message)?;
        if self.full {
            self.line(&format!("  < {head}"))?;
            return self.text("  ", text);
        }
        let mut shown = format!("  < {head}");
        let text = text.trim();
        if let Some(first) = text.lines().next() {
            shown += &format!(": {}", folded(first));
        }
        let lines = text.lines().count();
        if lines > 1 {
            shown += &format!(" [{lines} lines]");
        }
        self.line(&shown)
    }

    fn find_call(
        &self,
        message: Message<'_>,
        id: Option<&str>,
    ) -> Option<ToolCall<'_>> {
        let session = message.session_id().map(|id| id.to_string());
        self.turns.find_call(session.as_deref(), id?)
    }

    fn result(
        &mut self,
        message: Message<'_>,
        result: ResultMessage<'_>,
    ) -> io::Result<()> {
        self.begin(message)?;
        self.end_chunks()?;
        self.speaker = None;
        let subtype = result.subtype();
        let facts = [
            subtype.map(|subtype| subtype.as_str().to_string()),
            message.is_error().then(|| "error".to_string()),
            result.num_turns().map(|turns| format!("{turns} turns")),
            result.duration_ms().map(|ms| format!("{:.1} s", ms / 1000.0)),
            result.total_cost_usd().map(|cost| format!("${}", dollars(cost))),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        writeln!(self.out)?;
        self.line(&format!("Result: {}", facts.join(", ")))
    }
}

/// How a call went: the tool, and how long it took.
fn answered(call: Option<ToolCall<'_>>, failed: bool) -> String {
    let name = call.and_then(|call| call.name).unwrap_or("a tool");
    let time = call.and_then(|call| call.duration());
    let time = time.map(|ms| format!(" after {:.1} s", ms as f64 / 1000.0));
    let how = if failed { "failed" } else { "done" };
    format!("{name} {how}{}", time.unwrap_or_default())
}

/// A text that is not too long for a line.
fn folded(text: &str) -> String {
    let short: String = text.chars().take(FOLD).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    short + dots
}
