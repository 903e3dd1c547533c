//! The command line. The help, the manual pages and the shell completions are
//! generated from these types.

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use colorchoice_clap::Color;

use crate::{
    convert::Dialect,
    files::{Files, Threads},
    generate::Generate,
    output::Output,
    select::Filter,
    show::Look,
    state::StateFile,
    usage::Grouped,
};

/// Inspect the logs of AI agents: newline-delimited JSON from files, folders
/// or a pipe
///
/// Without a command, linetape runs `linetape stats`.
#[derive(Parser)]
#[command(
    name = "linetape",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_precedence_over_arg = true,
    after_help = "\
Exit codes:
  0  success; `stats` counts invalid lines, and still succeeds
  1  `check` found an error, or another command skipped an invalid line
  2  an input or output failed, a folder has no logs, or the arguments are
     wrong

A closed pipe (`| head`) is not an error: the command stops, and exits with 0.
`check` exits with the code for what it has found so far.

Examples:
  linetape                       report on a sample session
  linetape logs/                 report on all logs in a folder
  agent | linetape stats -       report on the output of a program
  linetape show session.jsonl    read a session
  linetape help select           print all filters of `select`"
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
    /// Print a summary: lines, records, errors, sessions, tools and tokens
    /// (the default command)
    ///
    /// Invalid lines are counted by kind, and the first three of each kind are
    /// listed. They do not change the exit code.
    #[command(after_help = "\
Examples:
  linetape stats logs/
  linetape stats --peek huge.jsonl
  linetape stats --json session.jsonl | jq .usage")]
    Stats(Stats),
    /// Print the lines that match all filters, unchanged
    ///
    /// A line matches if it passes every filter. A filter that is given
    /// several times passes if any of its values matches. Without filters,
    /// every line matches. Empty lines are skipped.
    ///
    /// Lines are copied byte for byte, and each ends in one LF, even if it
    /// ended in CRLF or had no newline. Control characters are escaped when
    /// writing to a terminal.
    ///
    /// Invalid lines are never written, not even with --invert. They are
    /// reported on standard error, and the exit code is 1. Lines are not
    /// decoded, so invalid JSON deep inside a line can go unnoticed.
    #[command(after_help = "\
Examples:
  linetape select --type assistant --type system/init session.jsonl
  linetape select --tool Bash --since 2026-03-01 logs/
  linetape select --contains 'no such file' --count logs/
  linetape select --type user --invert logs/ -o others.jsonl")]
    Select(Select),
    /// Print sessions as readable text
    ///
    /// Lines of sub-agents begin with `|`, thinking with `~`, tool calls with
    /// `>` and their results with `<`. Input from a pipe is printed as it
    /// arrives; a streamed message is printed when it is complete, or when it
    /// is truncated. Times are printed as the log states them.
    #[command(after_help = "\
Examples:
  linetape show session.jsonl
  linetape show --color always --width \"$(tput cols)\" logs/ | less -R
  agent | linetape show -")]
    Show(Show),
    /// Print token usage, tool calls and reported costs
    ///
    /// A message that is on several lines counts once. A message that calls
    /// several tools counts for each of them. Messages of sub-agents are
    /// included, and the table says how much of the total is theirs.
    ///
    /// Costs are the agent's estimates, which live streams and the transcripts
    /// of newer agents report by session and by model. Use --prices for a cost
    /// where none is reported.
    #[command(after_help = "\
Examples:
  linetape usage logs/
  linetape usage --home --by month --timezone local
  linetape usage --by day logs/
  linetape select --since 2026-03-01 --until 2026-03-07 logs/ | linetape usage -
  linetape usage --by session --json logs/")]
    Usage(Usage),
    /// Print every invalid line and every broken rule, as `file:line:byte rule
    /// message`
    ///
    /// The rules are about required fields, identifiers, sub-agents, and tool
    /// calls with their results. The exit code is 1 if there is an error.
    /// `byte` is an offset in the file, from 0: of the fault in an invalid line,
    /// and of the line for a broken rule. To repair damaged lines, use
    /// `linetape normalize --salvage`.
    ///
    /// With --json, the output is an array of objects with `file`, `line`,
    /// `byte`, `rule`, `level` (`error` or `note`) and `message`.
    #[command(after_help = "\
