/*!
What the agent program writes with tags, in words.
*/

use std::borrow::Cow;

use crate::{
    Facts,
    conversation::{Notice, Step, StepKind},
};

impl Step<'_> {
    /// Returns the text of the step as a person reads it, given the facts of
    /// its message. Unlike [`text`](Step::text), a command is as the user
    /// typed it, its output has no tags, and a notification is a
    /// [heading](Notice::heading) with [details](Notice::details).
    pub fn words<'a>(self, facts: &Facts<'a>) -> Cow<'a, str> {
        let text = self.text(facts);
        let words = match self.kind() {
            StepKind::Command => command(&text),
            StepKind::Output => output(&text),
            StepKind::Notification => {
                let mut lines = vec![];
                for notice in self.notices(&text, facts) {
                    lines.push(notice.heading(self));
                    lines.push(notice.details());
                }
                lines.retain(|line| !line.is_empty());
                (!lines.is_empty()).then(|| lines.join("\n"))
            }
            _ => None,
        };
        words.map_or(text, Cow::Owned)
    }

    /// Returns the notifications of a step of the kind `Notification`, given
    /// its [text](Step::text) and the facts of its message.
    pub fn notices<'a, 'f: 'a>(
        self,
        text: &'a str,
        facts: &Facts<'f>,
    ) -> Vec<Notice<'a>> {
        match Notice::of_system(facts) {
            Some(notice) => vec![notice],
            None => Notice::all(text),
        }
    }
}

impl Notice<'_> {
    /// Returns a line that says what has ended, and how; and after how long,
    /// if it names the call of the step.
    pub fn heading(&self, step: Step<'_>) -> String {
        let what = self.summary.or(self.task).unwrap_or("a task");
        let status = self.status.unwrap_or("ended");
        let call = step.call().filter(|call| {
            self.call.is_none_or(|named| call.id() == Some(named))
        });
        let time = call.and_then(|call| call.duration());
        let time = time.map(|ms| format!(" after {:.1} s", ms as f64 / 1e3));
        format!("{what} [{status}{}]", time.unwrap_or_default())
    }

    /// Returns what the heading does not say, each part on lines of its own:
    /// other members such as `task-id: b1`, the result, and the text after the
    /// notification.
    pub fn details(&self) -> String {
        let mut lines = vec![];
        for part in parts(self.head).chain(parts(self.tail)) {
            match part {
                Part::Tagged("summary" | "status", _) => {}
                Part::Tagged("task-id", _) if self.summary.is_none() => {}
                Part::Tagged(name, text) => {
                    lines.push(format!("{name}: {}", text.trim()));
                }
                Part::Bare(text) => lines.push(text.to_string()),
            }
        }
        let result = self.result.unwrap_or_default();
        let rest = [result, self.rest].into_iter();
        lines.extend(rest.filter(|t| !t.is_empty()).map(str::to_string));
        lines.join("\n")
    }
}

/// A part of a text with tags.
enum Part<'a> {
    Tagged(&'a str, &'a str),
    Bare(&'a str),
}

/// Returns the parts of a text: what is in tags, and the rest.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        // After a text without tags, no more are looked for: a log could have
        // very many that never end.
        let (part, after) =
            tagged(rest).unwrap_or((Part::Bare(rest.trim()), ""));
        rest = after.trim_start();
        Some(part)
    })
}

/// Returns the tag at the start of a text, and what is after it.
fn tagged(text: &str) -> Option<(Part<'_>, &str)> {
    let (name, tail) = text.strip_prefix('<')?.split_once('>')?;
    let is_letter =
        |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 40 || !name.chars().all(is_letter) {
        return None;
    }
    let (inside, rest) = tail.split_once(&format!("</{name}>"))?;
    Some((Part::Tagged(name, inside), rest))
}

/// Returns a command of the agent program as the user typed it. `None` if the
/// text says more than that.
fn command(text: &str) -> Option<String> {
    let (mut name, mut arguments, mut shell) = (None, "", None);
    for part in parts(text) {
        match part {
            Part::Tagged("command-name", text) => name = Some(text.trim()),
            Part::Tagged("command-args", text) => arguments = text.trim(),
            Part::Tagged("bash-input", text) => shell = Some(text.trim()),
            // What the program says while the command runs.
            Part::Tagged("command-message", _) => {}
            _ => return None,
        }
    }
    match (name, shell) {
        (Some(name), None) => {
            Some(format!("{name} {arguments}").trim_end().to_string())
        }
        (None, Some(command)) => Some(format!("! {command}")),
        _ => None,
    }
}

/// Returns the output of a command. `None` if the text says more than that.
fn output(text: &str) -> Option<String> {
    let mut all = vec![];
    for part in parts(text) {
        match part {
            Part::Tagged(
                "local-command-stdout"
                | "local-command-stderr"
                | "bash-stdout"
                | "bash-stderr",
                text,
            ) => all.push(text.trim_matches('\n')),
            _ => return None,
        }
    }
    all.retain(|text| !text.is_empty());
    Some(all.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{command, output};

    #[test]
    fn commands_are_as_the_user_typed_them() {
        for (text, expected) in [
            ("<command-name>/clear</command-name>", Some("/clear")),
            (
                "<command-message>a is running</command-message>\n\
                 <command-name>/a</command-name>\n\
                 <command-args> b </command-args>",
                Some("/a b"),
            ),
            ("<bash-input>ls</bash-input>", Some("! ls")),
            ("<command-name>/a", None),
            ("<command-name>/a</command-name> more", None),
            ("<command-name>/a</command-name><x>y</x>", None),
            ("<command-args>b</command-args>", None),
            ("< é <", None),
        ] {
            assert_eq!(command(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn output_has_no_tags() {
        for (text, expected) in [
            (
                "<bash-stdout>a\n</bash-stdout><bash-stderr></bash-stderr>",
                Some("a"),
            ),
            (
                "<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>",
                Some("a\nb"),
            ),
            ("<local-command-stdout></local-command-stdout>", Some("")),
            ("<local-command-stdout>a", None),
            ("<bash-stdout>a</bash-stdout> b", None),
        ] {
            assert_eq!(output(text).as_deref(), expected, "{text}");
        }
    }
}
