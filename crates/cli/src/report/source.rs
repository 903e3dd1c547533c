//! The first pass over the files of a group, and the sources of the second.

use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    path::Path,
};

use linetape::Error;
use linetape_flow::Format;
use linetape_redact::{Redactor, Replacement, RuleLevel, Rules};
use linetape_report::{Fingerprint, Log};
use linetape_session::conversation::{Place, Recall};

use crate::{
    complaints::Complaints,
    files::Files,
    gathered::Described,
    input::{Input, Source},
    outcome::Outcome,
    plain::format,
    recognised::{Recognised, Recognition},
    report::group::Group,
    spool::{Again, Spool},
};

/// What the mark of a redacted page has.
pub const REDACTED: &str = " redacted";

/// How lines are read.
#[derive(Clone, Copy)]
pub struct Settings<'f> {
    pub files: &'f Files,
    /// The level at which they are redacted, if they are.
    pub level: Option<RuleLevel>,
    /// Whether errors were reported before, and are not again.
    pub is_quiet: bool,
}

/// The files of a group, after the first pass.
pub struct Reading {
    pub group: Group,
    pub log: Log,
    pub recall: Recall<Box<dyn Again>>,
    /// Whose logs these are.
    pub agents: Recognition,
    spool: Spool,
    /// Of all that was read.
    fingerprint: Fingerprint,
    level: Option<RuleLevel>,
}

impl Reading {
    /// Reads all files of a group. Reports bad lines on standard error.
    pub fn start(
        group: Group,
        settings: Settings<'_>,
        outcome: &mut Outcome,
    ) -> io::Result<Reading> {
        let mut reading = Reading {
            group,
            log: Log::new(),
            recall: Recall::new(settings.files.limits()),
            agents: Recognition::default(),
            spool: Spool::default(),
            fingerprint: Fingerprint::new(),
            level: settings.level,
        };
        let inputs = std::mem::take(&mut reading.group.inputs);
        let mut source = 0;
        for input in &inputs {
            let begun = match plain(input, settings) {
                true => reading.file(input, source, settings, outcome),
                false => reading.spooled(input, source, settings, outcome)?,
            };
            source += u32::from(begun);
            if let Some(path) = input.path() {
                reading.meta(path, settings);
            }
        }
        reading.group.inputs = inputs;
        Ok(reading)
    }

    /// Returns what pages of this group are made from.
    pub fn mark(&self, full: bool) -> String {
        // The default level was the only one.
        let other = self.level.filter(|level| *level != RuleLevel::default());
        format!(
            "linetape {} {} {} {}{}{}{}",
            env!("CARGO_PKG_VERSION"),
            linetape_report::layout(),
            self.fingerprint,
            // Options decide which lines can be read.
            self.log.lost(),
            if full { " full" } else { "" },
            if self.level.is_some() { REDACTED } else { "" },
            other.map_or(String::new(), |level| format!(" {level}")),
        )
    }

    /// Adds the lines of a file that can be read again. Returns whether it is
    /// a source.
    fn file(
        &mut self,
        input: &Input,
        source: u32,
        settings: Settings<'_>,
        outcome: &mut Outcome,
    ) -> bool {
        let Some(first) = input.open_or_report(outcome) else { return false };
        let Some(path) = input.path().map(Path::to_path_buf) else {
            return false;
        };
        let noted = Noted { from: first, to: &mut self.fingerprint };
        let mut reader =
            settings.files.reader(linetape::Level::Checked).build(noted);
        let mut complaints = Complaints::again(settings.is_quiet);
        let mut recognised = Recognised::default();
        while let Some(line) = reader.next_line() {
            let added = match line {
                Ok(line) => self.log.add(source, &line).map(|()| {
                    recognised.add_line(&line);
                }),
                // A line that is too long, for example.
                Err(error) => {
                    self.log.add_lost();
                    Err(error)
                }
            };
            if let Err(error) = added {
                complaints.error(input, &error, outcome);
            }
        }
        complaints.end(input);
        self.agents.add(input, recognised);
        // There may be more files than a process may open.
        self.recall.add_opener(move || Ok(Box::new(File::open(&path)?)));
        true
    }

