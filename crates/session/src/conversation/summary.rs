/*!
Tool calls in one line: `Edit src/a.rs +12 -3`.
*/

use std::fmt;

use linetape::Value;

use crate::{
    Facts,
    conversation::{Step, text::as_text},
};

/// A tool call in one line: the tool, the argument that matters, and details.
///
/// `Display` writes all parts, separated by spaces. The parts are as in the
/// log: they may have control characters, except for line breaks.
///
/// # Example
///
/// This shows an edit, whose file is relative to the working directory.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::{Facts, conversation::Summary};
///
/// let line = br#"{"type":"assistant","cwd":"/home/ada/tape","message":{"content":[
///     {"type":"tool_use","id":"t1","name":"Edit","input":{
///         "file_path":"/home/ada/tape/src/a.rs","replace_all":false,
///         "old_string":"one\ntwo\n","new_string":"one\n2\n3\n"}}]}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let facts = Facts::of(record.message());
/// let call = facts.calls().next().unwrap();
/// let summary = Summary::of_call(call.name(), call.input(), facts.cwd());
/// assert_eq!(summary.to_string(), "Edit src/a.rs +2 -1");
/// assert!(summary.is_path);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The name of the tool.
    pub tool: String,
    /// The argument that matters: a file, a command, a pattern.
    pub subject: String,
    /// Whether the subject is a path. If there is too little room for a path,
    /// cut off its start, since its end is the name of the file.
    pub is_path: bool,
    /// Details: changed lines, the lines that are read, the folder that is
    /// searched.
    pub detail: String,
}

/// Arguments that say what a call of an unknown tool is about, the best first.
const TELLING: [&str; 12] = [
    "command",
    "query",
    "url",
    "pattern",
    "description",
    "question",
    "skill",
    "title",
    "name",
    "task_id",
    "id",
    "prompt",
];

/// Arguments that are paths.
const PATHS: [&str; 4] = ["file_path", "notebook_path", "path", "filePath"];

/// The length in bytes at which a subject is truncated.
const MAX_SUBJECT: usize = 4 << 10;

impl Summary {
    /// Returns the summary of a step of the kind `Call`, given the facts of
    /// its message. The number of changed lines is that of its result, if the
    /// log has it.
    pub fn of_step(step: Step<'_>, facts: &Facts<'_>) -> Summary {
        let call = step.call();
        let name = call.and_then(|call| call.name());
        // Only the lines of transcripts state it.
        let session = step.turn().and_then(|turn| turn.session());
        let first = session.and_then(|session| session.cwd());
        let cwd = facts.cwd().or(first);
        let mut summary = Summary::of_call(name, step.input(facts), cwd);
        if let Some(changed) = call.and_then(|call| call.changed_lines()) {
            summary.detail = plus_minus(changed);
        }
        summary
    }

    /// Returns the summary of a call by the tool's name, its input, and the
    /// working directory.
    pub fn of_call(
        name: Option<&str>,
        input: Option<Value<'_>>,
        cwd: Option<&str>,
    ) -> Summary {
        let name = name.filter(|name| !name.trim().is_empty());
        let tool = name.unwrap_or("unnamed tool");
        let text = |key: &str| input?.get(key)?.as_str();
        let path = PATHS.iter().find_map(|key| text(key));
        let (subject, detail) = match tool {
            "Read" => (None, input.map(range).unwrap_or_default()),
            "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => (
                None,
                input.and_then(edited).map(plus_minus).unwrap_or_default(),
            ),
            "Bash" => {
                let flag = input.and_then(|i| i.get("run_in_background"));
                let is_background =
                    flag.and_then(|flag| flag.as_bool()) == Some(true);
                let detail =
                    if is_background { "(in the background)" } else { "" };
                (text("command"), detail.to_string())
            }
            "Grep" | "Glob" => {
                let place = path.map(|path| relative(path, cwd));
                let place = place.map(|path| format!("in {path}"));
                (text("pattern"), place.unwrap_or_default())
            }
            "Task" | "Agent" => {
                let kind = text("subagent_type");
                let kind = kind.map(|kind| format!("({kind})"));
                let what = text("description").or(text("prompt"));
                (what, kind.unwrap_or_default())
            }
            "TodoWrite" => (None, input.map(done).unwrap_or_default()),
            "AskUserQuestion" => {
                let question = input.and_then(|input| {
                    let questions = input.get("questions")?.as_array()?;
                    questions.iter().next()?.get("question")?.as_str()
                });
                (question.or(text("question")), String::new())
            }
            "ExitPlanMode" => (text("plan"), String::new()),
            _ => (TELLING.iter().find_map(|key| text(key)), String::new()),
        };
        let is_path = subject.is_none() && path.is_some();
        let subject = match (subject, path) {
            (Some(subject), _) => one_line(subject),
            (None, Some(path)) => one_line(relative(path, cwd)),
            (None, None) if detail.is_empty() => all(input),
            (None, None) => String::new(),
        };
        Summary { tool: one_line(tool), subject, is_path, detail }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        for part in [&self.subject, &self.detail] {
            if !part.is_empty() {
                write!(f, " {part}")?;
            }
        }
        Ok(())
    }
}

