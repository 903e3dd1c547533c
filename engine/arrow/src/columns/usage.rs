//! The columns of `usage_lines`.
//!
//! A row has what `UsageTotals` of linetape-session knows of a line, so that
//! merging the rows of a key, and leaving out copies, gives the same totals. A
//! line without usage only says where its message begins.

use linetape_session::{MessageKeys, Tokens};

use crate::{
    columns::{
        CWD, Column, FILE, IS_SIDECHAIN, MESSAGE_ID, NESTED, OFFSET,
        REQUEST_ID, Read, TIMESTAMP, UUID, show,
    },
    row::{Part, Row},
};

pub(crate) const COLUMNS: &[Column] = &[
    FILE,
    OFFSET,
    NESTED,
    Column::new("part", Read::Int(|row| Some(row.part()?.number))),
    Column::new(
        "key",
        Read::Text(|row, to| {
            show(row.part().map(|part| Key { row, part }), to);
        }),
    ),
    Column::new("rank", Read::Int(|row| Some(keys(row)?.rank().into()))),
    Column::new("level", Read::Int(|row| Some(keys(row)?.level().into()))),
    Column::new("copy_key", Read::Int(|row| copy_key(row, 0))),
    Column::new("other_copy_key", Read::Int(|row| copy_key(row, 1))),
    // That of the request: a fork has copies of another session's lines.
    Column::new(
        "session_id",
        Read::Text(|row, to| {
            show(row.facts().and_then(|facts| facts.request_session()), to)
        }),
    ),
    CWD,
    Column::new("model", Read::Str(|row| row.told()?.model)),
    TIMESTAMP,
    Column::new("day", Read::Str(|row| day(row.facts()?.timestamp()?))),
    IS_SIDECHAIN,
    Column::new("is_advice", Read::Bool(|row| Some(row.told()?.is_advice))),
    MESSAGE_ID,
    REQUEST_ID,
    UUID,
    Column::new("input_tokens", Read::Count(|row| count(row, "input_tokens"))),
    Column::new(
        "output_tokens",
        Read::Count(|row| count(row, "output_tokens")),
    ),
    Column::new(
        "cache_creation_input_tokens",
        Read::Count(|row| {
            let sum = count(row, "cache_creation_input_tokens");
            let stated = sum.filter(|sum| *sum > 0);
            stated.or_else(|| sum_of_parts(row)).or(sum)
        }),
    ),
    Column::new(
        "cache_read_input_tokens",
        Read::Count(|row| count(row, "cache_read_input_tokens")),
    ),
    Column::new(
        "ephemeral_5m_input_tokens",
        Read::Count(|row| cached(row, MINUTES)),
    ),
    Column::new(
        "ephemeral_1h_input_tokens",
        Read::Count(|row| cached(row, HOUR)),
    ),
    Column::new(
        "web_search_requests",
        Read::Count(|row| {
            within(row, "server_tool_use", "web_search_requests")
        }),
    ),
    Column::new(
        "web_fetch_requests",
        Read::Count(|row| {
            within(row, "server_tool_use", "web_fetch_requests")
        }),
    ),
];

/// The columns of `usage_parts`.
pub(crate) const PARTS: &[Column] = &[
    FILE,
    OFFSET,
    Column::new("part", Read::Bytes(|row| row.saved())).never_null(),
];

const MINUTES: &str = "ephemeral_5m_input_tokens";
const HOUR: &str = "ephemeral_1h_input_tokens";

fn count(row: &Row<'_, '_>, key: &str) -> Option<u64> {
    Tokens::count(row.told()?.counts.get(key)?)
}

fn within(row: &Row<'_, '_>, object: &str, key: &str) -> Option<u64> {
    let count = Tokens::count(row.told()?.counts.get(object)?.get(key)?)?;
    Some(if is_without_tokens(row) { 0 } else { count })
}

/// Returns whether the four totals are 0. The copy of a message in a fork can
/// have parts of them nevertheless, which are those of the original.
fn is_without_tokens(row: &Row<'_, '_>) -> bool {
    let totals = [
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    totals.into_iter().all(|key| count(row, key) == Some(0))
}

fn cached(row: &Row<'_, '_>, key: &str) -> Option<u64> {
    within(row, "cache_creation", key)
}

/// Some agents report the tokens written to the cache only by how long they
/// are kept, with no sum or one of 0.
fn sum_of_parts(row: &Row<'_, '_>) -> Option<u64> {
    match (cached(row, MINUTES), cached(row, HOUR)) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    }
}

/// Returns the keys of the message, if the row reports its usage.
fn keys(row: &Row<'_, '_>) -> Option<MessageKeys> {
    Some(row.told()?.part.keys)
}

/// Returns one of the keys that the copies of a message in its session have.
fn copy_key(row: &Row<'_, '_>, at: usize) -> Option<i64> {
    let key = keys(row)?.session().nth(at)?;
    // It is only compared, so its sign does not matter.
    Some(key.cast_signed())
}

/// Identifies the message of a row: the rows with one key are about one
/// message of the model.
struct Key<'k, 'r, 'l> {
    row: &'k Row<'r, 'l>,
    part: Part,
}

impl std::fmt::Display for Key<'_, '_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Key { row, part } = self;
        match part.keys.message() {
            Some(key) => write!(f, "m{key:016x}"),
            // The line is a message of its own.
            None => {
                let (place, part) = (row.place, part.number);
                write!(f, "l{}:{part}:{}", place.offset, place.file)
            }
        }
    }
}

/// Returns the date that a timestamp begins with.
fn day(timestamp: &str) -> Option<&str> {
    let day = timestamp.get(..10)?;
    let is_good = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_good.then_some(day)
}
