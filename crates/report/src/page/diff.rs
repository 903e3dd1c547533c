//! The diff of an edit.

use std::io;

use linetape::Value;
use linetape_session::{Facts, conversation::Place};

use super::parts::{BODY, Page};
use crate::{figures::grouped, html::Html};

impl Page<'_> {
    /// Writes what an edit changed, if the result states it.
    pub(super) fn diff(
        &self,
        html: &mut Html<'_>,
        facts: &Facts<'_>,
        place: Place,
    ) -> io::Result<()> {
        let hunks = hunks(facts);
        let most = if self.options.full { usize::MAX } else { BODY };
        let mut room = Room { left: Some(most), ..Room::default() };
        let mut is_begun = false;
        for hunk in hunks {
            if !is_begun {
                is_begun = true;
                html.markup("<pre class=\"diff\">")?;
            }
            if room.left.is_some() {
                let number = |key| hunk.get(key).and_then(|n| n.as_u64());
                let at = format!(
                    "@@ -{} +{} @@",
                    number("oldStart").unwrap_or(0),
                    number("newStart").unwrap_or(0)
                );
                html.within("<span class=\"at\">", &at, "</span>")?;
            }
            changed(html, lines_of(hunk), &mut room)?;
        }
        html.markup(if is_begun { "</pre>" } else { "" })?;
        if room.left.is_some() {
            return Ok(());
        }
        let [shown, all] = [room.shown, room.all].map(grouped);
        let left = grouped(room.all - room.shown);
        let much = format!(
            "{shown} of {all} lines of the diff, {left} are left out."
        );
        self.cut_note(html, &much, place)
    }
}

/// How much of a diff is written.
#[derive(Default)]
struct Room {
    /// The bytes that are left; `None` once a line was too long for them.
    left: Option<usize>,
    shown: u64,
    all: u64,
}

/// Writes the lines of a hunk, as far as there is room: one element for lines
/// of the same kind.
fn changed<'a>(
    html: &mut Html<'_>,
    lines: impl Iterator<Item = &'a str>,
    room: &mut Room,
) -> io::Result<()> {
    let mut open = None;
    for line in lines {
        room.all += 1;
        room.left = room.left.and_then(|left| left.checked_sub(line.len()));
        if room.left.is_none() {
            continue;
        }
        room.shown += 1;
        let begin = match line.as_bytes().first() {
            Some(b'+') => "<span class=\"p\">",
            Some(b'-') => "<span class=\"r\">",
            _ => "<span>",
        };
        if open == Some(begin) {
            html.markup("\n")?;
        } else {
            html.markup(if open.is_some() { "</span>" } else { "" })?;
            html.markup(begin)?;
            open = Some(begin);
        }
        html.text(line)?;
    }
    html.markup(if open.is_some() { "</span>" } else { "" })
}

/// Returns the hunks of the diff that the result of a call states. A message
/// states one: of several results in it, nothing tells whose it is.
fn hunks<'a>(facts: &Facts<'a>) -> impl Iterator<Item = Value<'a>> {
    let value = facts.message().value();
    let result = value.get("toolUseResult").or(value.get("tool_use_result"));
    let result = result.filter(|_| facts.answers().take(2).count() == 1);
    let hunks = result.and_then(|result| result.get("structuredPatch"));
    hunks.and_then(|hunks| hunks.as_array()).into_iter().flatten()
}

/// Returns the lines of a hunk. The first character of each is a sign.
fn lines_of<'a>(hunk: Value<'a>) -> impl Iterator<Item = &'a str> {
    let lines = hunk.get("lines").and_then(|lines| lines.as_array());
    lines.into_iter().flatten().filter_map(|line| line.as_str())
}
