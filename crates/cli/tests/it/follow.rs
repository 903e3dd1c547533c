//! `show -f` and `select -f`: logs that grow.

use std::{
    fs::{self, OpenOptions},
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use crate::support::{file, folder, linetape, text};

/// A command that runs, the lines that it prints, and its messages.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
    messages: Receiver<String>,
}

impl Running {
    pub fn new(arguments: &[&str]) -> Running {
        Running::to(Stdio::piped(), arguments)
    }

    /// Runs a command with a standard output. Its lines are known here if it is
    /// `Stdio::piped`.
    pub fn to(stdout: impl Into<Stdio>, arguments: &[&str]) -> Running {
        let mut child = Command::new(env!("CARGO_BIN_EXE_linetape"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = match child.stdout.take() {
            Some(stdout) => lines_of(stdout),
            None => lines_of(io::empty()),
        };
        let messages = lines_of(child.stderr.take().unwrap());
        Running { child, lines, messages }
    }

    /// Waits for the next line. It must come while the command runs.
    #[track_caller]
    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    /// Waits for the next message. It must come while the command runs.
    #[track_caller]
    pub fn message(&self) -> String {
        self.messages.recv_timeout(PATIENCE).unwrap()
    }

    /// Ends the command by a signal, and waits until it has ended.
    pub fn end(self, signal: &str) -> (ExitStatus, Vec<String>, String) {
        let id = self.child.id().to_string();
        let kill = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(kill.success());
        self.wait()
    }

    /// Waits until the command has ended. Returns how it ended, and the lines
    /// and messages that were left.
    #[track_caller]
    pub fn wait(mut self) -> (ExitStatus, Vec<String>, String) {
        eventually(|| self.child.try_wait().unwrap().is_some());
        let status = self.child.wait().unwrap();
        let messages = self.messages.iter().map(|line| line + "\n");
        (status, self.lines.iter().collect(), messages.collect())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// How long tests wait for what must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends the lines of a pipe.
fn lines_of(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines() {
            if sender.send(line.unwrap()).is_err() {
                return;
            }
        }
    });
    lines
}

/// Waits until something holds.
#[track_caller]
pub fn eventually(mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "this does not happen");
        thread::sleep(Duration::from_millis(10));
    }
}

pub fn append(path: &Path, content: &str) {
    let mut options = OpenOptions::new();
    let mut file = options.append(true).create(true).open(path).unwrap();
    file.write_all(content.as_bytes()).unwrap();
}

#[cfg(unix)]
#[test]
fn select_writes_what_is_there_and_then_what_is_appended() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let log =
            file("log.jsonl", b"{\"type\":\"user\"}\n{\"type\":\"x\"}\n");
        let path = log.to_str().unwrap();
        let running = Running::new(&["select", "-f", "--type", "user", path]);
        assert_eq!(running.line(), "{\"type\":\"user\"}");
        append(&log, "{\"type\":\"user\",\"n\":1}\n{\"type\":\"user\"");
        assert_eq!(running.line(), "{\"type\":\"user\",\"n\":1}");
        append(&log, ",\"n\":2}\n");
        assert_eq!(running.line(), "{\"type\":\"user\",\"n\":2}");
        // A line without a newline is held back.
        append(&log, "{\"type\":\"user\",\"n\":3}");
        let (status, lines, messages) = running.end(signal);
        assert_eq!(status.code(), Some(code), "{signal}");
        assert_eq!((lines, &*messages), (vec![], ""));
    }
}

#[cfg(unix)]
#[test]
fn select_follows_a_folder_and_reports_what_happens() {
    let logs = folder("logs", &[("a.jsonl", "{\"type\":\"a\"}\n")]);
    let running = Running::new(&["select", "-f", logs.to_str().unwrap()]);
    assert_eq!(running.line(), "{\"type\":\"a\"}");
    append(&logs.join("b.jsonl"), "{\"type\":\"b\"}\noops\n");
    assert_eq!(running.line(), "{\"type\":\"b\"}");
    fs::write(logs.join("a.jsonl"), "{\"type\":1}\n{}\n").unwrap();
    assert_eq!(running.line(), "{\"type\":1}");
    assert_eq!(running.line(), "{}");
    fs::write(logs.join("b.jsonl"), "").unwrap();
    append(&logs.join("a.jsonl"), "{\"end\":1}\n");
    assert_eq!(running.line(), "{\"end\":1}");
    // Both are looked at in the same poll.
    let (status, _, messages) = running.end("-TERM");
    assert_eq!(status.code(), Some(143));
    let said = |text: &str| messages.contains(text);
    assert!(said("b.jsonl: line 2"), "{messages}");
    assert!(said("a.jsonl: replaced"), "{messages}");
}

