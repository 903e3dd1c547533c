//! A result as a table of text, in bounded memory.

use std::{
    io::{self, Write},
    mem,
};

use datafusion::{
    arrow::{
        array::RecordBatch,
        datatypes::Schema,
        util::display::{ArrayFormatter, FormatOptions},
    },
    error::Result,
};
use unicode_width::UnicodeWidthStr;

/// The widths of the columns are measured over so many rows.
const MEASURED_ROWS: usize = 1000;

/// They are measured over fewer rows if those have more bytes of text.
const MEASURED_BYTES: usize = 1 << 20;

/// The width up to which a column is padded, if padding it to its longest cell
/// would take more than `MEASURED_BYTES`.
const PADDED: usize = 100;

/// Writes rows as a table.
///
/// The first rows are kept, to measure the columns. Then rows are written as
/// they come. A longer cell makes its row longer, and is not cut.
pub struct Grid<W> {
    out: W,
    header: Row,
    /// The rows that are kept, until the widths are known.
    kept: Vec<Row>,
    kept_bytes: usize,
    widths: Option<Vec<usize>>,
}

/// The cells of a row, each with its lines.
type Row = Vec<Vec<String>>;

impl<W: Write> Grid<W> {
    pub fn new(out: W, schema: &Schema) -> Grid<W> {
        let names = schema.fields().iter().map(|field| field.name());
        Grid {
            out,
            header: names.map(|name| lines(name)).collect(),
            kept: vec![],
            kept_bytes: 0,
            widths: None,
        }
    }

    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let options = FormatOptions::default();
        let columns = batch.columns().iter();
        let columns: Vec<ArrayFormatter<'_>> = columns
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<std::result::Result<_, _>>()?;
        for number in 0..batch.num_rows() {
            let cell = |column: &ArrayFormatter<'_>| {
                Ok(lines(&column.value(number).try_to_string()?))
            };
            let row = columns.iter().map(cell).collect::<Result<Row>>()?;
            match &self.widths {
                Some(widths) => write_row(&mut self.out, widths, &row)?,
                None => self.keep(row)?,
            }
        }
        Ok(())
    }

    /// Writes what is left, and the last line.
    pub fn finish(mut self) -> Result<W> {
        let widths = match self.widths.take() {
            Some(widths) => widths,
            None => self.begin()?,
        };
        write_border(&mut self.out, &widths)?;
        Ok(self.out)
    }

    fn keep(&mut self, row: Row) -> io::Result<()> {
        let cells = row.iter().flatten();
        self.kept_bytes += cells.map(String::len).sum::<usize>();
        self.kept.push(row);
        if self.kept.len() >= MEASURED_ROWS
            || self.kept_bytes >= MEASURED_BYTES
        {
            let widths = self.begin()?;
            self.widths = Some(widths);
        }
        Ok(())
    }

    /// Measures the columns, and writes the rows that were kept.
    fn begin(&mut self) -> io::Result<Vec<usize>> {
        let kept = mem::take(&mut self.kept);
        let widths = widths(&self.header, &kept);
        write_border(&mut self.out, &widths)?;
        write_row(&mut self.out, &widths, &self.header)?;
        write_border(&mut self.out, &widths)?;
        for row in &kept {
            write_row(&mut self.out, &widths, row)?;
        }
        Ok(widths)
    }
}

/// Returns the lines of a cell. Control characters are escaped: a log may
/// contain any, and a terminal would obey them.
fn lines(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let mut shown = String::with_capacity(line.len());
        for c in line.chars() {
            match c.is_control() {
                true => shown.extend(c.escape_default()),
                false => shown.push(c),
            }
        }
        shown
    };
    text.split('\n').map(line).collect()
}

