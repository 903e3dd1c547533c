//! The paths of the command line, and the settings to read them with.

use std::path::{Path, PathBuf};

use clap::Args;
use linetape::{Level, Limits, Reader, ReaderBuilder};
use linetape_flow::Logs;

use crate::{
    input::Input,
    outcome::Outcome,
    output::{self, Prints},
    progress,
    real_path::stored_path,
    size::size,
    standard,
    subagents::{is_agent, with_agents},
};

/// The default of the maximum length of a line in bytes.
const MAX_LINE: u64 = 64 << 20;

/// The paths to read, and the settings of the reader.
#[derive(Args)]
pub struct Files {
    /// Files to read; folders, which are searched for `*.jsonl` and `*.ndjson`
    /// files; or `-` for standard input. All may be compressed with gzip or
    /// zstd, in folders as `*.jsonl.gz` and the like [default: standard input,
    /// if it is a file or a pipe]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read the built-in sample session
    #[arg(long, conflicts_with = "paths")]
    sample: bool,
    /// The maximum length of a line in bytes; K, M and G are KiB, MiB and GiB
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64M",
        value_parser = size
    )]
    max_line: u64,
    /// The maximum decompressed size of a compressed input in bytes; a larger
    /// input is an error [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_plain: Option<u64>,
    /// Skip lines whose first character after whitespace is not `{`, such as
    /// the output of a shell
    #[arg(long)]
    skip_noise: bool,
    /// Recover the complete records of damaged lines
    #[arg(long)]
    salvage: bool,
    /// How many threads read, or 0 for the default.
    #[arg(skip)]
    threads: usize,
    /// Which files of a session are read.
    #[arg(skip)]
    session: Session,
}

/// Which files of a session are read.
#[derive(Clone, Copy, Default, PartialEq)]
enum Session {
    /// Those that were named.
    #[default]
    Named,
    /// With those of its sub-agents.
    Whole,
    /// Without those of its sub-agents, also of those that are in a folder.
    Alone,
}

/// Whether the transcripts of sub-agents belong to a session.
#[derive(Args, Clone, Copy)]
pub struct Subagents {
    /// Leave out the transcripts of sub-agents, which are in
    /// `NAME/subagents/` for a session `NAME.jsonl`
    #[arg(long)]
    no_subagents: bool,
}

/// How many threads read.
#[derive(Args, Clone, Copy)]
pub struct Threads {
    /// The number of threads that read [default: one for each core, but no
    /// more than 8]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    threads: Option<u16>,
}

impl Files {
    /// Returns the paths of the command line.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Replaces the paths of the command line.
    pub fn set_paths(&mut self, paths: Vec<PathBuf>) {
        self.paths = paths;
    }

    /// Finds out what is read without a path: standard input, if it has
    /// something. Returns whether there is anything to read.
    pub fn find(&mut self) -> bool {
        if self.paths.is_empty() && !self.sample && standard::is_given() {
            self.paths.push("-".into());
        }
        self.sample || !self.paths.is_empty()
    }

    /// Lets the sample session be read.
    pub fn use_sample(&mut self) {
        self.sample = true;
    }

    /// Returns the inputs that the paths name, with those of sub-agents for
    /// commands that read whole sessions, and starts the progress bar.
    pub fn inputs(&self, prints: Prints, outcome: &mut Outcome) -> Vec<Input> {
        let mut inputs = vec![];
        for path in &self.paths {
            if path.as_os_str() == "-" {
                inputs.push(Input::Standard);
            } else if path.is_dir() {
                let mut logs = logs_below(path, outcome);
                if self.leaves_out_subagents() {
                    logs.retain(|log| !is_agent(log, path));
                }
                if logs.is_empty() {
                    let why = "no *.jsonl or *.ndjson files in this folder";
                    let folder = path.display();
                    outcome.report(&folder, &why, Outcome::CouldNotRun);
                }
                inputs.extend(logs.into_iter().map(Input::File));
            } else {
                inputs.push(Input::File(path.clone()));
            }
        }
        if self.sample {
            inputs.push(Input::Sample);
        }
        if self.has_subagents() {
            inputs = with_agents(inputs, outcome);
        }
        if prints == Prints::AtTheEnd || output::is_redirected() {
            progress::begin(|| inputs.iter().map(Input::size).sum());
        }
        inputs
    }

    /// Returns the arguments that decide which lines are read, and how.
    pub fn arguments(&self) -> Vec<String> {
        let flags = [
            (self.skip_noise, "--skip-noise"),
            (self.salvage, "--salvage"),
            (self.leaves_out_subagents(), "--no-subagents"),
        ];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
        let mut arguments: Vec<String> =
            flags.map(|(_, flag)| flag.to_string()).collect();
        if self.max_line != MAX_LINE {
            arguments.push(format!("--max-line {}", self.max_line));
        }
        // The current folder can be another one in the next run.
        let stored = |path: &PathBuf| match path.as_os_str() == "-" {
            true => path.clone(),
            false => stored_path(path),
        };
        let paths = self.paths.iter().map(stored);
        arguments.extend(paths.map(|path| path.display().to_string()));
        arguments
    }

    /// Sets the number of threads, for commands that read on several.
    pub fn on(self, threads: Threads) -> Files {
        Files { threads: threads.threads.unwrap_or(0).into(), ..self }
    }

    /// Sets whether sub-agents are read, for commands that read whole
    /// sessions.
    pub fn with(self, subagents: Subagents) -> Files {
        let session = match subagents.no_subagents {
            true => Session::Alone,
            false => Session::Whole,
        };
        Files { session, ..self }
    }

    /// Returns whether the transcripts of sub-agents are read, too.
    pub fn has_subagents(&self) -> bool {
        self.session == Session::Whole
    }

    /// Returns whether the transcripts of sub-agents are left out.
    pub fn leaves_out_subagents(&self) -> bool {
        self.session == Session::Alone
    }

    /// Returns the number of threads, or 0 for the default.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns a reader builder with the settings of the command line.
    pub fn reader(&self, level: Level) -> ReaderBuilder {
        Reader::builder()
            .level(level)
            .skip_noise(self.skip_noise)
            .skip_documents(true)
            .salvage(self.salvage)
            .limits(self.limits())
    }

    /// Returns whether lines are read that are only a part of a line.
    pub fn is_salvaging(&self) -> bool {
        self.salvage
    }

    /// Returns the maximum decompressed size of a compressed input, if there
    /// is one.
    pub fn max_plain(&self) -> Option<u64> {
        self.max_plain
    }

    /// Returns the limits of the command line.
    pub fn limits(&self) -> Limits {
        let max_line = usize::try_from(self.max_line).unwrap_or(usize::MAX);
        Limits { max_line, ..Limits::default() }
    }
}

/// Returns the logs in a folder. Reports folders that cannot be listed.
fn logs_below(folder: &Path, outcome: &mut Outcome) -> Vec<PathBuf> {
    let Logs { files, errors, .. } = Logs::find(folder);
    for (folder, error) in errors {
        outcome.report(&folder.display(), &error, Outcome::CouldNotRun);
    }
    files
}
