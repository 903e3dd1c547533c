//! `linetape redact`: removes secrets, and keeps every other byte.

mod beside;
mod content;
mod ended;
mod names;
mod options;
mod places;
mod replace;
mod report;
mod source;
mod told;

use std::{
    fs::{self, File},
    io::{self, BufWriter, IsTerminal, Write},
    path::PathBuf,
};

use clap::Args;
use linetape::{Level, Limits};
use linetape_flow::Format;
use linetape_redact::Redactor;

use crate::{
    files::Files,
    input::Input,
    live::Live,
    outcome::{Outcome, print_message},
    output::{Output, Prints},
    plain,
};
use beside::Leftovers;
use content::{Content, Lines};
use ended::Ended;
use names::{Name, Names};
use options::Options;
use places::{Kind, Place, Places};
use replace::{Beside, New};
use report::Report;
use told::told;

/// The size of the write buffer, in bytes.
const BUFFER: usize = 256 << 10;

/// The options of the command: where the result goes, and what is printed.
#[derive(Args)]
pub struct Redact {
    #[command(flatten)]
    options: Options,
    /// Write the files to this folder, in which they must not exist yet
    /// [default: print the logs]
    #[arg(short, long, value_name = "DIR", group = "to")]
    output: Option<PathBuf>,
    /// Replace each file in which something is found: a new file is written
    /// beside it and renamed. A file with bad lines is not replaced
    /// without --drop-bad or --keep-bad
    #[arg(long, group = "to")]
    in_place: bool,
    /// Print what would be redacted, as `file:line:byte rule`, and write
    /// nothing. What is found in the name of a file is on line 0
    #[arg(long, group = "to")]
    dry_run: bool,
    /// Like --dry-run, and exit with 1 if there is anything to redact
    #[arg(long, group = "to")]
    check: bool,
    /// Print the findings as one JSON document. Needs --output, --in-place,
    /// --dry-run or --check
    #[arg(long, requires = "to")]
    json: bool,
    /// Drop bad lines without a message
    #[arg(long, conflicts_with = "keep_bad")]
    drop_bad: bool,
    /// Like --salvage, but without messages about the bytes that are lost, and
    /// with exit code 0
    #[arg(long)]
    keep_bad: bool,
}

