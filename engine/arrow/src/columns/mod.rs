//! The columns of the tables, as functions of a row.

pub(crate) mod blocks;
pub(crate) mod lines;
pub(crate) mod usage;

use std::fmt::Write;

use arrow_array::builder::StringBuilder;
use linetape_session::Role;

use crate::row::Row;

pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) read: Read,
    pub(crate) depth: Depth,
    pub(crate) is_nullable: bool,
}

/// How much of a line a column needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    /// Where the line is. It is not checked.
    Place,
    /// Also its kind. It is checked, and not indexed.
    Kind,
    /// Any value.
    Message,
}

/// How a column is read from a row. `None` is NULL.
#[derive(Clone, Copy)]
pub(crate) enum Read {
    Str(for<'r, 'l> fn(&Row<'r, 'l>) -> Option<&'l str>),
    /// Appends one value, which is not a part of the line.
    Text(fn(&Row<'_, '_>, &mut StringBuilder)),
    Bytes(for<'r> fn(&Row<'r, '_>) -> Option<&'r [u8]>),
    Int(fn(&Row<'_, '_>) -> Option<i64>),
    /// A count of the log, which may be too large: see [`int`].
    Count(fn(&Row<'_, '_>) -> Option<u64>),
    Float(fn(&Row<'_, '_>) -> Option<f64>),
    Bool(fn(&Row<'_, '_>) -> Option<bool>),
    /// Milliseconds since 1970.
    Time(fn(&Row<'_, '_>) -> Option<i64>),
}

impl Column {
    const fn new(name: &'static str, read: Read) -> Column {
        Column { name, read, depth: Depth::Message, is_nullable: true }
    }

    /// Creates a column that is known without reading the line.
    const fn of_place(name: &'static str, read: Read) -> Column {
        Column { depth: Depth::Place, ..Column::new(name, read) }
    }

    /// Creates a column that is known from the kind of the line, or from its
    /// error.
    const fn of_kind(name: &'static str, read: Read) -> Column {
        Column { depth: Depth::Kind, ..Column::new(name, read) }
    }

    const fn never_null(self) -> Column {
        Column { is_nullable: false, ..self }
    }
}

// The columns that several tables have.

const FILE: Column =
    Column::of_place("file", Read::Str(|row| Some(row.place.file)))
        .never_null();
const OFFSET: Column =
    Column::of_place("offset", Read::Int(|row| int(row.place.offset)))
        .never_null();
const NESTED: Column = Column::of_place("nested", Read::Int(|row| row.nested));
const SESSION_ID: Column = Column::new(
    "session_id",
    Read::Text(|row, to| {
        show(row.facts().and_then(|facts| facts.session()), to)
    }),
);
const UUID: Column = Column::new("uuid", Read::Str(|row| row.facts()?.uuid()));
const TIMESTAMP: Column =
    Column::new("timestamp", Read::Time(|row| row.facts()?.time()));
const IS_SIDECHAIN: Column = Column::new(
    "is_sidechain",
    Read::Bool(|row| Some(row.facts()?.is_sidechain())),
);
const MESSAGE_ID: Column =
    Column::new("message_id", Read::Str(|row| row.facts()?.message_id()));
const REQUEST_ID: Column =
    Column::new("request_id", Read::Str(|row| row.facts()?.request_id()));
const MODEL: Column =
    Column::new("model", Read::Str(|row| row.facts()?.said()?.model));
const CWD: Column = Column::new("cwd", Read::Str(|row| row.facts()?.cwd()));
const ROLE: Column = Column::new(
    "role",
    Read::Str(|row| match row.facts()?.role() {
        Role::User => Some("user"),
        Role::Assistant => Some("assistant"),
        Role::Other => None,
    }),
);

/// The largest count that a column can have: 2^53 - 1, the largest integer
/// that all programs read alike from JSON. A larger one is a fault of the log,
/// and NULL. So a sum of some columns cannot overflow.
pub const MAX_COUNT: u64 = (1 << 53) - 1;

/// Returns a count as the integer of a column, if it is not too large.
pub(crate) fn int(count: u64) -> Option<i64> {
    i64::try_from(count).ok().filter(|_| count <= MAX_COUNT)
}

/// Appends the text of a value, or NULL.
fn show(value: Option<impl std::fmt::Display>, to: &mut StringBuilder) {
    match value {
        // Writing to a builder cannot fail.
        Some(value) => match write!(to, "{value}") {
            Ok(()) => to.append_value(""),
            Err(_) => to.append_null(),
        },
        None => to.append_null(),
    }
}

/// Appends pieces of text, joined with newlines. NULL if there are none.
fn join<'a>(pieces: impl Iterator<Item = &'a str>, to: &mut StringBuilder) {
    let mut has_any = false;
    for piece in pieces {
        // Writing to a builder cannot fail.
        let gap = if has_any { "\n" } else { "" };
        let _ = to.write_str(gap).and_then(|()| to.write_str(piece));
        has_any = true;
    }
    match has_any {
        true => to.append_value(""),
        false => to.append_null(),
    }
}
