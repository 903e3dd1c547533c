//! The diff of an edit.

use std::{collections::HashSet, io};

use linetape::Value;
use linetape_session::{
    Facts,
    conversation::{Call, Place},
};

use super::parts::{BODY, Page};
use crate::{
    figures::grouped,
    html::Html,
    lines::{Lines, found},
};

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

/// Returns the hunks of the diff that the result of a call states.
fn hunks<'a>(facts: &Facts<'a>) -> impl Iterator<Item = Value<'a>> {
    let value = facts.message().value();
    let result = value.get("toolUseResult").or(value.get("tool_use_result"));
    let hunks = result.and_then(|result| result.get("structuredPatch"));
    hunks.and_then(|hunks| hunks.as_array()).into_iter().flatten()
}

/// Returns the lines of a hunk. The first character of each is a sign.
fn lines_of<'a>(hunk: Value<'a>) -> impl Iterator<Item = &'a str> {
    let lines = hunk.get("lines").and_then(|lines| lines.as_array());
    lines.into_iter().flatten().filter_map(|line| line.as_str())
}

/// Returns the lines in the diff of an `Edit`, without their signs and without
/// the whitespace around them. There are none if the diff is so long that it is
/// cut.
pub(super) fn lines_of_diff(
    lines: &mut dyn Lines,
    call: Call<'_>,
) -> io::Result<HashSet<String>> {
    let answer = call.answer().filter(|_| call.name() == Some("Edit"));
    let Some(answer) = answer else { return Ok(HashSet::new()) };
    let found = found(lines, answer, |facts| {
        let mut room = Some(BODY);
        let mut texts = HashSet::new();
        for line in hunks(facts).flat_map(lines_of) {
            room = room.and_then(|room| room.checked_sub(line.len()));
            let mut rest = line.chars();
            rest.next();
            texts.insert(rest.as_str().trim().to_string());
        }
        room.map(|_| texts).unwrap_or_default()
    })?;
    Ok(found.unwrap_or_default())
}

/// Returns whether an argument of an edit is a text whose lines are all in the
/// diff.
pub(super) fn is_in_diff(
    key: &str,
    value: Value<'_>,
    changed: &HashSet<String>,
) -> bool {
    let is_text = matches!(key, "old_string" | "new_string");
    let text = value.as_str().filter(|_| is_text && !changed.is_empty());
    // The agent program writes spaces for tabs into its diffs.
    text.is_some_and(|text| {
        text.lines().all(|line| changed.contains(line.trim()))
    })
}