/// The output is a file, and is whole when the command has ended.
#[cfg(unix)]
#[test]
fn what_was_read_is_written_before_the_command_ends() {
    let log = file("log.jsonl", b"{\"n\":1}\n");
    let out = log.with_file_name("out");
    _ = fs::remove_file(&out);
    let arguments = ["select", "-f", "-o"];
    let paths = [out.to_str().unwrap(), log.to_str().unwrap()];
    let running = Running::new(&[&arguments[..], &paths].concat());
    let wait_for = |expected: &str| {
        eventually(|| fs::read_to_string(&out).is_ok_and(|it| it == expected));
    };
    wait_for("{\"n\":1}\n");
    append(&log, "{\"n\":2}\n");
    wait_for("{\"n\":1}\n{\"n\":2}\n");
    assert_eq!(running.end("-INT").0.code(), Some(130));
}

#[cfg(unix)]
#[test]
fn show_prints_messages_as_they_are_appended() {
    let line = |text: &str| {
        format!(
            "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\
             \"content\":\"{text}\"}},\"session_id\":\"s\"}}\n"
        )
    };
    let log = file("log.jsonl", line("first").as_bytes());
    let running = Running::new(&["show", "-f", log.to_str().unwrap()]);
    let wait_for = |text: &str| while !running.line().contains(text) {};
    wait_for("first");
    append(&log, &line("second"));
    wait_for("second");
    append(&log, "oops\n");
    append(&log, &line("third"));
    wait_for("third");
    let (status, _, messages) = running.end("-INT");
    assert_eq!(status.code(), Some(130));
    assert!(messages.contains("line 3"), "{messages}");
}

/// A file that does not exist yet is waited for.
#[cfg(unix)]
#[test]
fn a_missing_file_is_waited_for() {
    let log = file("log.jsonl", b"");
    fs::remove_file(&log).unwrap();
    let running = Running::new(&["select", "-f", log.to_str().unwrap()]);
    let message = running.message();
    assert!(message.contains("does not exist yet"), "{message}");
    append(&log, "{\"n\":1}\n");
    assert_eq!(running.line(), "{\"n\":1}");
}

/// What is written would be read again, without end.
#[test]
fn an_output_in_a_followed_folder_is_refused() {
    let logs = folder("logs", &[("a.jsonl", "{}\n")]);
    let (path, out) = (logs.to_str().unwrap(), logs.join("out.jsonl"));
    let out = out.to_str().unwrap();
    let output = linetape(&["select", "-f", path, "-o", out], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("output file"));
    assert!(!logs.join("out.jsonl").exists());
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    let gzip = file("log.jsonl.gz", &[0x1F, 0x8B, 8, 0, 0, 0, 0, 0]);
    let gzip = gzip.to_str().unwrap();
    for (arguments, why) in [
        (&["select", "-f", gzip][..], "compressed"),
        (&["show", "-f", "-"], "standard input"),
        (&["show", "-f"], "<PATH>"),
        (&["select", "-f", "--count", "x"], "--count"),
    ] {
        let output = linetape(arguments, b"{}\n");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let messages = text(&output.stderr);
        assert!(messages.contains(why), "{messages}");
        assert!(output.stdout.is_empty());
    }
}

