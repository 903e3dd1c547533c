//! The output of `linetape select --state` after a run that was killed.

use std::fs;

use crate::{
    state::{append, killed, with_state},
    support::{file, text},
};

fn line(n: usize) -> String {
    format!("{{\"n\":{n},\"t\":\"{}\"}}\n", "x".repeat(90))
}

/// The lines of a run that was killed are written again. What was in the output
/// stays, and so does half a line: nobody knows who has written it.
#[test]
fn no_line_of_a_run_that_was_killed_is_lost() {
    let lines: String = (0..3000).map(line).collect();
    for options in [&[][..], &["-f"]] {
        let path = file("big.jsonl", lines.as_bytes());
        let out = path.with_file_name("killed.out");
        let state = path.with_file_name("killed.state");
        _ = fs::remove_file(&state);
        // The user's own line has no newline.
        fs::write(&out, "{\"own\":1}").unwrap();
        let command = ["select", "-o", out.to_str().unwrap()];
        let at = ["--state", state.to_str().unwrap(), path.to_str().unwrap()];
        killed(&[&command[..], &at, options].concat());
        let torn = fs::read_to_string(&out).unwrap();
        assert!(torn.len() == 64 << 10 && !torn.ends_with('\n'));
        let again = || {
            let output = with_state(&command, &state, &[&path]);
            assert_eq!(output.status.code(), Some(0));
            assert_eq!(text(&output.stderr), "");
            fs::read_to_string(&out).unwrap()
        };
        assert!(torn.starts_with("{\"own\":1}\n"));
        // Lines that were saved before the kill are not written again.
        let written = again();
        let rest = written.strip_prefix(&torn).unwrap();
        let rest = rest.strip_prefix('\n').unwrap();
        assert!(lines.ends_with(rest));
        let whole = &torn[..torn.rfind('\n').unwrap() + 1];
        let have = whole.lines().count() - 1 + rest.lines().count();
        assert!(have >= 3000, "{have}");
        // What others append after a run stays, too.
        append(&out, b"{\"half\":");
        append(&path, line(3000).as_bytes());
        let expected = written + "{\"half\":\n" + &line(3000);
        assert!(again() == expected);
    }
}
