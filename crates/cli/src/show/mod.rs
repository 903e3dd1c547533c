//! `linetape show`: sessions as a person reads them.

mod conversation;
mod escape;
mod flow;
mod markdown;
mod notes;
mod order;
mod paper;
mod sheet;
mod speakers;
mod time;
mod words;

use std::io;

use linetape::{Decoder, Line};
use linetape_session::{Conversation, Facts, conversation::Place};

use crate::{
    files::Files, follow, input::Input, outcome::Outcome, output::Prints,
    recognised::Recognition, records::for_each_live,
};

use conversation::Conversation as Printed;
use markdown::Markdown;
use paper::Paper;
use sheet::Sheet;

pub use sheet::Look;

/// Prints all conversations. Files are printed in reading order; pipes, in
/// the order of the lines, as they arrive. With `is_followed`, waits for more.
pub fn run(
    files: &Files,
    look: &Look,
    is_followed: bool,
) -> io::Result<Outcome> {
    if look.markdown {
        return order::run(files, look.full, Markdown::new);
    }
    if !is_followed && order::is_possible(files) {
        return order::run(files, look.full, || Sheet::new(look));
    }
    let mut show = Show {
        conversation: Conversation::new(),
        printed: Printed::new(Sheet::new(look), look.full, false),
    };
    let line = |show: &mut Show, line: &Line<'_>| show.line(line);
    let pause = |show: &mut Show| show.printed.paper.flush();
    let (mut outcome, agents) = match is_followed {
        false => {
            for_each_live(files, Prints::AsItGoes, &mut show, line, pause)?
        }
        true => {
            let each = |show: &mut Show, _: &Input, valid: &Line<'_>| {
                valid.check()?;
                Ok(line(show, valid)?)
            };
            let outcome = follow::for_each(files, &mut show, each, pause)?;
            (outcome, Recognition::default())
        }
    };
    show.end()?;
    agents.is_foreign(&mut outcome);
    Ok(outcome)
}

/// Prints steps as they arrive.
struct Show {
    conversation: Conversation,
    printed: Printed<Sheet>,
}

impl Show {
    /// Prints the new steps of a line.
    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        let facts = Facts::of(line.checked()?);
        let place = Place::of_line(0, line);
        for index in self.conversation.add_facts(&facts, place)? {
            let Some(step) = self.conversation.step(index) else { continue };
            match self.conversation.assembled(step.place()) {
                Some(line) => print(&mut self.printed, line, step)?,
                None => {
                    if let Some(facts) = step.place().find(facts.clone()) {
                        self.printed.step(step, &facts)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Prints the rest: messages and answers that never arrived whole.
    fn end(&mut self) -> io::Result<()> {
        for index in self.conversation.finish() {
            if let Some(step) = self.conversation.step(index)
                && let Some(line) = self.conversation.assembled(step.place())
            {
                print(&mut self.printed, line, step)?;
            }
        }
        self.printed.end_chunks()?;
        self.printed.paper.flush()
    }
}

/// Prints a step of a line that is not in the log.
fn print(
    printed: &mut Printed<Sheet>,
    line: &str,
    step: linetape_session::conversation::Step<'_>,
) -> io::Result<()> {
    let mut decoder = Decoder::new();
    match decoder.line(line.as_bytes()).peek() {
        Ok(message) => printed.step(step, &Facts::of(message)),
        Err(_) => Ok(()),
    }
}
