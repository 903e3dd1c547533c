//! Makes the manual pages and shell completions that are shipped with the
//! command: `cargo xtask DIR`.

use std::{env, fs, io, path::Path, process::ExitCode};

use clap_complete::{Shell, generate_to};
use clap_mangen::Man;

/// The shells that the command can complete its arguments in.
const SHELLS: [Shell; 5] =
    [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh];

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("usage: cargo xtask DIR");
        return ExitCode::from(2);
    };
    match make(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// Writes the pages to `man` and the scripts to `completions`.
fn make(folder: &Path) -> io::Result<()> {
    let (pages, scripts) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&scripts)?;
    let mut whole = linetape_cli::command();
    for shell in SHELLS {
        generate_to(shell, &mut whole, "linetape", &scripts)?;
    }
    whole.build();
    // `help` has no options of its own.
    let parts = whole.get_subcommands().filter(|c| c.get_name() != "help");
    for command in parts.chain([&whole]) {
        Man::new(command.clone()).generate_to(&pages)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_every_command_is_in_its_page_and_script() {
        let name = format!("linetape-xtask-{}", std::process::id());
        let folder = env::temp_dir().join(name);
        make(&folder).unwrap();
        let read = |name: &str| {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            text.replace('\\', "")
        };
        let whole = read("man/linetape.1");
        let scripts = ["linetape.bash", "_linetape", "linetape.fish"];
        let scripts = scripts.map(|name| read(&format!("completions/{name}")));
        let mut options = 0;
        let mut all = linetape_cli::command();
        all.build();
        for command in all.get_subcommands() {
            let name = command.get_name();
            if name == "help" {
                continue;
            }
            assert!(whole.contains(&format!("linetape-{name}(1)")), "{name}");
            let page = read(&format!("man/linetape-{name}.1"));
            assert!(page.contains("Examples:"), "{name}");
            for option in command.get_arguments().filter_map(|a| a.get_long())
            {
                assert!(page.contains(&format!("--{option}")), "{option}");
                for script in &scripts {
                    assert!(script.contains(option), "{option} of {name}");
                }
                options += 1;
            }
        }
        assert!(options > 50, "{options}");
        fs::remove_dir_all(folder).unwrap();
    }
}
