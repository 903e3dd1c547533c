//! Tables for people.

use std::fmt;

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
            row.get(at).map_or(0, |cell| width(cell))
        };
        let widths: Vec<usize> = (0..columns)
            .map(|at| rows.iter().map(|r| length(r, at)).max().unwrap_or(0))
            .collect();
        for row in rows {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let space = " ".repeat(width - self::width(cell));
                line += &match at {
                    0 => format!("{cell}{space}"),
                    _ => format!("  {space}{cell}"),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// How many columns a terminal gives to a text, about: the characters of East
/// Asia and most emoji take two, and marks on other characters none.
fn width(text: &str) -> usize {
    let columns = |c| match c {
        '\u{300}'..='\u{36f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    };
    text.chars().map(columns).sum()
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
