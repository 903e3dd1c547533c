//! The table of sessions, and its lines of JSON.

use std::io::{self, IsTerminal, Write};

use linetape::Escaped;

use crate::{
    document,
    fit::{self, folded},
    paint::{self, page},
    table::{Cell, Table, dollars},
    watch::session::Session,
};

/// What is printed, and how much of it is on the terminal.
pub struct View {
    is_json: bool,
    is_live: bool,
    /// The text that was printed last.
    last: String,
    /// The lines on the terminal that the next text replaces.
    drawn: usize,
}

impl View {
    pub fn new(is_json: bool) -> View {
        let is_live = !is_json && io::stdout().is_terminal();
        View { is_json, is_live, last: String::new(), drawn: 0 }
    }

    /// Prints the sessions that have changed, or the table of all.
    pub fn show<'s>(
        &mut self,
        sessions: impl Iterator<Item = &'s mut Session>,
    ) -> io::Result<()> {
        let mut sessions: Vec<&mut Session> = sessions.collect();
        if self.is_json {
            sessions.retain(|session| !session.is_shown);
            for session in sessions {
                document::print(&session.to_json())?;
                session.is_shown = true;
            }
            return Ok(());
        }
        sessions.sort_by_key(|session| std::cmp::Reverse(session.changed));
        let text = table(&sessions, self.room());
        match paint::columns() {
            // A line that is wrapped would take two rows.
            Some(columns) if self.is_live => self.draw(&cut(&text, columns)),
            _ => self.draw(&text),
        }
    }

    /// Returns how many rows the table may have.
    fn room(&self) -> usize {
        match paint::rows() {
            // The head, and the line with the cursor.
            Some(rows) if self.is_live => rows.saturating_sub(2).max(1),
            _ => usize::MAX,
        }
    }

    fn draw(&mut self, text: &str) -> io::Result<()> {
        if text == self.last {
            return Ok(());
        }
        let mut page = page();
        if self.is_live && self.drawn > 0 {
            // Back to the first line, and everything below is removed.
            write!(page, "\x1b[{}A\r\x1b[J", self.drawn)?;
        }
        write!(page, "{text}")?;
        page.flush()?;
        self.drawn = text.lines().count();
        self.last = text.to_string();
        Ok(())
    }

    /// Leaves the table where it is, since something else is printed below.
    pub fn end(&mut self) -> io::Result<()> {
        self.drawn = 0;
        self.last.clear();
        io::stdout().flush()
    }
}

/// Cuts each line to a number of columns, not counting its styles.
fn cut(text: &str, columns: usize) -> String {
    let mut cut = String::new();
    for line in text.lines() {
        let mut room = columns;
        // Styles are sequences from ESC to `m`.
        for (index, part) in line.split('\u{1b}').enumerate() {
            let (style, part) = match part.find('m') {
                Some(end) if index > 0 => part.split_at(end + 1),
                _ => ("", part),
            };
            if index > 0 {
                cut.push('\u{1b}');
            }
            let part = folded(part, room);
            room = room.saturating_sub(fit::columns(&part));
            cut.extend([style, &part]);
        }
        cut.push('\n');
    }
    cut
}

fn table(sessions: &[&mut Session], room: usize) -> String {
    if sessions.is_empty() {
        return "No running sessions.\n".to_string();
    }
    let has_cost = sessions.iter().any(|s| s.cost_usd().is_some());
    let mut head = vec!["session", "messages", "input", "output"];
    head.extend(["cache write", "cache read"]);
    head.extend(has_cost.then_some("cost, $"));
    head.extend(["model", "last tool"]);
    let mut table = Table::new(&head).with_text_at_the_end();
    for session in sessions.iter().take(room) {
        let total = session.totals.total();
        let text = |text: &Option<String>| {
            let text = text.as_deref().unwrap_or("none").as_bytes();
            Cell::Text(Escaped::new(text).to_string())
        };
        let mut cells = vec![text(&Some(session.name.clone()))];
        cells.push(total.messages.into());
        cells.extend(
            [
                total.tokens.input_tokens,
                total.tokens.output_tokens,
                total.tokens.cache_creation_input_tokens,
                total.tokens.cache_read_input_tokens,
            ]
            .map(Cell::Number),
        );
        if has_cost {
            let cost = session.cost_usd().map(dollars).unwrap_or_default();
            cells.push(cost.into());
        }
        cells.push(text(&session.model));
        cells.push(text(&session.tool));
        table.row(cells);
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that were wider than the terminal took two rows, and the next
    /// table was drawn too low.
    #[test]
    fn lines_are_cut_to_the_width_of_the_terminal() {
        let text = "\u{1b}[1msession  model\u{1b}[0m\nabcdefghij\n";
        let expected = "\u{1b}[1msessi...\u{1b}[0m\nabcde...\n";
        assert_eq!(cut(text, 8), expected);
        assert_eq!(cut(text, 80), text);
    }
}
