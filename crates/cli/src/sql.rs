//! `linetape sql`: runs the program `linetape-sql`.

use std::{env, ffi::OsString, io, path::PathBuf, process::Command};

use clap::Args;

use crate::outcome::{Outcome, print_message};

/// The arguments of `linetape sql`, which are those of `linetape-sql`.
#[derive(Args)]
pub struct Sql {
    /// The arguments of `linetape-sql`: options, the SQL, and paths
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<OsString>,
}

/// The program. It has its own package, because it is a hundred times as large
/// as this one.
const PROGRAM: &str = "linetape-sql";

/// Runs the program beside this one, or else the one on `PATH`.
pub fn run(sql: &Sql) -> io::Result<Outcome> {
    let program = beside().unwrap_or_else(|| PathBuf::from(PROGRAM));
    let mut command = Command::new(program);
    command.args(&sql.arguments);
    match replace(&mut command) {
        Ok(outcome) => Ok(outcome),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            print_message(
                "`linetape sql` needs the program linetape-sql, which is not \
                 installed: from a checkout: cargo install --locked --path \
                 engine/sql, or once published: cargo install linetape-sql",
            );
            Ok(Outcome::CouldNotRun)
        }
        Err(error) => {
            print_message(&format!("cannot run {PROGRAM}: {error}"));
            Ok(Outcome::CouldNotRun)
        }
    }
}

fn beside() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let path = env::current_exe().ok()?.with_file_name(name);
    path.is_file().then_some(path)
}

/// Replaces this process, so that signals and the exit code are those of the
/// program. Returns only if that fails.
#[cfg(unix)]
fn replace(command: &mut Command) -> io::Result<Outcome> {
    use std::os::unix::process::CommandExt;

    Err(command.exec())
}

#[cfg(not(unix))]
fn replace(command: &mut Command) -> io::Result<Outcome> {
    Ok(match command.status()?.code() {
        Some(0) => Outcome::Fine,
        _ => Outcome::CouldNotRun,
    })
}