pub fn run(files: &Files, redact: &Redact) -> io::Result<Outcome> {
    let made = redact.options.rules().and_then(|rules| {
        let how = redact.options.replacement()?;
        Ok(Redactor::with_limits(rules, how, files.limits()))
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
    let reader = match redact.keep_bad {
        true => files.reader(Level::Check).salvage(true),
        false => files.reader(Level::Check),
    };
    let content = Content {
        reader,
        max_line: files.limits().max_line.min(Limits::MAX_LINE_CAP),
        drops_bad: redact.drop_bad || redact.keep_bad,
        redactor,
        report,
        outcome: Outcome::Fine,
    };
    let mut run = Run {
        files,
        redact,
        content,
        names: Names::default(),
        leftovers: Leftovers::default(),
    };
    if redact.output.is_none() && !redact.in_place && !is_dry {
        run.print()?;
        return Ok(run.content.outcome);
    }
    run.each_file(is_dry)?;
    let Content { report, outcome, .. } = run.content;
    if redact.json {
        report.print()?;
    }
    match redact.check && !report.is_empty() {
        true => Ok(outcome.max(Outcome::Findings)),
        false => Ok(outcome),
    }
}

/// A run of the command.
struct Run<'r> {
    files: &'r Files,
    redact: &'r Redact,
    content: Content,
    names: Names,
    leftovers: Leftovers,
}

impl Run<'_> {
    /// Prints all logs.
    fn print(&mut self) -> io::Result<()> {
        let output = Output::standard();
        let prints = Prints::AsItGoes;
        let outcome = &mut self.content.outcome;
        let opened = Live::open(self.files, &output, prints, false, outcome);
        let Some((inputs, out)) = opened else {
            self.content.outcome = Outcome::CouldNotRun;
            return Ok(());
        };
        // A terminal would interpret control characters.
        let is_escaped = io::stdout().is_terminal();
        for input in &inputs {
            let name = self.content.shown(&input.to_string());
            let source = match input.open() {
                Ok(source) => source,
                Err(error) => {
                    let outcome = Outcome::CouldNotRun;
                    self.content.outcome.report(&name, &error, outcome);
                    continue;
                }
            };
            let mut ended = Ended::new(&out, is_escaped);
            let source = out.feed(source);
            let end = self.content.lines(&name, source, &mut ended)?;
            out.check()?;
            ended.end()?;
            if let Err(error) = end {
                self.content.report(&name, &io::Error::other(told(&error)));
            }
        }
        out.finish()
    }

    /// Redacts each file by itself.
    fn each_file(&mut self, is_dry: bool) -> io::Result<()> {
        let is_pipe = |path: &&PathBuf| path.as_os_str() == "-";
        let paths = self.files.paths();
        let has_pipe = paths.iter().any(|path| is_pipe(&path));
        if !is_dry && has_pipe {
            let why = "standard input has no name; redirect the output";
            self.content.report("-", &io::Error::other(why));
            return Ok(());
        }
        if self.redact.in_place && paths.is_empty() {
            print_message("--in-place needs a PATH");
            self.content.outcome = Outcome::CouldNotRun;
            return Ok(());
        }
        if has_pipe {
            self.pipe()?;
        }
        let named: Vec<PathBuf> =
            paths.iter().filter(|path| !is_pipe(path)).cloned().collect();
        if has_pipe && named.is_empty() {
            return Ok(());
        }
        let places = Places::of(&named, self.files.has_subagents());
        for (folder, error) in places.errors {
            let folder = self.content.shown(&folder.display().to_string());
            self.content.report(&folder, &error);
        }
        for folder in places.links {
            let folder = self.content.shown(&folder.display().to_string());
            print_message(&format!(
                "{folder}: a link to a folder, which is not followed"
            ));
        }
        for place in places.files {
            let found = self.content.report.count();
            let name = self.content.shown(&place.path.display().to_string());
            let done = match is_dry {
                true => self.look_at(&place, &name),
                false => self.rewrite(&place, &name),
            };
            match done {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                    return Err(e);
                }
                Err(error) => self.content.report(&name, &error),
                Ok(()) => self.content.report.end_file(found),
            }
            self.content.redactor.clear_findings();
        }
        Ok(())
    }

    /// Looks for what would be redacted in standard input.
    fn pipe(&mut self) -> io::Result<()> {
        let input = Input::Standard;
        let Some(source) = input.open_or_report(&mut self.content.outcome)
        else {
            return Ok(());
        };
        let found = self.content.report.count();
        let name = input.to_string();
        let to = &mut io::sink();
        match self.content.lines(&name, source, to)? {
            Ok(_) => self.content.report.end_file(found),
            Err(error) => {
                self.content.report(&name, &io::Error::other(told(&error)))
            }
        }
        Ok(())
    }

    /// Looks for what would be redacted in a file and in its name.
    fn look_at(&mut self, place: &Place, name: &str) -> io::Result<()> {
        // A name that cannot be redacted is an error only if it is written.
        let file = place.name.to_string_lossy().into_owned();
        if Name::of(place, &mut self.content.redactor).is_err() {
            self.content.redactor.text(&file);
        }
        self.content.report.take_name(name, &mut self.content.redactor)?;
        let to = &mut io::sink();
        self.content.file(place, name, to).map(|_| ())
    }

    /// Writes the result of a file.
    fn rewrite(&mut self, place: &Place, name: &str) -> io::Result<()> {
        let cleaned = Name::of(place, &mut self.content.redactor);
        let Some(folder) = &self.redact.output else {
            if self.content.redactor.findings().next().is_some() {
                self.content.redactor.clear_findings();
                let why = "its name would be redacted, and is not changed";
                self.content.outcome.report(&name, &why, Outcome::Findings);
            }
            return self.replace(place, name);
        };
        self.content.report.take_name(name, &mut self.content.redactor)?;
        let target = folder.join(self.names.take(place, &cleaned?));
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        // Nothing is overwritten, least of all the file itself.
        let from = fs::metadata(&place.path).ok();
        let (new, file) =
            New::create(&target, from.as_ref(), &mut self.leftovers)?;
        match self.write(place, name, file)? {
            Some(_) => new.name(),
            None => Ok(()),
        }
    }

    /// Replaces a file by its result.
    fn replace(&mut self, place: &Place, name: &str) -> io::Result<()> {
        if place.kind == Kind::Log
            && plain::format(&File::open(&place.path)?)? != Format::Plain
        {
            let why = "a compressed log is not replaced, nor is a JSON array; \
                       use --output";
            return Err(io::Error::other(why));
        }
        let (new, file) = Beside::create(&place.path, &mut self.leftovers)?;
        let found = self.content.report.count();
        let Some(lines) = self.write(place, name, file)? else {
            return Ok(());
        };
        if self.content.report.count() == found
            && lines.bad == 0
            && !new.differs()?
        {
            return Ok(());
        }
        if lines.valid == 0 {
            let why = "no line of it is valid, so it is left as it is";
            return Err(io::Error::other(why));
        }
        let has_bad_lines = lines.bad > 0;
        if has_bad_lines && self.has_document(place)? {
            let why = "it has a JSON document over several lines, so it is \
                       left as it is";
            return Err(io::Error::other(why));
        }
        if has_bad_lines && !self.content.drops_bad {
            let why = "it has bad lines, so it is left as it is; use \
                       --drop-bad or --keep-bad";
            return Err(io::Error::other(why));
        }
        new.rename()
    }

    /// Returns whether a log has a JSON document over several lines.
    fn has_document(&self, place: &Place) -> io::Result<bool> {
        let source = Input::File(place.path.clone()).open()?;
        let mut reader = self.files.reader(Level::Line).build(source);
        while reader.next_line().is_some() {}
        Ok(reader.stats().document_lines > 0)
    }

    fn write(
        &mut self,
        place: &Place,
        name: &str,
        file: File,
    ) -> io::Result<Option<Lines>> {
        let mut out = BufWriter::with_capacity(BUFFER, file);
        let lines = self.content.file(place, name, &mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        Ok(lines)
    }
}
