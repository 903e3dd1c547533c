//! Manual pages and shell completions, generated from the command line.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{
    arguments::Arguments,
    outcome::{Outcome, print_message},
};

/// Prints the manual page of a command, or of linetape as a whole.
pub fn page(name: Option<&str>) -> io::Result<Outcome> {
    let mut all = Arguments::command();
    all.build();
    let command = match name {
        None => Some(&all),
        Some(name) => all.find_subcommand(name),
    };
    let Some(command) = command else {
        print_message(&format!("unknown command: {}", name.unwrap_or("")));
        return Ok(Outcome::CouldNotRun);
    };
    print(|page| Man::new(command.clone()).render(page))
}

/// Prints the completion script for a shell.
pub fn completions(shell: Shell) -> io::Result<Outcome> {
    print(|script| {
        let mut all = Arguments::command();
        clap_complete::generate(shell, &mut all, "linetape", script);
        Ok(())
    })
}

fn print(
    make: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
) -> io::Result<Outcome> {
    let mut text = vec![];
    make(&mut text)?;
    io::stdout().lock().write_all(&text)?;
    Ok(Outcome::Fine)
}
