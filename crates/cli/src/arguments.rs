//! The command line. The help, the manual pages and the shell completions are
//! generated from these types.

use clap::{Args, Parser, Subcommand};
use colorchoice_clap::Color;

#[cfg(feature = "convert")]
use crate::convert::Dialect;
use crate::{
    files::{Files, Subagents, Threads},
    follow::Followed,
    output::Output,
    redact::Redact,
    report::Report,
    select::Filter,
    show::Look,
    split::Split,
    sql::Sql,
    state::StateFile,
    usage::Grouped,
    watch::Watch,
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
    // After the options of every command.
    mut_arg("color", |color| {
        color.help("When to use colours").display_order(1000)
    }),
    after_help = "\
Exit codes:
  0  success; `stats` counts bad lines, and still succeeds
  1  `check` found an error, `redact --check` found a secret, or a command
     skipped a bad line
  2  an input or output failed, a folder has no logs, the logs are of no known
     agent, there is nothing to read, or the arguments are wrong
  129, 130, 143  ended by SIGHUP, SIGINT or SIGTERM

A closed pipe (`| head`) is not an error: the command stops, and exits with 0.
`check` exits with the code for what it has found so far.

Examples:
  linetape                       summarise piped input, or a sample session
  linetape logs/                 summarise all logs in a folder
  agent | linetape stats -       summarise the output of a program
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
    /// Bad lines are counted by kind, and the first three of each kind are
    /// listed. They do not change the exit code.
    #[command(after_help = "\
Examples:
  linetape stats logs/
  linetape stats --peek huge.jsonl
  linetape stats --json session.jsonl | jq .usage")]
    Stats(Stats),
    /// Print the lines that match all filters
    ///
    /// A line matches if it passes every filter. A filter that is given
    /// several times passes if any of its values matches. Without filters,
    /// every line matches. Empty lines are skipped.
    ///
    /// Lines are copied byte for byte, except for their ends: each line ends
    /// in one LF, even if it ended in CRLF or had no newline. Control
    /// characters are escaped when writing to a terminal. With --state, lines
    /// are appended to the file of --output. If a run is killed, the next run
    /// writes its lines again, so that the file can have lines twice, and one
    /// that is cut.
    ///
    /// Lines are checked only as far as they are read: UTF-8, closed strings
    /// and brackets, and the outermost object. A line that fails this check is
    /// reported on standard error and not written, even with --invert, and the
    /// exit code is 1. Invalid JSON in a nested value may be copied unchanged;
    /// `linetape check` reports it.
    #[command(after_help = "\
Examples:
  linetape select --type assistant --type system/init session.jsonl
  linetape select --tool Bash --since 2026-03-01 logs/
  linetape select --contains 'no such file' --count logs/
  linetape select --type user --invert logs/ -o others.jsonl
  linetape select -f --type result logs/ | while read -r line; do ...")]
    Select(Select),
    /// Print sessions as readable text
    ///
    /// Lines of sub-agents begin with `|`, thinking with `~`, tool calls with
    /// `>` and their results with `<`. Times are printed as the log states
    /// them.
    ///
    /// Files are read twice, and printed in reading order: a result follows
    /// its call, even if several calls ran at once. A sub-agent is printed at
    /// the call that started it. If its messages are in another file, pass the
    /// folder. Abandoned branches, and summaries after a compaction, are
    /// collapsed to one line; --full prints them.
    ///
    /// Input from a pipe, and with --follow, is printed as it arrives. A
    /// streamed message is printed when it is complete, or when its stream
    /// ends early.
    #[command(after_help = "\
Examples:
  linetape show session.jsonl
  linetape show --markdown session.jsonl > session.md
  linetape show --color always --width \"$(tput cols)\" logs/ | less -R
  linetape show -f session.jsonl
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
    /// Print every bad line and every broken rule, as `file:line:byte rule
    /// message`
    ///
    /// The rules cover required fields and their types, timestamps, uuids and
    /// parents, sub-agents, tool calls and their results, and lost writes.
    /// `byte` is a 0-based offset in the file: of the first wrong byte for a
    /// bad line, and of the start of the line for a broken rule. A note has
    /// `note: ` before its message.
    ///
    /// The exit code is 1 if there is an error; notes do not count.
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
    /// `a.b[].c` is the member `c` of the items of the array `b`. `*` stands
    /// for any key of a map, which is an object whose keys are data. It also
    /// stands for the keys of an object with more than 64 unknown keys; there,
    /// the record count is an upper bound. Keys, types and values that linetape
    /// does not know are flagged.
    ///
    /// With --known, prints linetape's built-in schema and reads no input. A
    /// struct is an object with fields: each has a key, perhaps an
    /// alias, and a type. `[t]` is an array and `{t}` an object with any keys.
    /// A union is one of several structs, chosen by a string. An enum is a
    /// string with known values; other values are accepted too. The union
    /// `Message` lists all message types.
    #[command(after_help = "\
Examples:
  linetape schema session.jsonl | less
  linetape schema --json logs/ | jq -r '.kinds[] | .type as $t | .paths[] |
    select(.known | not) | \"\\($t) \\(.path)\"'
  linetape schema --known --json | jq '.messages.unions.System.variants'")]
    Schema(Schema),
    #[cfg(feature = "convert")]
    /// Write each record in a canonical form
    ///
    /// Each record is written as compact JSON: the fields that linetape knows
    /// in the order of its schema, then all other fields sorted by key. The
    /// fields of an unknown type are all sorted. If a key occurs several times,
    /// its last value is written; nothing else is dropped. Strings are
    /// escaped in one way only. A number that is not a 64-bit integer is
    /// written as the nearest double.
    ///
    /// Bad lines are reported on standard error, and the exit code is 1.
    #[command(after_help = "\
Examples:
  linetape normalize session.jsonl > clean.jsonl
  linetape normalize --salvage damaged.jsonl -o repaired.jsonl")]
    Normalize(Normalize),
    #[cfg(feature = "convert")]
    /// Convert each record to another format
    ///
    /// Reads and writes newline-delimited JSON. Fields that the other format
    /// does not have are dropped. Records without a counterpart, and records
    /// that repeat another one, are not written; their number is reported on
    /// standard error, and is not an error. Bad lines are reported on
    /// standard error, and the exit code is 1.
    ///
    /// Records are written as they are read, except that `--to stream-json`
    /// writes a text when it is complete. `--to ui` writes agent-server
    /// events, and replaces session ids by numbers, in order of appearance.
    /// `--to wrapper` detects progress and sub-agents in English text by a
    /// heuristic, which can be wrong.
    #[command(after_help = "\
Examples:
  agent | linetape convert --to ui -
  linetape convert --to wrapper session.jsonl
  linetape convert --to stream-json events.jsonl -o messages.jsonl")]
    Convert(Convert),
    /// Write each line to the file of its session, type or day, unchanged
    ///
    /// The name of a file is the session, type or day, and `.jsonl`. Bytes
    /// other than letters, digits, `.`, `_` and `-` are written as `%` and two
    /// hexadecimal digits, and long names are shortened and get a hash, so
    /// that no file is written outside of the folder. Lines without a session,
    /// type or time go to `_none.jsonl`. Lines are appended to existing files:
    /// see --replace and --state. Empty lines are skipped.
    ///
    /// Only complete lines are appended. If a run is interrupted, the next one
    /// that writes to a file removes an incomplete last line.
    ///
    /// Lines are checked only as far as they are read: UTF-8, closed strings
    /// and brackets, and the outermost object. A line that fails this check is
    /// reported on standard error and not written, and the exit code is 1.
    /// Invalid JSON in a nested value may be copied unchanged;
    /// `linetape check` reports it.
    #[command(after_help = "\
Examples:
  linetape split --by session stream.ndjson -o sessions
  linetape split --by session --state split.state logs/ -o sessions
  linetape select --tool Bash logs/ | linetape split --by day - -o days")]
    Split(Split),
    /// Print one line for each running session, and update it
    ///
    /// Each line shows the number of messages, the tokens, the model and the
    /// last tool of a session, and its cost, if the agent reports one. A
    /// session is running if a line was appended within the last hour: see
    /// --within. On a terminal, the table is updated in place; otherwise it is
    /// printed whenever it changes. SIGINT and SIGTERM end the command.
    /// Compressed files are not read.
    ///
    /// With --json, each line is an object with `session`, `model`,
    /// `messages`, `usage`, `tool`, `cost_usd` and `file`.
    #[command(after_help = "\
Examples:
  linetape watch ~/.claude/projects
  linetape watch --json logs/ | jq -r '[.session, .tool] | @tsv'
  linetape watch --once logs/")]
    Watch(Watch),
    /// Remove secrets and personal data, and keep every other byte
    ///
    /// Secrets are found by built-in rules and by your own. Strings are
    /// unescaped before they are searched, including JSON inside of strings,
    /// and the deltas of a streamed block are joined. Lines in which nothing
    /// is found are copied byte for byte, and so are blank lines, a byte order
    /// mark, and the carriage returns of CRLF.
    ///
    /// In a folder, all logs are redacted and, unless the result is printed,
    /// also `*.meta.json` and the text files in `tool-results`. The same is true
    /// of the folder of a session whose file is given. With --output,
    /// the names of files and folders are redacted, too, and compressed logs
    /// are written as plain text. If two files would have the same name, the
    /// second one ends with `-2`.
    ///
    /// A bad line cannot be searched, so it is not written. It is reported
    /// on standard error, and the exit code is 1. Reports and messages contain
    /// the rule or reason and the position, but never the text of a line.
    #[command(after_help = "\
Examples:
  linetape redact logs/ -o shared/
  linetape redact --level personal --user ada session.jsonl > shared.jsonl
  agent | linetape redact - > log.jsonl
  linetape redact --check logs/
  linetape redact --pseudonyms --key-file key logs/ -o shared/")]
    Redact(RedactLogs),
    /// Write sessions as HTML pages: transcript, statistics and charts
    ///
    /// The folder gets an index of all sessions, and a page for each. Pages
    /// are static: they open from the disk, need no network, and are complete
    /// without JavaScript. A page whose logs have not changed is not written
    /// again. Text of a log cannot run in a page: it is escaped, and each page
    /// has a Content-Security-Policy.
    ///
    /// Pages contain the text of the logs, including any secrets in it. Use
    /// --redact before you share them. Texts of more than 200 KB are truncated
    /// unless --full is given. Bad lines are reported on standard error,
    /// and the exit code is 1.
    #[command(after_help = "\
Examples:
  linetape report logs/ -o site/
  linetape report --open session.jsonl
  linetape report --redact session.jsonl -o session.html
  linetape report --since 2026-03-01 ~/.claude/projects -o site/")]
    Report(Report),
    /// Run SQL on logs, if the program linetape-sql is installed
    ///
    /// Runs the program `linetape-sql` with the same arguments. It is searched
    /// for in the folder of this program, then on PATH. `linetape-sql --help`
    /// prints its options. To install it from a checkout:
    /// `cargo install --locked --path engine/sql`.
    #[command(after_help = "\
Examples:
  linetape sql \"SELECT type, count(*) FROM lines GROUP BY type\" logs/
  linetape sql --json \"SELECT * FROM tool_calls WHERE is_error\" logs/")]
    Sql(Sql),
}

