//! `linetape show`: sessions as a person reads them.

mod calls;
mod conversation;
mod flow;
mod messages;
mod server;
mod sheet;
mod speakers;
mod time;

use std::{collections::HashSet, io};

use linetape::{Decoder, Line, Message, Position};
use linetape_session::{Assembled, Deltas, Facts};

use crate::{
    files::Files, follow, input::Input, outcome::Outcome, output::Prints,
    records::for_each_live,
};

use conversation::Conversation;
use speakers::Speaker;

pub use sheet::Look;

/// Prints all conversations, in the order of the lines.
/// With `is_followed`, waits for more.
pub fn run(
    files: &Files,
    look: &Look,
    is_followed: bool,
) -> io::Result<Outcome> {
    let mut show = Show {
        conversation: Conversation::new(look),
        deltas: Deltas::new(),
        streamed: vec![],
        said: HashSet::new(),
    };
    let line = |show: &mut Show, line: &Line<'_>| {
        show.line(&Facts::of(line.checked()?), line.position())
    };
    let pause = |show: &mut Show| show.conversation.sheet.flush();
    let outcome = match is_followed {
        false => {
            for_each_live(files, Prints::AsItGoes, &mut show, line, pause)
        }
        true => {
            let each = |show: &mut Show, _: &Input, valid: &Line<'_>| {
                valid.check()?;
                Ok(line(show, valid)?)
            };
            follow::for_each(files, &mut show, each, pause)
        }
    }?;
    show.end()?;
    Ok(outcome)
}

/// The conversation, and the streamed messages that may still arrive whole.
struct Show {
    conversation: Conversation,
    /// Assembles streamed messages.
    deltas: Deltas,
    /// Streamed messages that are complete, but have not arrived whole.
    streamed: Vec<Assembled>,
    /// The ids of messages that arrived whole.
    said: HashSet<String>,
}

impl Show {
    /// Prints a line, unless it is a part of a streamed message.
    fn line(
        &mut self,
        facts: &Facts<'_>,
        position: Position,
    ) -> io::Result<()> {
        match self.deltas.add_facts(facts)? {
            Some(whole) if whole.is_finished => self.streamed.push(whole),
            // The next message has begun.
            Some(truncated) => self.end_stream(&truncated)?,
            None => {}
        }
        self.message(facts, position)
    }

    /// Prints a message, and notes the id of one of the model.
    fn message(
        &mut self,
        facts: &Facts<'_>,
        position: Position,
    ) -> io::Result<()> {
        if let Message::Assistant(said) = facts.message() {
            let id = said.message().and_then(|inner| inner.id());
            self.said.extend(id.map(str::to_string));
            self.streamed.retain(|streamed| streamed.id.as_deref() != id);
        }
        self.conversation.message(facts, position)
    }

    /// Prints the rest: messages and answers that never arrived whole.
    fn end(&mut self) -> io::Result<()> {
        let mut streamed = std::mem::take(&mut self.streamed);
        streamed.extend(self.deltas.take_unfinished());
        for streamed in &streamed {
            self.end_stream(streamed)?;
        }
        self.conversation.end_chunks()?;
        self.conversation.sheet.flush()
    }

    /// Prints a streamed message that will not arrive whole any more, unless
    /// it has.
    fn end_stream(&mut self, streamed: &Assembled) -> io::Result<()> {
        let id = streamed.id.as_deref();
        if id.is_some_and(|id| self.said.contains(id)) {
            return Ok(());
        }
        let line = streamed.to_line();
        let mut decoder = Decoder::new();
        if let Ok(record) = decoder.decode(line.as_bytes()) {
            let facts = Facts::of(record.message());
            self.message(&facts, record.position())?;
            if !streamed.is_finished {
                self.conversation.speak(Speaker::Assistant, &facts)?;
                self.conversation.note(&facts, "message truncated")?;
            }
        }
        Ok(())
    }
}
