//! `linetape redact`: removes secrets, and keeps every other byte.

mod options;
mod places;
mod report;

use std::{
    fs::{self, File},
    io::{self, BufWriter, IsTerminal, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use linetape::{Error, Escaped};
use linetape_redact::Redactor;

use crate::{
    complaints::Complaints,
    document,
    files::Files,
    input::Input,
    live::Live,
    outcome::{Outcome, print_message},
    output::{Output, Prints},
};
use options::Options;
use places::{Kind, Place, places, target};
use report::Report;

/// The size of the write buffer, in bytes.
const BUFFER: usize = 256 << 10;

/// Where the result goes, and what is told about it.
#[derive(Args)]
pub struct Redact {
    #[command(flatten)]
    options: Options,
    /// Write the files to this folder, in which they must not exist yet
    /// [default: print the logs]
    #[arg(short, long, value_name = "DIR", group = "to")]
    output: Option<PathBuf>,
    /// Replace each file in which something is found: a new file is written
    /// and renamed
    #[arg(long, group = "to")]
    in_place: bool,
    /// Print what would be redacted, as `file:line:byte rule`, and write
    /// nothing
    #[arg(long, group = "to")]
    dry_run: bool,
    /// Like --dry-run, and exit with 1 if there is anything to redact
    #[arg(long, group = "to")]
    check: bool,
    /// Print a report as one JSON document
    #[arg(long, requires = "to")]
    json: bool,
    /// Drop damaged lines without a message
    #[arg(long, conflicts_with = "keep_bad")]
    drop_bad: bool,
    /// Recover the complete records of damaged lines, and drop the rest of
    /// them without a message
    #[arg(long)]
    keep_bad: bool,
}

pub fn run(files: &Files, redact: &Redact) -> io::Result<Outcome> {
    let made = redact.options.rules().and_then(|rules| {
        Ok(Redactor::new(rules, redact.options.replacement()?))
    });
    let redactor = match made {
        Ok(redactor) => redactor,
        Err(error) => {
            print_message(&error.to_string());
            return Ok(Outcome::CouldNotRun);
        }
    };
    let is_dry = redact.dry_run || redact.check;
    let report = Report::new(is_dry && !redact.json, is_dry && redact.json);
    let mut run = Run {
        files,
        redact,
        redactor,
        report,
        outcome: Outcome::Fine,
        complaints: Complaints::default(),
    };
    if redact.output.is_none() && !redact.in_place && !is_dry {
        run.print()?;
        return Ok(run.outcome);
    }
    run.each_file(is_dry)?;
    if redact.json {
        document::print(&run.report.to_json())?;
    }
    if redact.check && !run.report.is_empty() {
        run.outcome = run.outcome.max(Outcome::Findings);
    }
    Ok(run.outcome)
}

/// A run of the command.
struct Run<'r> {
    files: &'r Files,
    redact: &'r Redact,
    redactor: Redactor,
    report: Report,
    outcome: Outcome,
    complaints: Complaints,
}

impl Run<'_> {
    /// Prints all logs.
    fn print(&mut self) -> io::Result<()> {
        let output = Output::standard();
        let prints = Prints::AsItGoes;
        let opened =
            Live::open(self.files, &output, prints, &mut self.outcome);
        let Some((inputs, out)) = opened else {
            self.outcome = Outcome::CouldNotRun;
            return Ok(());
        };
        // A terminal would interpret control characters.
        let is_escaped = io::stdout().is_terminal();
        for input in &inputs {
            let source = input.open_or_report(&mut self.outcome);
            let Some(source) = source else { continue };
            let mut to = Ended { out: &out, is_escaped, is_open: false };
            let end = self.lines(input, out.feed(source), &mut to)?;
            to.end()?;
            if let Err(error) = end {
                self.outcome.report_error(input, &error);
            }
        }
        out.finish()
    }

    /// Redacts the lines of an input. Returns the error of an input that could
    /// not be read to its end, so that nothing is replaced by a part of it.
    fn lines(
        &mut self,
        input: &Input,
        source: impl io::Read,
        to: &mut dyn Write,
    ) -> io::Result<Result<(), Error>> {
        let Run { files, redact, redactor, report, .. } = self;
        let mut end = Ok(());
        let builder = files.reader();
        let mut reader = match redact.keep_bad {
            true => builder.salvage(true).build(source),
            false => builder.build(source),
        };
        let name = input.to_string();
        let found = report.count();
        while let Some(line) = reader.next_line() {
            let error = match line.map(|line| redactor.line(&line, to)) {
                Ok(Ok(())) => None,
                // A line has no other I/O error than that of the output.
                Ok(Err(error)) if error.io_error().is_some() => {
                    return Err(error.into());
                }
                Ok(Err(error)) | Err(error) => Some(error),
            };
            report.take(&name, redactor)?;
            let Some(error) = error else { continue };
            if !error.is_recoverable() {
                end = Err(error);
                break;
            }
            report.bad_line();
            if !redact.drop_bad && !redact.keep_bad {
                self.complaints.error(input, &error, &mut self.outcome);
            }
        }
        redactor.finish(to).map_err(io::Error::from)?;
        report.take(&name, redactor)?;
        report.end_file(found);
        self.complaints.end(input);
        Ok(end)
    }

    /// Redacts each file by itself.
    fn each_file(&mut self, is_dry: bool) -> io::Result<()> {
        let paths = self.files.paths();
        if let Some(pipe) = paths.iter().find(|p| p.as_os_str() == "-") {
            if !is_dry {
                let why = "standard input has no name; redirect the output";
                self.outcome.report(
                    &pipe.display(),
                    &why,
                    Outcome::CouldNotRun,
                );
                return Ok(());
            }
            let source = Input::Standard.open_or_report(&mut self.outcome);
            if let Some(source) = source {
                let input = Input::Standard;
                let end = self.lines(&input, source, &mut io::sink())?;
                if let Err(error) = end {
                    self.outcome.report_error(&input, &error);
                }
            }
        }
        let paths: Vec<PathBuf> =
            paths.iter().filter(|p| p.as_os_str() != "-").cloned().collect();
        for place in places(&paths, &mut self.outcome) {
            let done = match is_dry {
                true => self.file(&place, &mut io::sink()),
                false => self.rewrite(&place),
            };
            match done {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                    return Err(e);
                }
                Err(error) => {
                    let path = place.path.display();
                    let outcome = Outcome::CouldNotRun;
                    self.outcome.report(&path, &error, outcome);
                }
                Ok(()) => {}
            }
            self.redactor.clear_findings();
        }
        Ok(())
    }

    /// Writes the result of a file.
    fn rewrite(&mut self, place: &Place) -> io::Result<()> {
        let Some(folder) = &self.redact.output else {
            return self.replace(place);
        };
        let target = target(folder, place, &mut self.redactor)?;
        self.redactor.clear_findings();
        // Nothing is overwritten, least of all the file itself.
        let file = File::create_new(&target).map_err(|error| {
            let target = target.display();
            io::Error::new(error.kind(), format!("{target}: {error}"))
        })?;
        self.write(place, file)
    }

    /// Replaces a file by its result.
    fn replace(&mut self, place: &Place) -> io::Result<()> {
        let is_compressed =
            place.path.extension().is_some_and(|e| e == "gz" || e == "zst");
        if is_compressed && place.kind == Kind::Log {
            let why = "a compressed log is not replaced; use --output";
            return Err(io::Error::other(why));
        }
        // A link stays, and its file is replaced.
        let path = fs::canonicalize(&place.path)?;
        let beside = beside(&path)?;
        let file = File::create_new(&beside)?;
        let before = (self.report.count(), self.report.bad_lines());
        let done = self
            .write(place, file)
            .and_then(|()| {
                let rights = fs::metadata(&path)?.permissions();
                fs::set_permissions(&beside, rights)
            })
            .and_then(|()| {
                let now = (self.report.count(), self.report.bad_lines());
                match now == before {
                    true => fs::remove_file(&beside),
                    false => fs::rename(&beside, &path),
                }
            });
        if done.is_err() {
            // The first error is the one to report.
            _ = fs::remove_file(&beside);
        }
        done
    }

    fn write(&mut self, place: &Place, file: File) -> io::Result<()> {
        let mut to = BufWriter::with_capacity(BUFFER, file);
        self.file(place, &mut to)?;
        to.flush()?;
        to.get_ref().sync_all()
    }

    /// Redacts the content of a file.
    fn file(&mut self, place: &Place, to: &mut dyn Write) -> io::Result<()> {
        if place.kind == Kind::Log {
            let input = Input::File(place.path.clone());
            let source = input.open()?;
            return self.lines(&input, source, to)?.map_err(io::Error::from);
        }
        let found = self.report.count();
        let content = fs::read(&place.path)?;
        let redactor = &mut self.redactor;
        match place.kind {
            Kind::Document => {
                let clean = redactor.document(&content);
                to.write_all(&clean.map_err(io::Error::from)?)?;
            }
            _ => {
                let text = String::from_utf8(content);
                let text = text.map_err(io::Error::other)?;
                to.write_all(redactor.text(&text).as_bytes())?;
            }
        }
        let name = place.path.display().to_string();
        self.report.take(&name, redactor)?;
        self.report.end_file(found);
        Ok(())
    }
}

/// Returns the path of the file that is written beside another one.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::other("not a file"));
    };
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(".redacted");
    Ok(path.with_file_name(beside))
}

/// An output on which the last line of an input is always ended, and control
/// characters are escaped for a terminal.
struct Ended<'l> {
    out: &'l Live,
    is_escaped: bool,
    is_open: bool,
}

impl Ended<'_> {
    fn end(&mut self) -> io::Result<()> {
        match self.is_open {
            true => self.write_all(b"\n"),
            false => Ok(()),
        }
    }
}

impl Write for Ended<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_open = bytes.last().is_some_and(|byte| *byte != b'\n');
        match self.is_escaped && bytes != b"\n" {
            true => write!(self.out, "{}", Escaped::new(bytes))?,
            false => self.out.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
