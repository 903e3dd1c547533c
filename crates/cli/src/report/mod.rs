//! `linetape report`: sessions as static pages.

mod folder;
mod group;
mod source;

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process,
};

use clap::Args;
use linetape_redact::RuleLevel;
use linetape_report::{Options, Overview, write_session};

use crate::{
    files::{Files, Subagents},
    gathered::gathered,
    input::Input,
    outcome::{Outcome, print_message},
    output::{Output, Prints},
    recognised::Recognition,
    time::since,
    unused,
};

use folder::Folder;
use group::{Group, Groups, grouped};
use source::Reading;

/// The arguments of `linetape report`.
#[derive(Args)]
pub struct Report {
    /// The folder to write to, which is created if it does not exist; or, for
    /// one session, a file that ends in `.html`, or `-` for standard output.
    /// Required unless --open is given
    #[arg(short, long, value_name = "PATH", required_unless_present = "open")]
    output: Option<PathBuf>,
    /// Open the page in a browser; without --output, it is in a new temporary
    /// folder
    #[arg(long)]
    open: bool,
    /// Remove secrets first, as `linetape redact` does
    #[arg(long)]
    redact: bool,
    /// With --redact, the level of the built-in rules: none, secrets, personal
    /// or all [default: secrets]
    #[arg(long, value_name = "LEVEL", requires = "redact")]
    level: Option<RuleLevel>,
    /// Only sessions that were active at this time or later: a time such as
    /// 2026-03-02T09:14:07Z, or a day such as 2026-03-02, in UTC
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<i64>,
    /// Write texts of more than 200 KB to their end
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    subagents: Subagents,
    #[command(flatten)]
    files: Files,
}

impl Report {
    pub fn files(&mut self) -> &mut Files {
        &mut self.files
    }
}

/// Writes the pages.
pub fn run(report: Report) -> io::Result<Outcome> {
    let files = report.files.with(report.subagents);
    let report = &Report { files, ..report };
    let mut outcome = Outcome::Fine;
    let output = match &report.output {
        Some(output) => output.clone(),
        None => new_folder()?,
    };
    if report.open && output.as_os_str() == "-" {
        print_message("--open needs a page in a file: give --output a path");
        return Ok(Outcome::CouldNotRun);
    }
    let inputs = report.files.inputs(Prints::AtTheEnd, &mut outcome);
    if inputs.is_empty() {
        return Ok(outcome);
    }
    let page = match is_page(&output) {
        true => one_file(report, &output, inputs, &mut outcome)?,
        false => folder(report, &output, inputs, &mut outcome)?,
    };
    let is_fine = outcome < Outcome::CouldNotRun;
    if let Some(page) = page.filter(|_| report.open && is_fine) {
        open(&page, &mut outcome);
    }
    Ok(outcome)
}

/// Returns whether an output is one page, not a folder.
fn is_page(output: &Path) -> bool {
    let is_html = output.extension().is_some_and(|kind| {
        kind.eq_ignore_ascii_case("html") || kind.eq_ignore_ascii_case("htm")
    });
    output.as_os_str() == "-" || (is_html && !output.is_dir())
}

/// Writes one session to one file. Returns its path, if it has one.
fn one_file(
    report: &Report,
    output: &Path,
    inputs: Vec<Input>,
    outcome: &mut Outcome,
) -> io::Result<Option<PathBuf>> {
    let to = Output::to(output.to_path_buf());
    // One group: what is not in the same session is refused.
    let group = Group { inputs: gathered(inputs, &report.files) };
    let mut reading = Reading::start(group, reading(report), outcome)?;
    if reading.agents.is_foreign(outcome) {
        return Ok(None);
    }
    let mut sessions = reading.log.finish();
    reading.log.take_usage();
    sessions.retain(|session| is_since(session, report.since));
    let session = match sessions.as_slice() {
        [session] => session,
        [] => {
            print_message("no session to report");
            *outcome = Outcome::CouldNotRun;
            return Ok(None);
        }
        several => {
            print_message(&format!(
                "{} sessions cannot be one page: use a folder as --output",
                several.len()
            ));
            *outcome = Outcome::CouldNotRun;
            return Ok(None);
        }
    };
    let Some((out, _)) = to.open(&reading.group.inputs, false) else {
        *outcome = Outcome::CouldNotRun;
        return Ok(None);
    };
    let mut out = io::BufWriter::with_capacity(64 << 10, out);
    let mut options = Options::default();
    options.full = report.full;
    options.source = reading.mark(report.full);
    let recall = &mut reading.recall;
    write_session(&mut out, &reading.log, session, recall, &options)?;
    io::Write::flush(&mut out)?;
    Ok((output.as_os_str() != "-").then(|| output.to_path_buf()))
}

