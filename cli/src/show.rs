//! A session as a person reads it: who said what, and which tools were called.

use std::{
    fmt::Display,
    io::{self, BufWriter, Write},
};

use linetape::{
    Block, Escaped, Message, Position, Value,
    message::{Content, ResultMessage, System, ToolResultBlock, ToolUseBlock},
    session::{ToolCall, Turns},
};

use crate::{input::Files, outcome::Outcome};

/// How many characters of a tool's input or result are shown.
const FOLD: usize = 100;

/// Prints all conversations, in the order of the lines. With `full`, what
/// tools give back is not folded to one line.
pub fn run(files: &Files, full: bool) -> io::Result<Outcome> {
    let mut show = Show {
        out: BufWriter::new(io::stdout().lock()),
        full,
        turns: Turns::new(),
        session: None,
        speaker: None,
    };
    let outcome = files.for_each(|line| {
        // The line has been checked.
        let Ok(message) = line.peek() else { return Ok(()) };
        show.message(message, line.position())
    })?;
    show.out.flush()?;
    Ok(outcome)
}

struct Show<W> {
    out: W,
    full: bool,
    /// Which results belong to which calls, and how long they took.
    turns: Turns,
    /// The session that the last line was of.
    session: Option<String>,
    /// Who spoke last, and whether in a sidechain.
    speaker: Option<(&'static str, bool)>,
}

impl<W: Write> Show<W> {
    fn message(
        &mut self,
        message: Message<'_>,
        position: Position,
    ) -> io::Result<()> {
        self.turns.add(message, position);
        let side = message.is_sidechain();
        match message {
            Message::User(_) => self.blocks("User", message, side),
            Message::Assistant(said) => {
                self.blocks("Assistant", message, side)?;
                match (said.message(), said.tool_name()) {
                    // The old form of a call has a line to itself.
                    (None, Some(tool)) => {
                        self.speak("Assistant", message, side)?;
                        self.call(tool, said.tool_arguments(), side)
                    }
                    _ => Ok(()),
                }
            }
            Message::System(System::Init(init)) => {
                let model = init.model().unwrap_or("unknown model");
                self.begin(message)?;
                self.note(&format!("{model} begins"), side)
            }
            Message::System(_) if message.is_error() => {
                self.blocks("System", message, side)
            }
            Message::System(System::ToolResult(_)) => {
                self.blocks("System", message, side)
            }
            Message::System(System::CompactBoundary(_)) => {
                self.note("the conversation so far is compacted", side)
            }
            Message::CompactSystem(step) => match step.message() {
                Some(step) => self.note(step.as_str(), side),
                None => Ok(()),
            },
            Message::Result(result) => self.result(message.is_error(), result),
            Message::Ui(_) | Message::Input(_) | Message::Error(_) => {
                let speaker = match message {
                    Message::Input(_) => "User",
                    _ => "Server",
                };
                let text = message.text().to_string();
                if text.is_empty() {
                    return Ok(());
                }
                self.speak(speaker, message, side)?;
                self.text("", &text, side)
            }
            _ => Ok(()),
        }
    }

    fn blocks(
        &mut self,
        speaker: &'static str,
        message: Message<'_>,
        side: bool,
    ) -> io::Result<()> {
        for block in message.content_blocks() {
            let results = matches!(block, Block::ToolResult(_));
            // What tools give back is in a message of the user's.
            let speaker = if results { "Assistant" } else { speaker };
            self.speak(speaker, message, side)?;
            match block {
                Block::Text(text) => {
                    self.text("", text.text().unwrap_or_default(), side)?;
                }
                Block::Thinking(thought) => {
                    let text = thought.thinking().unwrap_or_default();
                    self.text("~ ", text, side)?;
                }
                Block::ToolUse(call) => self.tool_use(call, side)?,
                Block::ToolResult(answer) => {
                    self.tool_result(message, answer, side)?;
                }
                other => {
                    let kind = other.value().get("type");
                    let kind = kind.and_then(|kind| kind.as_str());
                    self.note(kind.unwrap_or("something else"), side)?;
                }
            }
        }
        Ok(())
    }

    /// Says which session this is, if that is news.
    fn begin(&mut self, message: Message<'_>) -> io::Result<()> {
        let session = message.session_id().map(|id| id.to_string());
        if session.is_none() || session == self.session {
            return Ok(());
        }
        if let Some(session) = &session {
            let session = Escaped(session.as_bytes());
            writeln!(self.out, "--- session {session}")?;
        }
        self.session = session;
        self.speaker = None;
        Ok(())
    }