/// Lines that were written to a file of a followed folder were read again,
/// without end.
#[cfg(unix)]
#[test]
fn the_output_in_a_followed_folder_is_skipped() {
    let line = "{\"type\":\"user\",\"session_id\":\"s\",\"message\":\
        {\"role\":\"user\",\"content\":\"Hi\"}}\n";
    for command in ["select", "show"] {
        let logs = folder("logs", &[("a.jsonl", &line.repeat(100))]);
        let out = logs.join("out.jsonl");
        let arguments = [command, "-f", logs.to_str().unwrap()];
        let running = Running::to(fs::File::create(&out).unwrap(), &arguments);
        let message = running.message();
        assert!(message.contains("this is the output"), "{message}");
        // The message can come before the first lines are written.
        append(&logs.join("a.jsonl"), &line.replace("Hi", "Now"));
        eventually(|| fs::read_to_string(&out).unwrap().contains("Now"));
        // Each line adds the same, until the output is read, too.
        let grown = || {
            let size = || fs::metadata(&out).unwrap().len();
            let before = size();
            append(&logs.join("a.jsonl"), line);
            eventually(|| size() != before);
            size() - before
        };
        grown();
        assert_eq!(grown(), grown(), "{command}");
    }
}

/// `--state` could not be used with `-f`.
#[cfg(unix)]
#[test]
fn a_state_is_whole_when_a_signal_ends_the_command() {
    let logs = folder("logs", &[("a.jsonl", "{\"n\":1}\n")]);
    let state = logs.with_file_name("the.state");
    _ = fs::remove_file(&state);
    let arguments = ["--state", state.to_str().unwrap()];
    let path = logs.to_str().unwrap();
    let live = [&["select", "-f"][..], &arguments, &[path]].concat();
    for (n, signal) in [(1, "-INT"), (2, "-TERM"), (3, "-INT")] {
        let running = Running::new(&live);
        assert_eq!(running.line(), format!("{{\"n\":{n}}}"));
        let (_, lines, messages) = running.end(signal);
        assert_eq!((lines, &*messages), (vec![], ""));
        let line = format!("{{\"n\":{}}}\n", n + 1);
        append(&logs.join("a.jsonl"), &line);
    }
    // A killed one has saved what it had read when there was nothing new.
    let saved = fs::read(&state).unwrap();
    let running = Running::new(&live);
    assert_eq!(running.line(), "{\"n\":4}");
    eventually(|| fs::read(&state).is_ok_and(|now| now != saved));
    running.end("-KILL");
    // The state is also that of a run that does not follow.
    append(&logs.join("a.jsonl"), "{\"n\":5}\n");
    let once = linetape(&[&["select"][..], &arguments, &[path]].concat(), b"");
    assert_eq!(text(&once.stdout), "{\"n\":5}\n");
}

/// Each folder was followed for itself, so a log that was moved from one to the
/// other was read again.
#[cfg(unix)]
#[test]
fn a_log_that_is_moved_to_another_folder_is_not_read_again() {
    let from = folder("from", &[("x.jsonl", "{\"n\":1}\n")]);
    let to = folder("to", &[("y.jsonl", "{\"y\":1}\n")]);
    let paths = [&from, &to].map(|path| path.to_str().unwrap());
    let running = Running::new(&[&["select", "-f"][..], &paths].concat());
    let mut first = [running.line(), running.line()];
    first.sort();
    assert_eq!(first, ["{\"n\":1}", "{\"y\":1}"]);
    fs::rename(from.join("x.jsonl"), to.join("x.jsonl")).unwrap();
    append(&to.join("x.jsonl"), "{\"n\":2}\n");
    assert_eq!(running.line(), "{\"n\":2}");
    let (_, lines, _) = running.end("-TERM");
    assert_eq!(lines, Vec::<String>::new());
}

/// The state was read as a log, saved, and read again, without end.
#[test]
fn a_state_that_is_a_log_in_a_followed_folder_is_refused() {
    let logs = folder("logs", &[("a.jsonl", "{}\n")]);
    let (path, state) = (logs.to_str().unwrap(), logs.join("st.jsonl"));
    let state = state.to_str().unwrap();
    let output = linetape(&["select", "-f", "--state", state, path], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("the file of the state"));
}

