//! The linetape command.

use std::process::ExitCode;

fn main() -> ExitCode {
    linetape_cli::run()
}
