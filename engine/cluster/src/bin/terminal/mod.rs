//! What both commands do: start, log and complain.

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use linetape_cluster::{BallistaError, Result};
use tracing_subscriber::filter::LevelFilter;

/// Runs a process until it ends.
pub fn run(
    name: &str,
    level: LevelFilter,
    process: impl Future<Output = Result<()>>,
) -> ExitCode {
    let logger = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .try_init();
    if let Err(error) = logger {
        print(name, &format!("cannot log: {error}"));
    }
    // The plans of nested queries are walked recursively.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(8 << 20)
        .build();
    let done = match runtime {
        Ok(runtime) => {
            let done = runtime.block_on(process);
            // Tasks may still run after a second signal.
            runtime.shutdown_background();
            done
        }
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let text = match error {
                BallistaError::Configuration(text) => text,
                error => error.to_string(),
            };
            print(name, &text);
            ExitCode::from(2)
        }
    }
}

/// Prints a message to standard error.
pub fn print(name: &str, text: &str) {
    // If it cannot be printed, there is nothing left to do.
    let _ = writeln!(io::stderr(), "{name}: {text}");
}