/// A state that could not be saved was not saved at the end either, so lines
/// were delivered twice.
#[cfg(unix)]
#[test]
fn a_state_that_could_not_be_saved_is_saved_at_the_end() {
    let logs = folder("logs", &[("a.jsonl", "{\"n\":1}\n")]);
    let state = logs.with_file_name("late.state");
    let blocked = logs.with_file_name("late.state.tmp");
    _ = fs::remove_file(&state);
    fs::create_dir_all(&blocked).unwrap();
    let (path, file) = (logs.to_str().unwrap(), state.to_str().unwrap());
    let live = ["select", "-f", "--state", file, path];
    let running = Running::new(&live);
    assert_eq!(running.line(), "{\"n\":1}");
    let message = running.message();
    assert!(message.contains("late.state"), "{message}");
    fs::remove_dir(&blocked).unwrap();
    running.end("-TERM");
    append(&logs.join("a.jsonl"), "{\"n\":2}\n");
    let running = Running::new(&live);
    assert_eq!(running.line(), "{\"n\":2}");
    running.end("-TERM");
}

/// A path that did not exist at the start was always taken for a file.
#[cfg(unix)]
#[test]
fn a_missing_folder_is_waited_for() {
    let logs = folder("logs", &[]);
    fs::remove_dir(&logs).unwrap();
    let running = Running::new(&["select", "-f", logs.to_str().unwrap()]);
    let message = running.message();
    assert!(message.contains("does not exist yet"), "{message}");
    let other = folder("other", &[("a.jsonl", "{\"n\":1}\n")]);
    fs::rename(other, &logs).unwrap();
    assert_eq!(running.line(), "{\"n\":1}");
}

/// Each new file was a recursive call, until the stack was full.
#[cfg(unix)]
#[test]
fn thousands_of_new_files_are_followed() {
    const COUNT: usize = 8000;
    let logs = folder("logs", &[("a.jsonl", "{\"n\":1}\n")]);
    let running = Running::new(&["select", "-f", logs.to_str().unwrap()]);
    assert_eq!(running.line(), "{\"n\":1}");
    let names: Vec<String> =
        (0..COUNT).map(|n| format!("{n}.jsonl")).collect();
    let files: Vec<(&str, &str)> =
        names.iter().map(|name| (&**name, "{}\n")).collect();
    let new = folder("new", &files);
    fs::rename(new, logs.join("new")).unwrap();
    for _ in 0..COUNT {
        assert_eq!(running.line(), "{}");
    }
}

/// A signal was not noticed while data without a newline were read.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_command_within_a_long_line() {
    let logs = folder("logs", &[("b.jsonl", "{\"n\":1}\n")]);
    // A hole that takes minutes to read.
    let hole = fs::File::create(logs.join("a.jsonl")).unwrap();
    hole.set_len(1 << 40).unwrap();
    let running = Running::new(&["select", "-f", logs.to_str().unwrap()]);
    assert_eq!(running.line(), "{\"n\":1}");
    assert_eq!(running.end("-INT").0.code(), Some(130));
}

/// A compressed file with the name of a plain one was thousands of invalid
/// lines.
#[cfg(unix)]
#[test]
fn a_compressed_file_by_a_plain_name_is_named_once() {
    let logs = folder("logs", &[("b.jsonl", "{\"n\":1}\n")]);
    let gzip = b"\x1F\x8B\x08\0\n\n\0\n\0\n\0\n\0";
    fs::write(logs.join("a.jsonl"), gzip).unwrap();
    let running = Running::new(&["select", "-f", logs.to_str().unwrap()]);
    assert_eq!(running.line(), "{\"n\":1}");
    append(&logs.join("a.jsonl"), "\n\n0\n0\n");
    append(&logs.join("b.jsonl"), "{\"n\":2}\n");
    assert_eq!(running.line(), "{\"n\":2}");
    let (_, _, messages) = running.end("-INT");
    let expected = "a.jsonl: compressed, so it cannot be followed\n";
    assert!(messages.ends_with(expected), "{messages}");
    assert_eq!(messages.lines().count(), 1, "{messages}");
}

