//! What can be said on the command line. The help, the manual pages and the
//! completions of shells are all made of this.

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use colorchoice_clap::Color;

use crate::{
    convert::Dialect, files::Files, generate::Generate, output::Output,
    select::Filter, show::Look, usage::By,
};

/// Looks into the logs of AI agents: newline-delimited JSON, from files,
/// folders or a pipe.
///
/// Without a command, this is `linetape stats`. The exit code is 0 if all is
/// fine, 1 if there are findings (bad lines, broken rules), and 2 if something
/// could not be read or written.
#[derive(Parser)]
#[command(
    name = "linetape",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_precedence_over_arg = true,
    after_help = "\
Examples:
  linetape                       report on a sample session
  linetape logs/                 report on all logs in a folder
  agent | linetape stats -       report on what a pipe brings
  linetape show session.jsonl    read a session
  linetape help select           how to pick lines"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub stats: Stats,
    #[command(flatten)]
    pub color: Color,
}

#[derive(Subcommand)]
pub enum Command {
    /// Report what the logs hold (this is also what happens without a
    /// command)
    ///
    /// Bad lines are counted, and the first few of each kind are named. That
    /// is no failure: the exit code is 0.
    #[command(after_help = "\
Examples:
  linetape stats logs/
  linetape stats --peek huge.jsonl
  linetape stats --json session.jsonl | jq .usage")]
    Stats(Stats),
    /// Write the lines that match, as they stand
    ///
    /// A line matches if it meets every filter. A filter that is given several
    /// times is met by any of its values. Without a filter every line matches,
    /// but for blank ones.
    ///
    /// A line is written byte for byte, but always ends in one LF, even if it
    /// ended in CRLF or was the last and had no newline. On a terminal, what
    /// would drive it is escaped. A line that cannot be read is never written,
    /// with --invert neither: it is named on standard error, and the exit code
    /// is 1. Lines are not decoded, so one that is bad deep inside can match.
    #[command(after_help = "\
Examples:
  linetape select --type assistant --type system/init session.jsonl
  linetape select --tool Bash --since 2026-03-01 logs/
  linetape select --contains 'no such file' --count logs/
  linetape select --type user --invert logs/ -o others.jsonl")]
    Select(Select),
    /// Print sessions as a person reads them
    ///
    /// Lines of sub-agents have a bar before them, thoughts `~`, calls of
    /// tools `>`, and their results `<`. What comes from a pipe is shown as it
    /// comes; a message that is still being written, when it is whole or
    /// breaks off. Times are those of the log.
    #[command(after_help = "\
Examples:
  linetape show session.jsonl
  linetape show --color always --width \"$(tput cols)\" logs/ | less -R
  agent | linetape show -")]
    Show(Show),
    /// Print what the messages of the model used: tokens, calls of tools, and
    /// what the agent says that it cost
    ///
    /// A message that is on several lines counts once, and one that calls
    /// several tools counts for each of them. A day is the one of the
    /// timestamp, in its own time zone. Costs are the agent's own estimates,
    /// so they are there only where it states some: in live streams, by
    /// session and by model. linetape knows no prices.
    #[command(after_help = "\
Examples:
  linetape usage logs/
  linetape usage --by day logs/
  linetape select --since 2026-03-01 --until 2026-03-07 logs/ | linetape usage -
  linetape usage --by session --json logs/")]
    Usage(Usage),
    /// Print every bad line and every broken rule, as `file:line:byte rule
    /// message`
    ///
    /// The rules are about fields, identifiers, sub-agents, and calls of
    /// tools with their results. The exit code is 1 if something is wrong.
    /// `linetape normalize --salvage` mends lines that are damaged.
    ///
    /// With --json, there is an array of objects with `file`, `line`, `byte`,
    /// `rule`, `level` (`error` or `note`) and `message`.
    #[command(after_help = "\
Examples:
  linetape check logs/
  linetape check --notes --json session.jsonl")]
    Check(Check),
    /// Print what records contain: every path, with types, counts and an
    /// example
    ///
    /// `a.b[].c` is a path to `c` in the items of `b`, and `*` stands for any
    /// key, where keys are data. So it does where there are more than 64 keys
    /// that linetape does not know; then its count of records is the most
    /// that it can be. What linetape does not know is marked.
    #[command(after_help = "\
Examples:
  linetape schema session.jsonl | less
  linetape schema --json logs/ | jq -r '.kinds[] | .type as $t | .paths[] |
    select(.known | not) | \"\\($t) \\(.path)\"'")]
    Schema(Schema),
    /// Write each record again, in one canonical form
    ///
    /// Fields come in one order, and text is escaped in one way. A number that
    /// is no 64-bit integer is written as the double that it is read as. A line
    /// that is no record is named on standard error, and the exit code is 1.
    #[command(after_help = "\
Examples:
  linetape normalize session.jsonl > clean.jsonl
  linetape normalize --salvage damaged.jsonl -o mended.jsonl")]
    Normalize(Normalize),
    /// Translate each record into another dialect
    ///
    /// Reads and writes newline-delimited JSON. Fields that the other dialect
    /// does not have are left out. At the end, standard error says for how many
    /// records nothing was written: they have no counterpart, or repeat a
    /// record. That is no error. A line that is no record is named on standard
    /// error, and the exit code is 1.
    ///
    /// Records are written as they are read, except that `--to stream-json`
    /// writes a text when it is complete. `--to ui` numbers sessions.
    /// `--to wrapper` finds progress and sub-agents in English text by a
    /// heuristic, which makes mistakes.
    #[command(after_help = "\
Examples:
  agent | linetape convert --to ui -
  linetape convert --to wrapper session.jsonl
  linetape convert --to stream-json events.jsonl -o messages.jsonl")]
    Convert(Convert),
    /// Make a log to try things on
    ///
    /// The same shape and seed give the same lines on every machine. Nothing
    /// in them is real.
    #[command(after_help = "\
Examples:
  linetape generate | linetape stats -
  linetape generate --shape stream --bytes 1G -o stream.ndjson")]
    Generate(Generate),
    /// Print the completions for a shell
    #[command(after_help = "\
Examples:
  linetape completions bash > ~/.local/share/bash-completion/completions/linetape
  linetape completions zsh > ~/.zfunc/_linetape
  linetape completions fish > ~/.config/fish/completions/linetape.fish")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a page of the manual
    #[command(after_help = "\
Examples:
  linetape man > linetape.1
  linetape man select | man -l -")]
    Man {
        /// The command that it is about; without one, all of linetape
        command: Option<String>,
    },
}

#[derive(Args)]
pub struct Stats {
    #[command(flatten)]
    pub peek: Peek,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Peek {
    /// Look only at what is asked for, which is faster: a line with bad JSON
    /// deep inside counts as a record then
    #[arg(long)]
    pub peek: bool,
}

#[derive(Args)]
pub struct Select {
    #[command(flatten)]
    pub filter: Filter,
    /// Print only how many lines match
    #[arg(long, conflicts_with = "output")]
    pub count: bool,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Usage {
    /// What to add up by
    #[arg(long, value_enum, default_value_t)]
    pub by: By,
    #[command(flatten)]
    pub peek: Peek,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Check {
    /// Print what is odd but not wrong as well: agents do so on purpose, or
    /// the log is only a part of a session
    #[arg(long)]
    pub notes: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Schema {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Normalize {
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Convert {
    /// The dialect to write
    #[arg(long, value_enum, value_name = "DIALECT")]
    pub to: Dialect,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Show {
    #[command(flatten)]
    pub look: Look,
    #[command(flatten)]
    pub files: Files,
}
