//! Tables for people.

use std::fmt;

use unicode_width::UnicodeWidthStr;

use crate::paint::{HEAD, painted};

/// Rows of text. The first column is flush left, the others right. What the
/// log says must be escaped before it gets here.
pub struct Table(Vec<Vec<String>>);

impl Table {
    pub fn new(head: &[&str]) -> Table {
        Table(vec![head.iter().map(ToString::to_string).collect()])
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.0.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table(rows) = self;
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let length = |row: &Vec<String>, at: usize| {
            row.get(at).map_or(0, |cell| cell.width())
        };
        let widths: Vec<usize> = (0..columns)
            .map(|at| rows.iter().map(|r| length(r, at)).max().unwrap_or(0))
            .collect();
        for (number, row) in rows.iter().enumerate() {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let space = " ".repeat(width - cell.width());
                line += &match at {
                    0 => format!("{cell}{space}"),
                    _ => format!("  {space}{cell}"),
                };
            }
            let line = line.trim_end();
            match number {
                0 => writeln!(f, "{}", painted(HEAD, line))?,
                _ => writeln!(f, "{line}")?,
            }
        }
        Ok(())
    }
}

/// Dollars, to the hundredth of a cent. What is nearly nothing has no sign.
pub fn dollars(amount: f64) -> String {
    match format!("{amount:.4}") {
        nothing if nothing == "-0.0000" => "0.0000".to_string(),
        text => text,
    }
}

/// `1234567` as `1,234,567`.
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

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_grouped_in_threes() {
        let shown = [0, 999, 1_000, 123_456, u64::MAX].map(grouped);
        let expected =
            ["0", "999", "1,000", "123,456", "18,446,744,073,709,551,615"];
        assert_eq!(shown, expected);
    }
}
