//! The rows of one line.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use linetape::{
    Error, ErrorKind, Kind, Line, Position,
    message::{IterationKind, Usage, UsageIteration},
};
use linetape_session::{Facts, MessageKeys};

use crate::{
    builders::Builders,
    columns::{Column, Depth},
    options::{OnError, Options},
    row::{Of, Part, Place, Row, Told},
    table::Table,
    usage_part::UsagePart,
    wanted::{Needles, Wanted},
};

/// The most text that the rows of one line may have, in bytes, besides some
/// copies of the line itself. A hostile line can repeat a long id in each of its
/// rows.
const MAX_LINE_BYTES: u64 = 32 << 20;

/// How often the text of a line may be in its rows: in `raw`, in `text`, and
/// again for messages that are nested in it.
const MAX_COPIES: u64 = 4;

/// Returns how much of each line the columns need.
pub(crate) fn depth_of<'c>(
    table: Table,
    columns: impl Iterator<Item = &'c Column>,
    options: &Options,
) -> Depth {
    // The other tables have no rows for most lines.
    if table != Table::Lines {
        return Depth::Message;
    }
    // Without a row, a bad line must be known.
    let least = match options.on_error {
        OnError::Row => Depth::Place,
        OnError::Skip | OnError::Fail => Depth::Kind,
    };
    columns.map(|column| column.depth).fold(least, Depth::max)
}

/// Takes rows, and makes batches of them.
pub(crate) struct Sink<'s> {
    pub(crate) builders: &'s mut Builders,
    pub(crate) ready: &'s mut VecDeque<RecordBatch>,
    /// The usage so far, and the offset of its first line.
    pub(crate) usage: &'s mut Option<(u64, UsagePart)>,
    pub(crate) options: &'s Options,
    /// The bytes of text that the rows of this line have, in batches that are
    /// ready.
    pub(crate) line_bytes: u64,
    /// The number of rows of earlier lines that are not in a batch yet.
    pub(crate) rows_before: usize,
    /// Whether a count of this line is too large for its column.
    pub(crate) has_large_count: bool,
    /// Whether a batch could not be made.
    pub(crate) has_failed: bool,
}

impl Sink<'_> {
    /// Adds the rows of a line.
    pub(crate) fn line<'l>(
        &mut self,
        table: Table,
        depth: Depth,
        wanted: (&Wanted, &Needles),
        line: &Line<'l>,
        place: Place<'l>,
    ) -> Result<(), Error> {
        let (wanted, needles) = wanted;
        let may_skip = self.options.on_error != OnError::Fail;
        if may_skip && !needles.may_be_in(line) {
            return Ok(());
        }
        // Whether a line can have nested messages is known by its kind, and
        // they have times of their own.
        let needs_kind = depth != Depth::Message
            || wanted.has_kinds()
            || wanted.has_time()
            || table != Table::Lines;
        let kind = match needs_kind.then(|| line.kind()) {
            Some(Ok(kind)) => Some(kind),
            Some(Err(error)) if depth != Depth::Place => return Err(error),
            // With the place alone, a bad line is a row like any other.
            _ => None,
        };
        let nests = !self.is_outer(table, wanted) && kind.is_none_or(nests);
        if may_skip
            && !nests
            && kind.is_some_and(|kind| {
                !wanted.has_kind(kind) || !may_have_rows(table, kind)
            })
        {
            return Ok(());
        }
        if may_skip
            && !nests
            && wanted.has_time()
            && !wanted.has_time_of(line.peek()?)
        {
            return Ok(());
        }
        let of = match (depth, kind) {
            (Depth::Place, Some(_)) if !nests => Of::Place,
            (Depth::Place, None) => Of::Place,
            (Depth::Kind, Some(kind)) if !nests => {
                line.check()?;
                Of::Kind(kind)
            }
            _ => {
                let facts = Facts::of(match (depth, line.checked()) {
                    (_, Ok(message)) => message,
                    (Depth::Place, Err(_)) => {
                        let of = Of::Place;
                        return self.push(&Row { place, nested: None, of });
                    }
                    (_, Err(error)) => return Err(error),
                });
                let mut count = Count::default();
                let of = (table, wanted);
                return self.facts(of, place, &facts, None, &mut count);
            }
        };
        self.push(&Row { place, nested: None, of })
    }

    /// Adds the row of a line that cannot be read.
    pub(crate) fn error(
        &mut self,
        table: Table,
        place: Place<'_>,
        error: &Error,
    ) -> Result<(), ArrowError> {
        if table != Table::Lines {
            return Ok(());
        }
        let row = Row { place, nested: None, of: Of::Error(error) };
        self.push(&row).map_err(external)
    }

    /// Adds the rows of a message, and of those that are nested in it.
    fn facts<'l>(
        &mut self,
        of: (Table, &Wanted),
        place: Place<'l>,
        facts: &Facts<'l>,
        nested: Option<i64>,
        count: &mut Count,
    ) -> Result<(), Error> {
        let (table, wanted) = of;
        match table {
            Table::Lines => {
                let of = Of::Message(facts);
                self.push(&Row { place, nested, of })?;
            }
            Table::Blocks => {
                let blocks = facts.message().content_blocks();
                for (number, block) in (0..).zip(blocks) {
                    if !wanted.has_block(block) {
                        continue;
                    }
                    let of = Of::Block(facts, number, block);
                    self.push(&Row { place, nested, of })?;
                }
            }
            Table::UsageLines => {
                for of in parts(facts, count.parts) {
                    count.parts += 1;
                    self.push(&Row { place, nested, of })?;
                }
            }
            Table::UsageParts => {
                let new = || (place.offset, UsagePart::new(place.file));
                self.usage.get_or_insert_with(new).1.add(facts);
            }
        }
        if self.is_outer(table, wanted) {
            return Ok(());
        }
        for inner in facts.nested() {
            let number = count.nested;
            count.nested += 1;
            self.facts(of, place, &inner, Some(number), count)?;
        }
        Ok(())
    }

    /// Returns whether messages that are nested in lines have no rows. If a bad
    /// line ends the query, all of it is read.
    fn is_outer(&self, table: Table, wanted: &Wanted) -> bool {
        wanted.without_nested
            && table == Table::Lines
            && self.options.on_error != OnError::Fail
    }

    fn push(&mut self, row: &Row<'_, '_>) -> Result<(), Error> {
        if !self.builders.push(row) {
            self.has_large_count = true;
            if self.options.on_error != OnError::Row {
                let why = "a count is larger than 2^53 - 1";
                return Err(self.refuse(row.place, why));
            }
        }
        let bytes = self.builders.text_bytes();
        if self.builders.rows() >= self.options.batch_rows.max(1)
            || bytes >= self.options.batch_bytes
        {
            self.line_bytes += bytes as u64;
            let copies = row.place.length.saturating_mul(MAX_COPIES);
            if self.line_bytes > MAX_LINE_BYTES.saturating_add(copies) {
                let why = "the rows of this line have too much text";
                return Err(self.refuse(row.place, why));
            }
            self.flush().map_err(|why| self.fail(&why))?;
        }
        Ok(())
    }

    /// Removes the rows of this line, and returns its error.
    fn refuse(&mut self, place: Place<'_>, why: &str) -> Error {
        if let Err(why) = self.flush() {
            return self.fail(&why);
        }
        // No batch was ready before this line.
        let mut left = self.rows_before;
        self.ready.retain_mut(|batch| {
            let rows = batch.num_rows().min(left);
            *batch = batch.slice(0, rows);
            left -= rows;
            rows > 0
        });
        let number = place.number.unwrap_or(0);
        let position = Position::new(number, place.offset);
        Error::new(ErrorKind::InvalidInput, format!("{position}: {why}"))
    }

    fn fail(&mut self, why: &ArrowError) -> Error {
        self.has_failed = true;
        Error::new(ErrorKind::InvalidInput, why.to_string())
    }

    /// Ends the log: the usage of all of its lines is one row.
    pub(crate) fn end(&mut self, file: &str) -> Result<(), ArrowError> {
        if let Some((offset, usage)) = self.usage.take() {
            let saved = usage.save();
            let place = Place { file, offset, ..Place::default() };
            let of = Of::Saved(&saved);
            self.builders.push(&Row { place, nested: None, of });
        }
        self.flush()
    }

    /// Makes a batch of the rows so far, if there are any.
    pub(crate) fn flush(&mut self) -> Result<(), ArrowError> {
        if self.builders.rows() > 0 {
            let batch = self.builders.finish()?;
            self.ready.push_back(batch);
        }
        Ok(())
    }
}