fn widths(header: &Row, rows: &[Row]) -> Vec<usize> {
    let most = |row: &Row, number: usize| {
        let lines = row.get(number).into_iter().flatten();
        lines.map(|line| line.width()).max().unwrap_or(0)
    };
    let height: usize = rows.iter().map(height).sum();
    let width = |number: usize| {
        let name = most(header, number);
        let rows = rows.iter().map(|row| most(row, number));
        let widest = rows.max().unwrap_or(0).max(name);
        match widest.saturating_mul(height) > MEASURED_BYTES {
            true => widest.min(PADDED.max(name)),
            false => widest,
        }
    };
    (0..header.len()).map(width).collect()
}

fn height(row: &Row) -> usize {
    row.iter().map(Vec::len).max().unwrap_or(0)
}

fn write_border(out: &mut impl Write, widths: &[usize]) -> io::Result<()> {
    for width in widths {
        write!(out, "+{}", "-".repeat(width + 2))?;
    }
    writeln!(out, "+")
}

fn write_row(
    out: &mut impl Write,
    widths: &[usize],
    row: &Row,
) -> io::Result<()> {
    for number in 0..height(row) {
        for (cell, width) in row.iter().zip(widths) {
            let line = cell.get(number).map_or("", String::as_str);
            // `{:width$}` counts characters, and some take two columns.
            let gap = " ".repeat(width.saturating_sub(line.width()));
            write!(out, "| {line}{gap} ")?;
        }
        writeln!(out, "|")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::{
        array::{ArrayRef, StringArray},
        datatypes::{DataType, Field},
    };

    use super::*;

    /// Returns the table of some batches of texts, and how much of it was
    /// written before the end.
    fn table(batches: &[&[&str]]) -> (String, usize) {
        let field = Field::new("text", DataType::Utf8, true);
        let schema = Arc::new(Schema::new(vec![field]));
        let mut grid = Grid::new(vec![], &schema);
        for texts in batches {
            let texts: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
            let batch = RecordBatch::try_new(schema.clone(), vec![texts]);
            grid.write(&batch.unwrap()).unwrap();
            assert!(grid.kept.len() < MEASURED_ROWS);
        }
        let before = grid.out.len();
        let table = grid.finish().unwrap();
        (String::from_utf8(table).unwrap(), before)
    }

    #[test]
    fn cells_may_have_lines_and_wide_characters() {
        let (table, _) = table(&[&["one\ntwo", "漢字", "\u{1b}[2J", ""]]);
        assert_eq!(
            table,
            "+-----------+\n\
             | text      |\n\
             +-----------+\n\
             | one       |\n\
             | two       |\n\
             | 漢字      |\n\
             | \\u{1b}[2J |\n\
             |           |\n\
             +-----------+\n"
        );
    }

    /// All rows were kept until the end: a result of a gigabyte took three in
    /// memory.
    #[test]
    fn rows_are_written_as_they_come() {
        let rows = ["x"; 999];
        let (short, before) = table(&[&rows]);
        assert_eq!((short.lines().count(), before), (999 + 4, 0));
        let (long, before) = table(&[&rows, &["y", "longer"], &rows]);
        assert_eq!(long.lines().count(), 2 * 999 + 2 + 4);
        let border = long.lines().next().unwrap().len() + 1;
        assert_eq!(before, long.len() - border);
        // A cell that is longer than those before it is not cut.
        assert!(long.contains("\n| longer |\n"), "{long}");
        assert!(long.contains("\n| y    |\n"), "{long}");
    }

    /// One long cell made every row as long, so that a file of 1 MB was
    /// printed as 14 MB.
    #[test]
    fn a_long_cell_does_not_make_all_rows_long() {
        let long = "x".repeat(100_000);
        let mut rows = vec!["y"; 500];
        rows.push(&long);
        let (shown, _) = table(&[&rows]);
        assert!(shown.len() < 200_000, "{}", shown.len());
        assert!(shown.contains(&format!("| {long} |")));
        // With few rows, the border is straight.
        let (shown, _) = table(&[&[&long, "y"]]);
        let widths: Vec<usize> = shown.lines().map(str::len).collect();
        assert_eq!(widths, [100_004; 6]);
    }
}
