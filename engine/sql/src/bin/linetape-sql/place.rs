//! Errors with their place in the SQL.

use std::fmt::Write;

use datafusion::{common::Span, error::DataFusionError};
use linetape_sql::message;
use unicode_width::UnicodeWidthStr;

/// Returns the text of an error. If DataFusion knows which part of the SQL is wrong,
/// that line follows, with the part marked.
pub fn describe(error: &DataFusionError, sql: &str) -> String {
    let Some(diagnostic) = error.diagnostic() else {
        return match error.find_root() {
            DataFusionError::ResourcesExhausted(why) => format!(
                "the query needs more memory than it has: use --memory ({why})"
            ),
            _ => message(error),
        };
    };
    let mut text = diagnostic.message.clone();
    let notes = diagnostic.notes.iter().map(|note| &note.message);
    let helps = diagnostic.helps.iter().map(|help| &help.message);
    for more in notes.chain(helps) {
        let _ = write!(text, "\n{more}");
    }
    if let Some(shown) = diagnostic.span.and_then(|span| show(span, sql)) {
        let _ = write!(text, "\n{shown}");
    }
    text
}

/// Returns the line of a part of the SQL, with a mark below the part. Lines and columns
/// count from 1.
fn show(span: Span, sql: &str) -> Option<String> {
    let (start, end) = (span.start, span.end);
    let index = |number: u64| usize::try_from(number.checked_sub(1)?).ok();
    let line = sql.lines().nth(index(start.line)?)?;
    let before: String = line.chars().take(index(start.column)?).collect();
    let rest = line.get(before.len()..)?;
    let width = match start.line == end.line {
        true => end.column.saturating_sub(start.column),
        false => 1,
    };
    let marked: String =
        rest.chars().take(usize::try_from(width).ok()?).collect();
    // Some characters take two columns, and a tab remains one.
    let gap: String = before
        .split_inclusive('\t')
        .flat_map(|part| {
            let text = part.trim_end_matches('\t');
            let tab = part.strip_prefix(text).unwrap_or_default();
            [" ".repeat(text.width()), tab.to_string()]
        })
        .collect();
    let mark = "^".repeat(marked.width().max(1));
    let gutter = " ".repeat(start.line.to_string().len());
    Some(format!("{} | {line}\n{gutter} | {gap}{mark}", start.line))
}

#[cfg(test)]
mod tests {
    use datafusion::common::Location;

    use super::*;

    fn shown(sql: &str, line: u64, columns: [u64; 2]) -> Option<String> {
        let [start, end] = columns.map(|column| Location { line, column });
        show(Span::new(start, end), sql)
    }

    /// The mark was too far to the left.
    #[test]
    fn the_mark_is_below_its_text() {
        let expected = "1 | \tSELECT '漢', 字x\n  | \t             ^^^";
        let found = shown("\tSELECT '漢', 字x", 1, [14, 16]);
        assert_eq!(found.unwrap(), expected);
        // A span may go on after the end of the line.
        let expected = "1 | SELECT 1\n  |         ^";
        assert_eq!(shown("SELECT 1", 1, [9, 10]).unwrap(), expected);
    }

    #[test]
    fn a_place_that_is_not_in_the_sql_is_not_shown() {
        assert_eq!(shown("SELECT 1", 3, [1, 2]), None);
        assert_eq!(shown("SELECT 1", 0, [1, 2]), None);
    }
}
