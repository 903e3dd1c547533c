//! `linetape sql`.

use std::process::{Command, Output};

use crate::support::text;

fn sql(path: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linetape"))
        .arg("sql")
        .args(arguments)
        .env("PATH", path)
        .output()
        .unwrap()
}

#[test]
fn without_the_program_the_message_says_how_to_install_it() {
    let output = sql("", &["SELECT 1"]);
    assert_eq!(output.status.code(), Some(2));
    let complaint = text(&output.stderr);
    assert!(complaint.contains("cargo install linetape-sql"), "{complaint}");
    assert_eq!(complaint.lines().count(), 1);
}

/// All arguments are passed on, also options that linetape has itself.
#[cfg(unix)]
#[test]
fn the_program_on_the_path_gets_all_arguments() {
    use std::{fs, os::unix::fs::PermissionsExt};

    use crate::support::folder;

    let script = "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n";
    let folder = folder("sql", &[("linetape-sql", script)]);
    let program = folder.join("linetape-sql");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    let arguments = ["--json", "SELECT 1", "a b", "--threads", "2"];
    let output = sql(folder.to_str().unwrap(), &arguments);
    assert_eq!(output.status.code(), Some(7), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert_eq!(printed, "<--json><SELECT 1><a b><--threads><2>");
}
