//! How text is made to fit: by breaking it between words, or by cutting it.
//!
//! All of this is about columns of a terminal. They are counted character by
//! character, which is never less than what a terminal takes: marks that join
//! characters only make them narrower.

use unicode_width::UnicodeWidthChar;

/// Makes the character before it an emoji, which is two columns wide.
const EMOJI: char = '\u{fe0f}';

const DOTS: &str = "...";

/// Each character, where it stands, and how many columns it takes.
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

/// How many columns a text takes.
pub fn columns(text: &str) -> usize {
    columns_of(text).map(|(_, _, columns)| columns).sum()
}

/// A text in at most so many columns. Dots stand for what is cut off.
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

/// A line, broken between words into rows of at most so many columns. All but
/// the first are indented as the line is, or as the text of a list's item. A
/// word that is longer than a row is cut.
pub fn wrapped(line: &str, room: usize) -> Vec<String> {
    if columns(line) <= room {
        return vec![line.trim_end().to_string()];
    }
    let body = line.trim_start_matches(' ');
    // Who indents by more has too little room for words.
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

/// How many columns the sign takes that makes a line an item of a list.
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
    /// The row that is being filled, and the columns that it takes.
    row: String,
    used: usize,
    hang: String,
}

impl Rows {
    /// Adds a word, which may have a space behind it.
    fn word(&mut self, word: &str) {
        let text = word.trim_end_matches(' ');
        let needed = columns(text);
        if needed > self.room - self.hang.len() {
            self.cut(text);
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
    fn cut(&mut self, word: &str) {
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