/// Returns a path relative to the working directory, if it is in it.
fn relative<'a>(path: &'a str, cwd: Option<&str>) -> &'a str {
    let inside = cwd.filter(|cwd| !cwd.is_empty()).and_then(|cwd| {
        let rest = path.strip_prefix(cwd.trim_end_matches(['/', '\\']))?;
        rest.strip_prefix(['/', '\\']).filter(|rest| !rest.is_empty())
    });
    inside.unwrap_or(path)
}

/// Joins the lines of a text. A long text is cut.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    // Other whitespace is not lost, but escaped where it is printed.
    let text = text.replace("\r\n", "\n");
    let words = text.split([' ', '\n', '\t']);
    for word in words.filter(|word| !word.is_empty()) {
        if line.len() > MAX_SUBJECT {
            line += " ...";
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    line
}

/// Returns all arguments of a call.
fn all(input: Option<Value<'_>>) -> String {
    let Some(members) = input.and_then(|input| input.as_object()) else {
        return input
            .map(as_text)
            .map(|text| one_line(&text))
            .unwrap_or_default();
    };
    let members = members.into_iter();
    let members =
        members.map(|(key, value)| format!("{key}: {}", as_text(value)));
    one_line(&members.collect::<Vec<_>>().join(", "))
}

/// Returns the lines or pages that are read.
fn range(input: Value<'_>) -> String {
    let number = |key: &str| input.get(key)?.as_u64();
    let first = number("offset");
    match (first, number("limit")) {
        (None, None) => {
            let pages = input.get("pages").and_then(|pages| pages.as_str());
            pages.map(|pages| format!("pages {pages}")).unwrap_or_default()
        }
        (Some(first), None) => format!("{first}-"),
        (first, Some(limit)) => {
            let first = first.unwrap_or(1).max(1);
            let last = first.saturating_add(limit).saturating_sub(1);
            format!("{first}-{last}")
        }
    }
}

/// Returns how many items of a to-do list are done.
fn done(input: Value<'_>) -> String {
    let Some(todos) = input.get("todos").and_then(|todos| todos.as_array())
    else {
        return String::new();
    };
    let is_done = |todo: &Value<'_>| {
        let status = todo.get("status").and_then(|status| status.as_str());
        status == Some("completed")
    };
    let done = todos.iter().filter(is_done).count();
    format!("{done} of {} done", todos.iter().count())
}

fn plus_minus((added, removed): (u32, u32)) -> String {
    match (added, removed) {
        (added, 0) => format!("+{added}"),
        (0, removed) => format!("-{removed}"),
        (added, removed) => format!("+{added} -{removed}"),
    }
}

/// Returns the number of lines that an edit adds and removes, by its input.
fn edited(input: Value<'_>) -> Option<(u32, u32)> {
    let text = |of: Value<'_>, key: &str| -> Option<String> {
        Some(of.get(key)?.as_str()?.to_string())
    };
    if let Some(edits) = input.get("edits").and_then(|edits| edits.as_array())
    {
        let edits = edits.iter().filter_map(edited);
        return Some(edits.fold((0, 0), |sum, edit| {
            let add = |one: u32, two| one.saturating_add(two);
            (add(sum.0, edit.0), add(sum.1, edit.1))
        }));
    }
    let written = ["content", "new_source"].iter();
    if let Some(text) = written.filter_map(|key| text(input, key)).next() {
        return Some((count(text.lines().count()), 0));
    }
    let old = text(input, "old_string")?;
    let new = text(input, "new_string")?;
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let pairs = old.iter().zip(&new);
    let before = pairs.take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - before;
    let pairs = old.iter().rev().zip(new.iter().rev()).take(most);
    let after = pairs.take_while(|(old, new)| old == new).count();
    let rest = |lines: &[&str]| count(lines.len() - before - after);
    Some((rest(&new), rest(&old)))
}

/// Returns the number of lines that an edit added and removed, by its result.
pub(crate) fn changed_lines(result: Value<'_>) -> Option<(u32, u32)> {
    let patch = result.get("structuredPatch")?.as_array()?;
    let (mut added, mut removed) = (0, 0);
    for hunk in patch {
        let lines = hunk.get("lines").and_then(|lines| lines.as_array());
        for line in lines.into_iter().flatten() {
            let sign = line.as_str().and_then(|line| line.bytes().next());
            added += usize::from(sign == Some(b'+'));
            removed += usize::from(sign == Some(b'-'));
        }
    }
    if added + removed == 0 {
        // A new file has no patch.
        let content = result.get("content")?.as_str()?;
        let is_new = result.get("type")?.as_str() == Some("create");
        added = if is_new { content.lines().count() } else { return None };
    }
    Some((count(added), count(removed)))
}

fn count(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}
