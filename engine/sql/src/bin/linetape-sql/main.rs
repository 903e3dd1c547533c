//! The linetape-sql command: runs SQL on agent logs.

mod bar;
mod grid;
mod output;
mod place;
#[cfg(feature = "cluster")]
use linetape_sql::cluster as remote;
#[cfg(not(feature = "cluster"))]
mod remote;
mod signal;
mod spill;

use std::{io, path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use datafusion::{
    dataframe::DataFrame,
    error::{DataFusionError, Result},
    prelude::SessionContext,
    sql::parser::DFParser,
};
use linetape_arrow::OnError;
use linetape_sql::{Meter, Problems, Settings, context, message, register};

use bar::Bar;
use output::Output;
use signal::signal;

/// Run SQL on the logs of AI agents
///
/// The logs are the tables `lines` (one row for each line) and `blocks` (one
/// for each content block), and the views `usage` (one row for each message of
/// the model, with its tokens), `tool_calls` and `sessions`. DESCRIBE prints
/// the columns of each, and EXPLAIN how a query is run.
#[derive(Parser)]
#[command(
    name = "linetape-sql",
    version,
    after_help = "\
A line that cannot be read is a row of `lines` with `error` set, and a warning
says how many there are. So is the place where a compressed file is cut off or
damaged. If its checksum is wrong, the rows before that place may be wrong too.

Exit codes:
  0  success
  2  the SQL is wrong, a log cannot be read, or the output cannot be written
  129, 130, 143  it was ended by SIGHUP, Ctrl-C or SIGTERM

Examples:
  linetape-sql \"SELECT model, sum(output_tokens) AS output_tokens
                FROM usage GROUP BY model\" logs/
  linetape-sql --json \"SELECT * FROM tool_calls WHERE is_error\" logs/
  linetape-sql --parquet lines.parquet \"SELECT * FROM lines\" logs/
  linetape-sql \"SELECT count(*) FROM agent_logs('logs/')\"
  linetape-sql --cluster df://localhost:50050 \"SELECT * FROM sessions\" /logs"
)]
struct Arguments {
    /// Print one JSON array with an object for each row
    #[arg(long, conflicts_with_all = ["csv", "parquet"])]
    json: bool,
    /// Print CSV, with the names of the columns in the first line
    #[arg(long, conflicts_with = "parquet")]
    csv: bool,
    /// Write the rows to a Parquet file
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,
    /// What becomes of lines that cannot be read: row, skip or fail
    #[arg(long, value_name = "WHAT", default_value = "row", value_parser = on_error)]
    on_error: OnError,
    /// The memory for sorting, grouping and joining, in MiB. When it is full,
    /// sorting and grouping continue in temporary files, and a join fails
    /// [default: 128 for each of --threads, and at least 1024, but at most half
    /// of the machine's]
    #[arg(
        long,
        value_name = "MIB",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    memory: Option<u32>,
    /// How many ranges of files are read at once [default: four for each core]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    threads: Option<u16>,
    /// Run the query on a cluster with this scheduler. All of its machines must
    /// have the logs, with the same paths. `--threads` is the number of tasks
    /// that read [default: 16], and `--memory` has no effect
    #[arg(long, value_name = "df://HOST:PORT")]
    cluster: Option<String>,
    /// The SQL. Of several statements, the result of the last one is printed
    // It may begin with a comment, and so like an option.
    #[arg(allow_hyphen_values = true)]
    sql: String,
    /// Files; folders, which are searched for `*.jsonl` and `*.ndjson`; or
    /// patterns. All may be compressed with gzip or zstd
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
}

fn on_error(text: &str) -> std::result::Result<OnError, String> {
    text.parse().map_err(|error: linetape::Error| error.reason().to_string())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let threads = arguments.threads.map(usize::from);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = threads {
        builder.worker_threads(threads);
    }
    // The plans of nested queries are walked recursively.
    let runtime = builder.enable_all().thread_stack_size(8 << 20).build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("cannot start: {error}")),
    };
    let is_remote = arguments.cluster.is_some();
    let moment = if is_remote { MOMENT + CANCEL } else { MOMENT };
    std::thread::spawn(move || end_by_signal(moment));
    let meter = Meter::default();
    let done = runtime.block_on(async {
        let done = tokio::select! {
            done = run(&arguments, &meter) => Ok(done),
            signal = signal() => Err(signal),
        };
        // A query without rows goes on in a cluster until it is cancelled.
        let _ = tokio::time::timeout(CANCEL, remote::cancelled()).await;
        done
    });
    runtime.shutdown_background();
    spill::remove();
    match done {
        Ok(Ok(())) => ExitCode::SUCCESS,
        // A closed pipe: the reader has seen enough.
        Ok(Err(_)) if output::is_closed() => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            let mut why = place::describe(&error, &arguments.sql);
            if arguments.paths.is_empty() {
                why +=
                    "\nno PATH was given after the SQL, so there are no logs";
            }
            fail(&why)
        }
        // As a shell tells it.
        Err(signal) => ExitCode::from(128 + signal),
    }
}