/// The rows of a line so far.
#[derive(Default)]
struct Count {
    nested: i64,
    parts: i64,
}

/// Returns whether a line of this kind can have nested messages.
fn nests(kind: Kind<'_>) -> bool {
    kind.is("progress") || kind.is("transcript_mirror")
}

/// Returns whether a line of this kind, other than one that nests messages, can
/// have rows in the table.
fn may_have_rows(table: Table, kind: Kind<'_>) -> bool {
    match table {
        Table::Lines => true,
        Table::Blocks => {
            let kinds = ["assistant", "user", "system", "compact_system"];
            kinds.into_iter().any(|name| kind.is(name))
        }
        Table::UsageLines => kind.is("assistant"),
        // The last three are the events of an agent server that matter, and those
        // before have the working directory of a session.
        Table::UsageParts => [
            "assistant",
            "stream_event",
            "user",
            "attachment",
            "system/init",
            "TokenUpdate",
            "ToolExecuting",
            "Complete",
        ]
        .into_iter()
        .any(|pattern| kind.matches(pattern)),
    }
}

/// Returns the rows of a message in `usage_lines`, with numbers from `first` on: its
/// own usage, and that of the advisor's answers in it.
fn parts<'r, 'l>(facts: &'r Facts<'l>, first: i64) -> Vec<Of<'r, 'l>> {
    let said = match facts.message() {
        linetape::Message::Assistant(_) => facts.said(),
        _ => None,
    };
    let Some(said) = said else { return vec![] };
    let own = Part { number: first, keys: MessageKeys::of(facts) };
    let Some(usage) = said.usage else {
        // A line without an id is a message of its own.
        let is_known = own.keys.message().is_some();
        return is_known.then_some(Of::Untold(own)).into_iter().collect();
    };
    let own = Told {
        part: own,
        counts: usage.value(),
        model: said.model,
        is_advice: false,
    };
    let answers = (0..).zip(first + 1..).zip(advice(usage));
    let answers = answers.map(|((answer, number), told)| Told {
        part: Part { number, keys: MessageKeys::of_advice(facts, answer) },
        counts: told.value(),
        model: told.model(),
        is_advice: true,
    });
    let all = std::iter::once(own).chain(answers);
    all.map(|told| Of::Usage(facts, told)).collect()
}

fn advice(usage: Usage<'_>) -> impl Iterator<Item = UsageIteration<'_>> {
    let answers = usage.iterations().into_iter().flatten();
    answers.filter(|answer| {
        matches!(answer.kind(), Some(IterationKind::AdvisorMessage))
    })
}

fn external(error: Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}