impl Command {
    /// Returns the inputs, if the command reads any.
    pub fn files(&mut self) -> Option<&mut Files> {
        match self {
            Command::Stats(Stats { files, .. })
            | Command::Select(Select { files, .. })
            | Command::Show(Show { files, .. })
            | Command::Usage(Usage { files, .. })
            | Command::Check(Check { files, .. })
            | Command::Schema(Schema { files, .. })
            | Command::Redact(RedactLogs { files, .. }) => Some(files),
            #[cfg(feature = "convert")]
            Command::Normalize(Normalize { files, .. })
            | Command::Convert(Convert { files, .. }) => Some(files),
            Command::Split(split) => Some(split.files()),
            Command::Report(report) => Some(report.files()),
            Command::Watch(_) | Command::Sql(_) => None,
        }
    }

    /// Returns whether the command reads its inputs: `schema --known` reads
    /// none, and `usage --home` finds them itself.
    pub fn needs_input(&self) -> bool {
        match self {
            Command::Schema(schema) => !schema.known,
            Command::Usage(usage) => !usage.grouped.home,
            _ => true,
        }
    }

    /// Returns the file of the state, if the command can have one.
    pub fn state(&self) -> Option<&StateFile> {
        match self {
            Command::Stats(Stats { state, .. })
            | Command::Select(Select { state, .. })
            | Command::Usage(Usage { state, .. }) => Some(state),
            Command::Split(split) => Some(split.state()),
            _ => None,
        }
    }
}