/// Ends the process a moment after a signal, or with a second one. A query that computes
/// for long does not notice the signal itself.
fn end_by_signal(moment: Duration) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    // Without it, the query has to notice the signal.
    let Ok(runtime) = builder.enable_all().build() else { return };
    runtime.block_on(async {
        let first = signal().await;
        tokio::select! {
            () = tokio::time::sleep(moment) => {}
            _ = signal() => {}
        }
        output::end(128 + first);
    });
}

/// How long a query has to end by itself after a signal.
const MOMENT: Duration = Duration::from_millis(500);

/// How long a scheduler has to cancel a query.
const CANCEL: Duration = Duration::from_secs(5);

async fn run(arguments: &Arguments, meter: &Meter) -> Result<()> {
    let settings = Settings {
        memory: arguments.memory.map(|mib| (mib as usize) << 20),
        partitions: arguments.threads.map(usize::from),
        on_error: arguments.on_error,
    };
    let context = match &arguments.cluster {
        None => {
            let context = context(&settings, meter)?;
            spill::prepare(&context)?;
            context
        }
        Some(address) => remote::connect(address, &settings).await?,
    };
    if !arguments.paths.is_empty() {
        register(&context, &arguments.paths, &settings, meter).await?;
    }
    let output = match &arguments.parquet {
        Some(path) => Output::Parquet(path),
        None if arguments.json => Output::Json,
        None if arguments.csv => Output::Csv,
        None => Output::Table,
    };
    let bar = match &arguments.cluster {
        None => Bar::begin(meter),
        // What is read is counted elsewhere.
        Some(_) => Bar::hidden(),
    };
    let result = query(&context, &arguments.sql).await?;
    let printed = output.print(result, &bar).await;
    bar.end();
    let plan = printed?;
    let problems = match &arguments.cluster {
        None => Ok(meter.problems()),
        Some(address) => remote::problems(address, plan.as_ref()).await,
    };
    match problems {
        Ok(problems) => warn(&problems),
        // The rows are right, and have been printed.
        Err(error) => print_message(&format!(
            "warning: it is not known whether all lines could be read: {}",
            message(&error)
        )),
    }
    Ok(())
}

/// Runs all statements but the last, and returns the last one.
async fn query(context: &SessionContext, sql: &str) -> Result<DataFrame> {
    let mut last = None;
    for statement in DFParser::parse_sql(sql)? {
        if let Some(frame) = last.take() {
            DataFrame::collect(frame).await?;
        }
        let plan = context.state().statement_to_plan(statement).await?;
        last = Some(context.execute_logical_plan(plan).await?);
    }
    last.ok_or_else(|| DataFusionError::Plan("there is no SQL".to_string()))
}

fn warn(problems: &Problems) {
    let number = |count, what| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    if problems.bad_lines > 0 {
        let lines = number(problems.bad_lines, "line");
        print_message(&format!(
            "warning: {lines} could not be read, or only in part (by \
             default, these are rows of `lines` with `error` set)"
        ));
    }
    if problems.cut_files > 0 {
        let files = number(problems.cut_files, "file");
        print_message(&format!(
            "warning: {files} could not be read to the end: what follows is \
             missing, and if a checksum is wrong, the rows before it may be \
             wrong (by default, the place is a row of `lines` with `error` \
             set)"
        ));
        problems.causes.iter().for_each(|cause| print_message(cause));
        let named = u64::try_from(problems.causes.len()).unwrap_or(u64::MAX);
        match problems.cut_files.saturating_sub(named) {
            0 => {}
            more => print_message(&format!("and {more} more")),
        }
    }
}

fn fail(why: &str) -> ExitCode {
    print_message(why);
    ExitCode::from(2)
}

fn print_message(text: &str) {
    use io::Write;

    // If it cannot be printed, there is nothing left to do.
    let _ = writeln!(io::stderr(), "linetape-sql: {text}");
}
