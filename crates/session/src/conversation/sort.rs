/*!
Recognises what the agent program writes with the role of the user.
*/

use linetape::message::{Message, stream::User, system::System};

use crate::{Facts, conversation::StepKind, turns::is_prompt};

/// The beginnings of texts that the agent program writes, and what they are.
const BEGINNINGS: [(&str, StepKind); 12] = [
    ("<task-notification>", StepKind::Notification),
    ("<command-name>", StepKind::Command),
    ("<command-message>", StepKind::Command),
    ("<bash-input>", StepKind::Command),
    ("<local-command-std", StepKind::Output),
    ("<bash-stdout>", StepKind::Output),
    ("<bash-stderr>", StepKind::Output),
    ("<user-prompt-submit-hook>", StepKind::Hook),
    ("<session-start-hook>", StepKind::Hook),
    ("Stop hook feedback:", StepKind::Hook),
    ("[Request interrupted by user", StepKind::Interruption),
    ("<local-command-caveat>", StepKind::Program),
];

/// Returns what a text in a message of the user is.
pub(crate) fn kind_of(user: User<'_>, text: &str) -> StepKind {
    if user.is_compact_summary() == Some(true) {
        return StepKind::Summary;
    }
    let text = text.trim_start();
    let is_programs = user.is_meta() == Some(true)
        || user.is_synthetic() == Some(true) && user.origin().is_none();
    match by_beginning(text) {
        // Anyone can type these words; only the program marks its messages.
        Some(StepKind::Hook) if !is_programs && !text.starts_with('<') => {
            StepKind::Prompt
        }
        Some(kind) => kind,
        None if is_programs => StepKind::Program,
        None => StepKind::Prompt,
    }
}

/// Returns what a text is by its beginning. `None` if the agent program writes
/// no such texts.
pub(crate) fn by_beginning(text: &str) -> Option<StepKind> {
    let text = text.trim_start();
    let known = BEGINNINGS.iter().find(|(start, _)| text.starts_with(start));
    known.map(|(_, kind)| *kind)
}

/// Returns whether a message of the user without tool results begins a turn.
/// Unlike in [`Turns`](crate::Turns), a notification does not.
pub(crate) fn begins_turn(user: User<'_>, kind: StepKind) -> bool {
    matches!(kind, StepKind::Prompt | StepKind::Command) && is_prompt(user)
}

/// The report that a background task has ended: a `<task-notification>`, or a
/// `system/task_notification`.
///
/// # Example
///
/// This shows how to read one of a transcript.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::{Facts, conversation::Notice};
///
/// let line = br#"{"type":"user","message":{"content":"<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>Tests done</summary>\n</task-notification>\nSee b1.output"}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let facts = Facts::of(record.message());
/// let text = facts.message().text().to_string();
/// let notice = Notice::of_text(&text).unwrap();
/// assert_eq!(notice.task, Some("b1"));
/// assert_eq!(notice.status, Some("completed"));
/// assert_eq!(notice.summary, Some("Tests done"));
/// assert_eq!(notice.rest, "See b1.output");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice<'a> {
    /// The id of the task or of the sub-agent.
    pub task: Option<&'a str>,
    /// The id of the tool call that began the task.
    pub call: Option<&'a str>,
    /// How it ended, such as `completed`, `failed` or `killed`.
    pub status: Option<&'a str>,
    /// A sentence about it.
    pub summary: Option<&'a str>,
    /// The result of the task.
    pub result: Option<&'a str>,
    /// The text after the notification. It may be another one.
    pub rest: &'a str,
    /// What is in the notification before and after the result.
    pub(crate) head: &'a str,
    pub(crate) tail: &'a str,
}

impl<'a> Notice<'a> {
    /// Returns the notification at the start of a text.
    pub fn of_text(text: &'a str) -> Option<Notice<'a>> {
        let text = text.trim_start().strip_prefix("<task-notification>")?;
        let end = "</task-notification>";
        // A result can contain the words, so the last one ends it, or the
        // first one after its result and before another notification. Each
        // part of the text is searched once.
        let (mut searched, mut has_result, mut is_ended) = (0, false, false);
        let next = text.match_indices(end).find_map(|(at, _)| {
            let part = text.get(searched..at)?;
            has_result |= part.contains("<result>");
            is_ended |= part.contains("</result>");
            searched = at;
            let rest = text.get(at + end.len()..)?;
            let has_next =
                rest.trim_start().starts_with("<task-notification>");
            let is_whole = is_ended || !has_result;
            (is_whole && has_next).then_some((text.get(..at)?, rest))
        });
        let (body, rest) =
            next.or(text.rsplit_once(end)).unwrap_or((text, ""));
        let (head, result, tail) = match body.split_once("<result>") {
            Some((head, rest)) => {
                let ended = rest.rsplit_once("</result>");
                let (result, tail) = ended.unwrap_or((rest, ""));
                (head, Some(result), tail)
            }
            None => (body, None, ""),
        };
        let part = |name: &str| {
            let (_, tail) = head.split_once(&format!("<{name}>"))?;
            let (part, _) = tail.split_once(&format!("</{name}>"))?;
            Some(part.trim())
        };
        Some(Notice {
            task: part("task-id"),
            call: part("tool-use-id"),
            status: part("status"),
            summary: part("summary"),
            result: result.map(str::trim),
            rest: rest.trim(),
            head,
            tail,
        })
    }

    /// Returns the notifications at the start of a text. What comes after
    /// them is the rest of the last one.
    pub fn all(text: &'a str) -> Vec<Notice<'a>> {
        let mut all = vec![];
        let mut next = Notice::of_text(text);
        while let Some(mut notice) = next {
            next = Notice::of_text(notice.rest);
            if next.is_some() {
                notice.rest = "";
            }
            all.push(notice);
        }
        all
    }

    /// Returns the notification of a `system/task_notification`.
    pub fn of_system(facts: &Facts<'a>) -> Option<Notice<'a>> {
        let Message::System(System::TaskNotification(told)) = facts.message()
        else {
            return None;
        };
        let text = |key: &str| told.value().get(key)?.as_str();
        Some(Notice {
            task: text("task_id"),
            call: text("tool_use_id"),
            status: text("status"),
            summary: text("summary"),
            result: None,
            rest: "",
            head: "",
            tail: "",
        })
    }
}
