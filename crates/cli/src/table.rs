//! Text tables.

use std::fmt;

use crate::{
    fit::{columns, folded},
    paint::{self, HEAD, painted},
};

/// The width if standard output is not a terminal.
const COLUMNS: usize = 80;

/// The maximum width of a name.
const LONGEST: usize = 100;

/// The minimum width of a column that is truncated.
const LEAST: usize = 16;

/// Rows of cells. The first column is left-aligned, the others are
/// right-aligned. Text from a log must be escaped by the caller.
///
/// If the table is too wide for the terminal, numbers are rounded. If it still
/// is, names are truncated. They are never longer than [`LONGEST`]: one long
/// name must not make every row long.
pub struct Table {
    rows: Vec<Vec<Cell>>,
    /// The width of the terminal, if there is one.
    columns: Option<usize>,
    /// Whether the last column is left-aligned, and truncated to fit.
    has_text_at_the_end: bool,
}

/// A cell of a table.
pub enum Cell {
    Text(String),
    Number(u64),
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Number(number)
    }
}

impl Table {
    pub fn new(head: &[&str]) -> Table {
        let head = head.iter().map(|name| name.to_string().into()).collect();
        let columns = paint::columns();
        Table { rows: vec![head], columns, has_text_at_the_end: false }
    }

    /// Returns the table with its last column left-aligned, and truncated to
    /// fit.
    pub fn with_text_at_the_end(self) -> Table {
        Table { has_text_at_the_end: true, ..self }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item: Into<Cell>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Returns the lines of the table, with numbers formatted by `write`, and
    /// names of at most `longest` columns.
    fn lines(&self, write: fn(u64) -> String, longest: usize) -> Vec<String> {
        let text = |(at, cell): (usize, &Cell)| match cell {
            Cell::Text(text) if at == 0 => folded(text, longest),
            Cell::Text(text) => text.clone(),
            Cell::Number(number) => write(*number),
        };
        let texts =
            |row: &Vec<Cell>| row.iter().enumerate().map(text).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(texts).collect();
        let mut widths = vec![];
        for row in &rows {
            widths.resize(row.len().max(widths.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = columns(cell).max(*width);
            }
        }
        let last = widths.len().saturating_sub(1);
        let before: usize = widths.iter().take(last).map(|w| w + 2).sum();
        let room = self.columns.unwrap_or(COLUMNS).saturating_sub(before);
        let line = |row: &Vec<String>| {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let space = " ".repeat(width - columns(cell));
                line += &match at {
                    0 => format!("{cell}{space}"),
                    _ if at == last && self.has_text_at_the_end => {
                        format!("  {}", folded(cell, room.max(LEAST)))
                    }
                    _ => format!("  {space}{cell}"),
                };
            }
            line.trim_end().to_string()
        };
        rows.iter().map(line).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let room = self.columns.unwrap_or(usize::MAX);
        let widest = |lines: &[String]| {
            lines.iter().map(|line| columns(line)).max().unwrap_or(0)
        };
        let mut lines = self.lines(grouped, LONGEST);
        if widest(&lines) > room {
            lines = self.lines(rounded, LONGEST);
        }
        let names = self.rows.iter().filter_map(|row| match row.first()? {
            Cell::Text(name) => Some(columns(name).min(LONGEST)),
            Cell::Number(_) => None,
        });
        let too_much = widest(&lines).saturating_sub(room);
        if too_much > 0 {
            let longest = names.max().unwrap_or(0).saturating_sub(too_much);
            lines = self.lines(rounded, longest.max(LEAST));
        }
        for (at, line) in lines.iter().enumerate() {
            match at {
                0 => writeln!(f, "{}", painted(HEAD, line))?,
                _ => writeln!(f, "{line}")?,
            }
        }
        Ok(())
    }
}

/// Formats dollars, to the hundredth of a cent, and without a negative zero.
pub fn dollars(amount: f64) -> String {
    match format!("{amount:.4}") {
        nothing if nothing == "-0.0000" => "0.0000".to_string(),
        text => text,
    }
}

/// Formats a number of things: `1 line`, `2 lines`.
pub fn counted(count: impl fmt::Display, thing: &str) -> String {
    let count = count.to_string();
    let s = if count == "1" { "" } else { "s" };
    format!("{count} {thing}{s}")
}

/// Formats `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats `1234567` as `1.23M`, with three digits, or all if there are fewer.
fn rounded(number: u64) -> String {
    let mut figure = number as f64;
    for unit in ["", "k", "M", "B", "T", "P", "E"] {
        // A larger figure would be rounded to 1000.
        if figure < 999.5 {
            return match unit {
                "" => number.to_string(),
                _ if figure < 9.995 => format!("{figure:.2}{unit}"),
                _ if figure < 99.95 => format!("{figure:.1}{unit}"),
                _ => format!("{figure:.0}{unit}"),
            };
        }
        figure /= 1000.0;
    }
    grouped(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_in_threes() {
        let shown = [0, 999, 1_000, 123_456, u64::MAX].map(grouped);
        let expected =
            ["0", "999", "1,000", "123,456", "18,446,744,073,709,551,615"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn numbers_are_rounded_to_three_digits() {
        let numbers =
            [0, 999, 1_000, 9_994, 9_996, 99_960, 999_499, 999_500, u64::MAX];
        let expected = [
            "0", "999", "1.00k", "9.99k", "10.0k", "100k", "999k", "1.00M",
            "18.4E",
        ];
        assert_eq!(numbers.map(rounded), expected);
    }

    #[test]
    fn a_table_that_is_too_wide_has_round_numbers() {
        let mut table = Table::new(&["name", "count"]);
        table.row([Cell::from("one".to_string()), 1_234_567.into()]);
        for (columns, number) in
            [(None, "1,234,567"), (Some(15), "1,234,567"), (Some(14), "1.23M")]
        {
            table.columns = columns;
            assert!(table.to_string().ends_with(&format!("{number}\n")));
        }
    }

    #[test]
    fn names_are_cut_if_they_are_long_or_there_is_no_room() {
        let mut table = Table::new(&["name", "count"]);
        table.row([Cell::from("n".repeat(10_000)), 7.into()]);
        for (room, width) in [(None, 107), (Some(80), 80), (Some(5), 23)] {
            table.columns = room;
            let shown = table.to_string();
            assert_eq!(columns(shown.lines().last().unwrap()), width);
        }
    }
}
