//! `linetape convert`: records in another format.

use std::io::{self, Write};

use clap::ValueEnum;
use linetape::{Error, Level, Message, Writer};
use linetape_translate::{FromUi, ToUi, Wrapper};

use crate::{
    complaints::Complaints,
    files::Files,
    live::Live,
    outcome::{Outcome, print_message},
    output::Output,
};

/// The format to write.
#[derive(Clone, Copy, ValueEnum)]
pub enum Dialect {
    /// Agent-server events, from stream-json or a transcript
    Ui,
    /// JSON messages for a chat client (`claude_response`, `progress_update`
    /// and others), from stream-json or a transcript; output only
    Wrapper,
    /// stream-json messages, from agent-server events
    StreamJson,
}

/// Converts all records. Reports bad lines on standard error, and at the
/// end the number of records for which nothing was written.
///
/// One translator reads all inputs, so a session keeps its number across them.
pub fn run(
    files: &Files,
    to: Dialect,
    output: &Output,
) -> io::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    let mut complaints = Complaints::default();
    let Some((inputs, out)) =
        Live::open(files, output, output.prints(), false, &mut outcome)
    else {
        return Ok(Outcome::CouldNotRun);
    };
    let mut writer = Writer::new(&out);
    let mut translator = Translator::new(to);
    let (mut records, mut unwritten) = (0_u64, 0_u64);
    for input in &inputs {
        let Some(source) = input.open_or_report(&mut outcome) else {
            continue;
        };
        let mut reader = files.reader(Level::Checked).build(out.feed(source));
        while let Some(line) = reader.next_line() {
            match line.and_then(|line| line.checked()) {
                Ok(message) => {
                    records += 1;
                    let is_written = translator.write(message, &mut writer)?;
                    unwritten += u64::from(!is_written);
                }
                Err(error) => {
                    out.check()?;
                    complaints.error(input, &error, &mut outcome);
                }
            }
        }
        translator.finish(&mut writer)?;
        complaints.end(input);
    }
    out.finish()?;
    if unwritten > 0 {
        print_message(&format!(
            "{unwritten} of {records} records not written: they have no \
             counterpart, or repeat another record"
        ));
    }
    Ok(outcome)
}

/// A translation into one of the dialects.
enum Translator {
    Ui(ToUi),
    Wrapper(Wrapper),
    StreamJson(FromUi),
}

impl Translator {
    fn new(to: Dialect) -> Translator {
        match to {
            Dialect::Ui => Translator::Ui(ToUi::new()),
            Dialect::Wrapper => Translator::Wrapper(Wrapper::new()),
            Dialect::StreamJson => Translator::StreamJson(FromUi::new()),
        }
    }

    /// Writes the translation of a message. Returns whether a part of the
    /// message is written, now or later.
    ///
    /// # Errors
    ///
    /// When writing fails. A message that has been checked is never refused.
    fn write<W: Write>(
        &mut self,
        message: Message<'_>,
        writer: &mut Writer<W>,
    ) -> Result<bool, Error> {
        match self {
            Translator::Ui(to_ui) => {
                let events = to_ui.translate(message)?;
                for event in &events {
                    writer.write_value(event)?;
                }
                Ok(!events.is_empty())
            }
            Translator::Wrapper(wrapper) => {
                let frames = wrapper.translate(message)?;
                for frame in &frames {
                    writer.write_value(frame)?;
                }
                Ok(!frames.is_empty())
            }
            Translator::StreamJson(from_ui) => {
                let messages = from_ui.translate(message)?;
                for message in &messages {
                    writer.write_value(message)?;
                }
                Ok(FromUi::has_counterpart(message))
            }
        }
    }

    /// Writes the rest at the end of an input.
    fn finish<W: Write>(
        &mut self,
        writer: &mut Writer<W>,
    ) -> Result<(), Error> {
        match self {
            Translator::Ui(to_ui) => to_ui.finish(),
            Translator::Wrapper(wrapper) => wrapper.finish(),
            Translator::StreamJson(from_ui) => {
                for message in &from_ui.finish() {
                    writer.write_value(message)?;
                }
            }
        }
        Ok(())
    }
}