    /// Says who speaks, if that is somebody else.
    fn speak(
        &mut self,
        speaker: &'static str,
        message: Message<'_>,
        side: bool,
    ) -> io::Result<()> {
        self.begin(message)?;
        if self.speaker == Some((speaker, side)) {
            return Ok(());
        }
        self.speaker = Some((speaker, side));
        let agent = if side { " (sub-agent)" } else { "" };
        writeln!(self.out, "\n{}{speaker}{agent}", indent(side))
    }

    fn text(&mut self, mark: &str, text: &str, side: bool) -> io::Result<()> {
        for line in text.trim_end().lines() {
            let line = Escaped(line.as_bytes());
            let indent = indent(side);
            writeln!(self.out, "{indent}  {mark}{line}")?;
        }
        Ok(())
    }

    fn note(&mut self, note: &str, side: bool) -> io::Result<()> {
        let note = Escaped(note.as_bytes());
        writeln!(self.out, "{}  ({note})", indent(side))
    }

    fn tool_use(
        &mut self,
        call: ToolUseBlock<'_>,
        side: bool,
    ) -> io::Result<()> {
        self.call(call.name().unwrap_or("unnamed tool"), call.input(), side)
    }

    fn call(
        &mut self,
        name: &str,
        input: Option<Value<'_>>,
        side: bool,
    ) -> io::Result<()> {
        let members = input.and_then(|input| input.as_object());
        let members = members.into_iter().flatten();
        let members: Vec<String> = members
            .map(|(key, value)| match value.as_str() {
                Some(text) => format!("{key}: {text}"),
                None => format!("{key}: {value:?}"),
            })
            .collect();
        let (name, input) = (escaped(name), folded(&members.join(", ")));
        writeln!(self.out, "{}  > {name}({input})", indent(side))
    }

    fn tool_result(
        &mut self,
        message: Message<'_>,
        answer: ToolResultBlock<'_>,
        side: bool,
    ) -> io::Result<()> {
        let session = message.session_id().map(|id| id.to_string());
        let call = answer
            .tool_use_id()
            .and_then(|id| self.turns.find_call(session.as_deref(), id));
        let head = answered(call, answer.is_error());
        let blocks = answer.content().into_iter().flat_map(Content::blocks);
        let texts = blocks.filter_map(|block| match block {
            Block::Text(text) => text.text(),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        let lines = text.lines().count();
        let indent = indent(side);
        if self.full {
            writeln!(self.out, "{indent}  < {head}")?;
            return self.text("  ", &text, side);
        }
        let first = folded(text.lines().next().unwrap_or_default());
        let more = match lines {
            0 | 1 => String::new(),
            _ => format!(" [{lines} lines]"),
        };
        writeln!(self.out, "{indent}  < {head}: {first}{more}")
    }

    fn result(
        &mut self,
        failed: bool,
        result: ResultMessage<'_>,
    ) -> io::Result<()> {
        self.speaker = None;
        let mut facts = vec![];
        let mut add = |fact: Option<String>| facts.extend(fact);
        let subtype = result.subtype();
        add(subtype.map(|subtype| escaped(subtype.as_str())));
        add(failed.then(|| "error".to_string()));
        add(result.num_turns().map(|turns| format!("{turns} turns")));
        add(result.duration_ms().map(|ms| format!("{:.1} s", ms / 1000.0)));
        add(result.total_cost_usd().map(|cost| format!("${cost:.4}")));
        writeln!(self.out, "\nResult: {}", facts.join(", "))
    }
}

/// How a call went: the tool, and how long it took.
fn answered(call: Option<ToolCall<'_>>, failed: bool) -> String {
    let name = call.and_then(|call| call.name).unwrap_or("a tool");
    let time = call.and_then(|call| call.duration());
    let time = time.map(|ms| format!(" after {:.1} s", ms as f64 / 1000.0));
    let how = if failed { "failed" } else { "done" };
    format!("{} {how}{}", escaped(name), time.unwrap_or_default())
}

fn indent(side: bool) -> &'static str {
    if side { "    " } else { "" }
}

fn escaped(text: impl Display) -> String {
    Escaped(text.to_string().as_bytes()).to_string()
}

/// A text that is not too long for a line.
fn folded(text: &str) -> String {
    let short: String = text.chars().take(FOLD).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    escaped(short) + dots
}