#[derive(Args)]
pub struct Stats {
    #[command(flatten)]
    pub peek: Peek,
    /// Count only records and bytes by type, and read each line only up to
    /// its type or subtype; the fastest, but nothing after that is checked, so
    /// use it for your own logs, or for those that `linetape check` has passed
    ///
    /// Sessions, times, tools and tokens are not counted. Before the type,
    /// only strings and brackets are followed. A subtype is not seen after a
    /// type that has none in the schema. If a line has two `type` keys,
    /// the first one counts; without --skim, such a line is an error.
    #[arg(long, conflicts_with = "peek")]
    pub skim: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub state: StateFile,
    #[command(flatten)]
    pub subagents: Subagents,
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
    /// Read each line only up to its type or subtype; faster, but nothing
    /// after that is checked, so use it for your own logs, or for those that
    /// `linetape check` has passed
    ///
    /// Before the type, only strings and brackets are followed. If a line has
    /// two `type` keys, the first one counts; without --skim, such a line is
    /// an error. Other filters read and check the lines that pass --type as
    /// without --skim. --tool reads and checks every line, so that --skim
    /// gains nothing.
    #[arg(long)]
    pub skim: bool,
    /// Print only the number of matching lines; cannot be combined with
    /// --output or --follow
    #[arg(long, conflicts_with_all = ["output", "follow"])]
    pub count: bool,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub followed: Followed,
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
    pub subagents: Subagents,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Check {
    /// Also print notes: unusual content that is not an error, because agents
    /// write it on purpose, or because the log is only a part of a session
    #[arg(long)]
    pub notes: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub subagents: Subagents,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Schema {
    /// Print what linetape knows instead: all types, subtypes, content
    /// blocks, fields and values, with their keys; reads no input, and cannot
    /// be combined with PATH
    #[arg(long, conflicts_with = "paths")]
    pub known: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub files: Files,
}

#[cfg(feature = "convert")]
#[derive(Args)]
pub struct Normalize {
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub files: Files,
}

#[cfg(feature = "convert")]
#[derive(Args)]
pub struct Convert {
    /// The format to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Dialect,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct RedactLogs {
    #[command(flatten)]
    pub redact: Redact,
    #[command(flatten)]
    pub subagents: Subagents,
    #[command(flatten)]
    pub files: Files,
}

#[derive(Args)]
pub struct Show {
    #[command(flatten)]
    pub look: Look,
    #[command(flatten)]
    pub followed: Followed,
    #[command(flatten)]
    pub subagents: Subagents,
    #[command(flatten)]
    pub files: Files,
}