Examples:
  linetape check logs/
  linetape check --notes --json session.jsonl")]
    Check(Check),
    /// Print every path of every kind of record, with types, counts and an
    /// example
    ///
    /// `a.b[].c` is the member `c` of the items of the array `b`. `*` is any
    /// key: in objects whose keys are data, and in objects with more than 64
    /// unknown keys, where the record count is an upper bound. Keys, types and
    /// values that linetape does not know are flagged.
    ///
    /// With --known, the output lists the tables that linetape reads messages
    /// with. A struct is an object with fields: each has a key, perhaps an
    /// alias, and a type. `[t]` is an array and `{t}` an object with any keys.
    /// A union is one of several structs, chosen by a string. An enum is a
    /// string; other strings are read too. The union `Message` has all types.
    #[command(after_help = "\
Examples:
  linetape schema session.jsonl | less
  linetape schema --json logs/ | jq -r '.kinds[] | .type as $t | .paths[] |
    select(.known | not) | \"\\($t) \\(.path)\"'
  linetape schema --known --json | jq '.messages.unions.System.variants'")]
    Schema(Schema),
    /// Write each record in a canonical form
    ///
    /// Fields are written in a fixed order, with the same escapes everywhere. A
    /// number that is not a 64-bit integer is written as the nearest double.
    /// Invalid lines are reported on standard error, and the exit code is 1.
    #[command(after_help = "\
Examples:
  linetape normalize session.jsonl > clean.jsonl
  linetape normalize --salvage damaged.jsonl -o repaired.jsonl")]
    Normalize(Normalize),
    /// Convert each record to another dialect
    ///
    /// Reads and writes newline-delimited JSON. Fields that the other dialect
    /// does not have are dropped. Records without a counterpart, and records
    /// that repeat another one, are not written; their number is reported on
    /// standard error, and is not an error. Invalid lines are reported on
    /// standard error, and the exit code is 1.
    ///
    /// Records are written as they are read, except that `--to stream-json`
    /// writes a text when it is complete. `--to ui` replaces session ids by
    /// numbers, in order of appearance. `--to wrapper` detects progress and
    /// sub-agents in English text by a heuristic, which can be wrong.
    #[command(after_help = "\
Examples:
  agent | linetape convert --to ui -
  linetape convert --to wrapper session.jsonl
  linetape convert --to stream-json events.jsonl -o messages.jsonl")]
    Convert(Convert),
    /// Generate a synthetic log
    ///
    /// The same shape, seed and size generate the same lines on every machine.
    #[command(after_help = "\
Examples:
  linetape generate | linetape stats -
  linetape generate --shape stream --bytes 1G -o stream.ndjson")]
    Generate(Generate),
    /// Print the completion script for a shell
    #[command(after_help = "\
Examples:
  linetape completions bash > ~/.local/share/bash-completion/completions/linetape
  linetape completions zsh > ~/.zfunc/_linetape
  linetape completions fish > ~/.config/fish/completions/linetape.fish")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a manual page
    #[command(after_help = "\
Examples:
  linetape man > linetape.1
  linetape man select | man -l -")]
    Man {
        /// The command to describe [default: linetape as a whole]
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
    pub threads: Threads,
    #[command(flatten)]
    pub state: StateFile,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Peek {
    /// Read only the needed fields of each line; faster, but invalid JSON
    /// deep inside a line can go unnoticed
    #[arg(long)]
    pub peek: bool,
}

#[derive(Args)]
pub struct Select {
    #[command(flatten)]
    pub filter: Filter,
    /// Print only the number of matching lines
    #[arg(long, conflicts_with = "output")]
    pub count: bool,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub state: StateFile,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Usage {
    #[command(flatten)]
    pub grouped: Grouped,
    #[command(flatten)]
    pub peek: Peek,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub state: StateFile,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Check {
    /// Also print notes: oddities that are not errors, because agents write
    /// them on purpose, or because the log is only a part of a session
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
    /// Print what linetape knows instead: all types, subtypes, content
    /// blocks, fields and values, with their keys; reads no input
    #[arg(long, conflicts_with = "paths")]
    pub known: bool,
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
