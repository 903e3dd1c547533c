//! Fits text into the columns of a terminal, by wrapping or truncating it.
//!
//! Widths are summed by character. A terminal never needs more columns than
//! that: combining characters only make a text narrower.

use unicode_width::UnicodeWidthChar;

/// The variation selector that makes the preceding character an emoji, which
/// is two columns wide.
const EMOJI: char = '\u{fe0f}';

const DOTS: &str = "...";

/// Returns each character with its offset and its width in columns.
fn columns_of(text: &str) -> impl Iterator<Item = (usize, char, usize)> {
    let mut characters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (at, character) = characters.next()?;
        let columns = match characters.peek() {
            Some((_, EMOJI)) => 2,
            _ => character.width().unwrap_or(0),
        };
        Some((at, character, columns))
    })
}

/// Returns the width of a text in columns.
pub fn columns(text: &str) -> usize {
    columns_of(text).map(|(_, _, columns)| columns).sum()
}

/// Truncates a text to `room` columns. The last three are dots if something is
/// cut off.
pub fn folded(text: &str, room: usize) -> String {
    let short = room.saturating_sub(DOTS.len());
    let (mut used, mut end) = (0, 0);
    for (at, character, columns) in columns_of(text) {
        used += columns;
        if used <= short {
            end = at + character.len_utf8();
        } else if used > room {
            let dots = if room < DOTS.len() { "" } else { DOTS };
            return format!("{}{dots}", &text[..end]);
        }
    }
    text.to_string()
}

/// Truncates a text to `room` columns at its start. The first three are dots
/// if something is cut off.
pub fn folded_start(text: &str, room: usize) -> String {
    let total = columns(text);
    if total <= room {
        return text.to_string();
    }
    let dots = if room < DOTS.len() { "" } else { DOTS };
    let mut left = total;
    let start = columns_of(text).find_map(|(at, _, columns)| {
        let fits = left + dots.len() <= room;
        left -= columns;
        fits.then_some(at)
    });
    let start = start.unwrap_or(text.len());
    format!("{dots}{}", text.get(start..).unwrap_or_default())
}

/// Wraps a line between words into rows of at most `room` columns. All rows
/// but the first are indented like the line, or like the text of a list item.
/// A word that is longer than a row is split.
pub fn wrapped(line: &str, room: usize) -> Vec<String> {
    if columns(line) <= room {
        return vec![line.trim_end().to_string()];
    }
    let body = line.trim_start_matches(' ');
    // More indentation leaves too little room for words.
    let most = room / 2;
    let indent = (line.len() - body.len()).min(most);
    let hang = " ".repeat((indent + bullet(body)).min(most));
    let mut rows = Rows {
        room,
        done: vec![],
        row: " ".repeat(indent),
        used: indent,
        hang,
    };
    body.split_inclusive(' ').for_each(|word| rows.word(word));
    rows.next();
    rows.done
}

/// Returns the width of a list marker and its space, or 0 if the line is not a
/// list item.
fn bullet(line: &str) -> usize {
    let sign = line.split(' ').next().unwrap_or_default();
    let number = sign.strip_suffix(['.', ')']).unwrap_or_default();
    let is_number =
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    match is_number || matches!(sign, "-" | "*" | "+") {
        true => sign.len() + 1,
        false => 0,
    }
}

struct Rows {
    room: usize,
    done: Vec<String>,
    /// The row that is being filled, and its width.
    row: String,
    used: usize,
    /// The indentation of all rows but the first.
    hang: String,
}

impl Rows {
    /// Adds a word, and the space after it if there is one.
    fn word(&mut self, word: &str) {
        let text = word.trim_end_matches(' ');
        let needed = columns(text);
        if needed > self.room - self.hang.len() {
            self.split(text);
        } else {
            if needed > 0 && self.used + needed > self.room {
                self.next();
            }
            self.row += text;
            self.used += needed;
        }
        let space = &word[text.len()..];
        self.row += space;
        self.used += space.len();
    }

    /// Adds a word that is longer than a row.
    fn split(&mut self, word: &str) {
        for (_, character, columns) in columns_of(word) {
            if self.used + columns > self.room {
                self.next();
            }
            self.row.push(character);
            self.used += columns;
        }
    }

    fn next(&mut self) {
        let row = std::mem::replace(&mut self.row, self.hang.clone());
        self.done.push(row.trim_end().to_string());
        self.used = self.hang.len();
    }
}
