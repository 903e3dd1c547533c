//! Errors with their place in the SQL.

use std::{fmt::Write, iter::repeat_n};

use datafusion::{
    common::{SchemaError, Span},
    error::DataFusionError,
};
use linetape_sql::message;
use unicode_width::UnicodeWidthChar;

/// Returns the text of an error. If it is known which part of the SQL is wrong,
/// that line follows, with the part marked.
pub fn describe(error: &DataFusionError, sql: &str) -> String {
    let mut text = match error.diagnostic() {
        // It has the same advice twice, and more words.
        Some(diagnostic) if diagnostic.message.contains(GROUP_BY) => {
            message(error)
        }
        // It has the place in the words of the parser.
        Some(diagnostic) if diagnostic.message.starts_with(EXPECTED) => {
            message(error)
        }
        Some(diagnostic) => {
            let mut text = diagnostic.message.clone();
            for note in &diagnostic.notes {
                let _ = write!(text, "\n{}", note.message);
            }
            for help in &diagnostic.helps {
                // What is counted is the number 1.
                let help = help.message.replace("count(Int64(1))", "count(*)");
                let _ = write!(text, "\n{help}");
            }
            text
        }
        None => match error.find_root() {
            DataFusionError::ResourcesExhausted(why) => format!(
                "the query needs more memory than it has: use --memory ({why})"
            ),
            _ => message(error),
        },
    };
    let span = error.diagnostic().and_then(|diagnostic| diagnostic.span);
    let place = match span {
        Some(span) => Some(Place::of(span)),
        None => Place::in_text(&text, sql)
            .or_else(|| Place::of_name(name(error, &text)?, sql)),
    };
    if let Some(shown) = place.and_then(|place| place.show(sql)) {
        text.push('\n');
        text.push_str(&shown);
    }
    text
}

/// How the message of a syntax error begins.
const EXPECTED: &str = "Expected: ";

/// What is in the message of a column that must be grouped by.
const GROUP_BY: &str = " must appear in GROUP BY clause ";

/// Returns the name of a column or a function which an error is about.
fn name<'a>(error: &'a DataFusionError, text: &'a str) -> Option<&'a str> {
    if let DataFusionError::SchemaError(error, _) = error.find_root()
        && let SchemaError::FieldNotFound { field, .. } = error.as_ref()
    {
        return Some(&field.name);
    }
    if let Some((column, _)) = text.split_once(" is not a condition: ") {
        return column.rsplit('.').next();
    }
    let (_, call) = text.split_once("the arguments are wrong: ")?;
    Some(call.split_once('(')?.0)
}

/// A place in the SQL. Lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    line: usize,
    column: usize,
    width: usize,
}

impl Place {
    fn of(span: Span) -> Place {
        let (start, end) = (span.start, span.end);
        let width = match start.line == end.line {
            true => end.column.saturating_sub(start.column),
            false => 1,
        };
        Place {
            line: usize::try_from(start.line).unwrap_or(0),
            column: usize::try_from(start.column).unwrap_or(0),
            width: usize::try_from(width).unwrap_or(1).max(1),
        }
    }

    /// Finds the place in the text of a syntax error.
    fn in_text(text: &str, sql: &str) -> Option<Place> {
        let rest = text.strip_prefix("syntax error at ")?;
        if rest.starts_with("the end: ") {
            let line = sql.lines().count();
            let last = sql.lines().next_back()?.trim_end();
            let column = last.chars().count() + 1;
            return Some(Place { line, column, width: 1 });
        }
        let (line, rest) =
            rest.strip_prefix("line ")?.split_once(", column ")?;
        let (column, _) = rest.split_once(':')?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        Some(Place { line, column, width: 1 })
    }

    /// Finds a name that is in the SQL once.
    fn of_name(name: &str, sql: &str) -> Option<Place> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut found = None;
        for (index, line) in sql.lines().enumerate() {
            for (start, _) in line.match_indices(name) {
                let (before, rest) = line.split_at(start);
                let after = rest.strip_prefix(name).unwrap_or_default();
                if before.ends_with(is_part) || after.starts_with(is_part) {
                    continue;
                }
                let column = before.chars().count() + 1;
                let width = name.chars().count();
                let place = Place { line: index + 1, column, width };
                if found.replace(place).is_some() {
                    return None;
                }
            }
        }
        found
    }

    fn show(self, sql: &str) -> Option<String> {
        let text = sql.lines().nth(self.line.checked_sub(1)?)?;
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        // As wide as the text above it: a tab remains one, and some characters
        // take two columns.
        let mut before = String::new();
        for c in text.chars().take(self.column.checked_sub(1)?) {
            match c {
                '\t' => before.push('\t'),
                c => before.extend(repeat_n(' ', c.width().unwrap_or(0))),
            }
        }
        let marked = text.chars().skip(self.column - 1).take(self.width);
        let width: usize = marked.filter_map(UnicodeWidthChar::width).sum();
        let mark = "^".repeat(width.max(1));
        Some(format!("{number} | {text}\n{gutter} | {before}{mark}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_syntax_error_is_in_its_text() {
        let text = "syntax error at line 2, column 3: expected an expression";
        let place = Place::in_text(text, "").unwrap();
        assert_eq!(place, Place { line: 2, column: 3, width: 1 });
        let shown = place.show("SELECT\n  FROM lines").unwrap();
        assert_eq!(shown, "2 |   FROM lines\n  |   ^");
    }

    /// The mark was too far to the left.
    #[test]
    fn the_mark_is_below_its_text() {
        let place = Place { line: 1, column: 14, width: 2 };
        let shown = place.show("\tSELECT '漢', 字x").unwrap();
        let expected = "1 | \tSELECT '漢', 字x\n  | \t             ^^^";
        assert_eq!(shown, expected);
        // A span may go on after the end of the line.
        let place = Place { line: 1, column: 9, width: 1 };
        assert_eq!(
            place.show("SELECT 1").unwrap(),
            "1 | SELECT 1\n  |         ^"
        );
    }

    #[test]
    fn a_place_that_is_not_in_the_sql_is_not_shown() {
        let nowhere = Place { line: 3, column: 1, width: 1 };
        assert_eq!(nowhere.show("SELECT 1"), None);
        let before = Place { line: 0, column: 0, width: 1 };
        assert_eq!(before.show("SELECT 1"), None);
    }
}