    /// Adds the lines of an input that cannot be read again, or is redacted:
    /// valid lines are copied to a temporary file, and read from there.
    fn spooled(
        &mut self,
        input: &Input,
        source: u32,
        settings: Settings<'_>,
        outcome: &mut Outcome,
    ) -> io::Result<bool> {
        let Some(first) = input.open_or_report(outcome) else {
            return Ok(false);
        };
        let mut lost = 0;
        let mut noted = Copied::default();
        let mut part = self.spool.add(|spool| {
            lost = copy(first, input, spool, settings, outcome, &mut noted)?;
            Ok(())
        })?;
        let Copied { numbers, recognised } = noted;
        self.agents.add(input, recognised);
        (0..lost).for_each(|_| self.log.add_lost());
        let noted = Noted { from: &mut part, to: &mut self.fingerprint };
        let limits = settings.files.limits();
        let mut reader =
            linetape::Reader::builder().limits(limits).build(noted);
        while let Some(line) = reader.next_line() {
            // It was valid when it was copied.
            if let Ok(line) = line {
                let mut place = Place::of_line(source, &line);
                place.line = numbers.original(place.line);
                _ = self.log.add_at(place, &line);
            }
        }
        part.rewind()?;
        self.recall.add_source(Box::new(part));
        Ok(true)
    }

    /// Adds what the file beside the transcript of a sub-agent says about it.
    fn meta(&mut self, path: &Path, settings: Settings<'_>) {
        let Some(mut described) = Described::beside(path) else { return };
        if let Some(level) = settings.level {
            let clean = redactor(level)
                .and_then(|mut redactor| redactor.document(&described.bytes));
            described.bytes = clean.unwrap_or_default();
        }
        let log = &mut self.log;
        let told = described.tell(|agent, kind, task, call| {
            log.add_agent(agent, kind, task, call);
        });
        if told.is_ok() {
            self.fingerprint.add(&described.bytes);
        }
    }
}

/// Copies the valid lines of an input, redacted on request. Returns the number
/// of the others.
fn copy(
    first: Source,
    input: &Input,
    spool: &mut dyn Write,
    settings: Settings<'_>,
    outcome: &mut Outcome,
    to: &mut Copied,
) -> io::Result<u64> {
    let mut lost = 0;
    let redactor = settings.level.map(redactor).transpose();
    let mut redactor = redactor.map_err(io::Error::from)?;
    let mut reader =
        settings.files.reader(linetape::Level::Checked).build(first);
    let mut complaints = Complaints::again(settings.is_quiet);
    while let Some(line) = reader.next_line() {
        let copied = line.and_then(|line| {
            line.check()?;
            to.recognised.add_line(&line);
            match &mut redactor {
                Some(redactor) => {
                    redactor.line(&line, spool)?;
                    redactor.clear_findings();
                }
                None => spool.write_all(line.as_bytes())?,
            }
            if redactor.is_none() || !line.is_terminated() {
                spool.write_all(b"\n")?;
            }
            to.numbers.add(line.number());
            Ok(())
        });
        if let Err(error) = copied {
            if !error.is_recoverable() {
                outcome.report_error(input, &error);
                break;
            }
            lost += 1;
            complaints.error(input, &error, outcome);
        }
    }
    complaints.end(input);
    if let Some(redactor) = &mut redactor {
        redactor.finish(spool).map_err(io::Error::from)?;
    }
    Ok(lost)
}

/// What is noted about lines while they are copied.
#[derive(Default)]
struct Copied {
    numbers: Numbers,
    recognised: Recognised,
}

/// The numbers of lines in a copy, and in the original, where lines were left
/// out.
#[derive(Default)]
struct Numbers {
    copied: u64,
    /// Pairs of a line number in the copy and the number of lines left out
    /// before it.
    steps: Vec<(u64, u64)>,
}

impl Numbers {
    /// Notes that the line with this number was copied.
    fn add(&mut self, number: u64) {
        self.copied += 1;
        // With --salvage, a line may be copied in several parts.
        let left_out = number.saturating_sub(self.copied);
        if self.steps.last().map_or(0, |step| step.1) != left_out {
            self.steps.push((self.copied, left_out));
        }
    }

    /// Returns the number of a line of the copy in the original.
    fn original(&self, copied: u64) -> u64 {
        let after = self.steps.partition_point(|step| step.0 <= copied);
        let step = after.checked_sub(1).and_then(|at| self.steps.get(at));
        copied + step.map_or(0, |step| step.1)
    }
}

fn redactor(level: RuleLevel) -> Result<Redactor, Error> {
    let rules = Rules::builder().level(level).build()?;
    Ok(Redactor::new(rules, Replacement::stars()))
}

/// Returns whether the lines of an input are in a file, at their offsets.
fn plain(input: &Input, settings: Settings<'_>) -> bool {
    let Some(path) = input.path().filter(|_| input.size().is_some()) else {
        return false;
    };
    if settings.level.is_some() || settings.files.is_salvaging() {
        return false;
    }
    let format = File::open(path).and_then(|file| format(&file));
    format.is_ok_and(|format| format == Format::Plain)
}

/// A source whose bytes are noted in a fingerprint.
struct Noted<'f, R> {
    from: R,
    to: &'f mut Fingerprint,
}

impl<R: Read> Read for Noted<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buf)?;
        self.to.add(buf.get(..read).unwrap_or_default());
        Ok(read)
    }
}