/// An error about a file had the position of a line.
#[cfg(unix)]
#[test]
fn an_error_about_no_line_has_no_position() {
    let log = file("log.jsonl", b"");
    fs::remove_file(&log).unwrap();
    let running = Running::new(&["select", "-f", log.to_str().unwrap()]);
    let message = running.message();
    assert!(message.contains("does not exist yet"), "{message}");
    // A socket is neither a file nor a folder.
    if std::os::unix::net::UnixListener::bind(&log).is_ok() {
        let message = running.message();
        assert!(message.contains("not a regular file"), "{message}");
        assert!(!message.contains("line 1"), "{message}");
        fs::remove_file(&log).unwrap();
    }
}

/// The message called a file a folder.
#[test]
fn an_output_that_is_the_input_is_refused() {
    let log = file("log.jsonl", b"{}\n");
    let path = log.to_str().unwrap();
    let output = linetape(&["select", "-f", "-o", path, path], b"");
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("also the output file"), "{message}");
    assert_eq!(fs::read(&log).unwrap(), b"{}\n");
}

/// A line with the call of a tool, and one with its result.
fn call_and_result(id: &str) -> [String; 2] {
    let line = |kind: &str, content: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"session_id\":\"s\",\"message\":\
             {{\"role\":\"{kind}\",\"content\":[{{{content}}}]}}}}\n"
        )
    };
    let call =
        format!("\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"Read\"");
    let result = format!("\"type\":\"tool_result\",\"tool_use_id\":\"{id}\"");
    [line("assistant", &call), line("user", &result)]
}

/// After a file was renamed, the results of its calls were dropped.
#[cfg(unix)]
#[test]
fn results_are_selected_after_their_file_was_renamed() {
    for with_state in [false, true] {
        let [[a, of_a], [b, of_b]] = ["ta", "tb"].map(call_and_result);
        let logs = folder("logs", &[("a.jsonl", &a), ("b.jsonl", &b)]);
        let state = logs.with_file_name("moved.state");
        _ = fs::remove_file(&state);
        let mut live = vec!["select", "-f", "--tool", "Read"];
        if with_state {
            live.extend(["--state", state.to_str().unwrap()]);
        }
        live.push(logs.to_str().unwrap());
        let rename = |old: &str, new: &str| {
            fs::rename(logs.join(old), logs.join(new)).unwrap();
        };
        let mut running = Running::new(&live);
        assert_eq!(running.line(), a.trim_end());
        assert_eq!(running.line(), b.trim_end());
        rename("b.jsonl", "c.jsonl");
        rename("a.jsonl", "b.jsonl");
        append(&logs.join("c.jsonl"), &of_b);
        append(&logs.join("b.jsonl"), &of_a);
        let mut lines = [running.line(), running.line()];
        lines.sort();
        let mut expected = [of_a.trim_end(), of_b.trim_end()];
        expected.sort();
        assert_eq!(lines, expected, "{with_state}");
        if with_state {
            // The next run finds the calls by the new paths, and after
            // another move.
            running.end("-TERM");
            rename("c.jsonl", "d.jsonl");
            rename("b.jsonl", "c.jsonl");
            append(&logs.join("d.jsonl"), &of_b);
            running = Running::new(&live);
            assert_eq!(running.line(), of_b.trim_end());
            append(&logs.join("c.jsonl"), &of_a);
            assert_eq!(running.line(), of_a.trim_end());
        }
    }
}

/// Lines that a program wrote to a log after it was rotated were lost.
#[cfg(unix)]
#[test]
fn what_is_written_to_a_rotated_log_is_selected() {
    let [call, result] = call_and_result("t");
    let log = file("log.jsonl", call.as_bytes());
    let path = log.to_str().unwrap();
    let running = Running::new(&["select", "-f", "--tool", "Read", path]);
    assert_eq!(running.line(), call.trim_end());
    let mut writer = OpenOptions::new().append(true).open(&log).unwrap();
    fs::rename(&log, log.with_file_name("log.old")).unwrap();
    let [call, _] = call_and_result("u");
    fs::write(&log, &call).unwrap();
    assert_eq!(running.line(), call.trim_end());
    writer.write_all(result.as_bytes()).unwrap();
    assert_eq!(running.line(), result.trim_end());
}