/// Writes all sessions and their index to a folder. Returns the index.
fn folder(
    report: &Report,
    output: &Path,
    inputs: Vec<Input>,
    outcome: &mut Outcome,
) -> io::Result<Option<PathBuf>> {
    let mut folder = match Folder::new(output) {
        Ok(folder) => folder,
        Err(error) => {
            let output = output.display();
            outcome.report(&output, &error, Outcome::CouldNotRun);
            return Ok(None);
        }
    };
    // A page with links to others is written when all others are known.
    let mut waiting = vec![];
    let mut agents = Recognition::default();
    let Groups { all, sessions: in_files } =
        grouped(inputs, &report.files, outcome);
    for group in all {
        let mut reading = Reading::start(group, reading(report), outcome)?;
        agents.append(std::mem::take(&mut reading.agents));
        let mut sessions = reading.log.finish();
        // Also of sessions that are too old: what a fork repeats of them is
        // theirs.
        folder.spend(reading.log.take_usage());
        sessions.retain(|session| is_since(session, report.since));
        folder.name(&reading.group, &mut sessions);
        let is_waiting = folder.is_waiting(&sessions, &in_files);
        match is_waiting && reading.group.is_rereadable() {
            true => waiting.push((reading.group, sessions)),
            false => folder.add(&mut reading, sessions, report.full)?,
        }
    }
    for (group, sessions) in waiting {
        let settings = source::Settings { is_quiet: true, ..reading(report) };
        let mut reading = Reading::start(group, settings, outcome)?;
        reading.log.finish();
        reading.log.take_usage();
        folder.add(&mut reading, sessions, report.full)?;
    }
    agents.is_foreign(outcome);
    // Nothing could be read, perhaps because a name is misspelt: an index of
    // earlier pages is kept.
    if folder.is_empty() && *outcome >= Outcome::CouldNotRun {
        return Ok(None);
    }
    let index = folder.finish()?;
    print_message(&format!("{}: {}", index.display(), folder.counts()));
    if report.redact
        && let Some(message) = folder.unredacted()?
    {
        let output = output.display();
        outcome.report(&output, &message, Outcome::CouldNotRun);
    }
    Ok(Some(index))
}

fn reading(report: &Report) -> source::Settings<'_> {
    let level = report.redact.then(|| report.level.unwrap_or_default());
    source::Settings { files: &report.files, level, is_quiet: false }
}

fn is_since(session: &Overview, since: Option<i64>) -> bool {
    since.is_none_or(|since| session.ended_at.is_some_and(|at| at >= since))
}

/// Creates a folder for a report that is only looked at.
fn new_folder() -> io::Result<PathBuf> {
    let mut builder = fs::DirBuilder::new();
    // Logs are confidential, and this folder is one of all users.
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let name = |number| format!("linetape-report-{}-{number}", process::id());
    let path = |number| env::temp_dir().join(name(number));
    let made = unused::create(path, |path| builder.create(path));
    made.map(|(folder, ())| folder)
}

/// Opens a page with the program that the system has for it.
fn open(page: &Path, outcome: &mut Outcome) {
    let program = match env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    // `BROWSER` is what many programs use where there is no desktop.
    let program = env::var_os("BROWSER").unwrap_or(program.into());
    let page = fs::canonicalize(page).unwrap_or(page.to_path_buf());
    let opened = process::Command::new(&program)
        .arg(&page)
        .stdin(process::Stdio::null())
        .stdout(process::Stdio::null())
        .status();
    let error = match opened {
        Ok(status) if status.success() => return,
        // It opens the page all the same.
        Ok(_) if env::consts::OS == "windows" => return,
        Ok(status) => format!("{status}; the page is {}", page.display()),
        Err(error) => format!("{error}; the page is {}", page.display()),
    };
    outcome.report(&program.display(), &error, Outcome::CouldNotRun);
}
