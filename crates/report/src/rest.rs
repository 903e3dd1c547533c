/*!
The parts of a Markdown text that its parser leaves out: definitions of links,
and cells that a row has too many.
*/

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

/// Finds the parts of a text that are in no event.
pub struct Rest<'t> {
    text: &'t str,
    /// The end of what is known to be written.
    end: usize,
    /// The elements that are open; `None` for a list or a table, in which
    /// there can be no text.
    open: Vec<Option<Around>>,
    /// How many texts there were so far.
    pub texts: usize,
}

/// What is around a text that was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// A page, a quote or an item: it is a paragraph.
    Blocks,
    /// A row of a table: it is a cell.
    Row,
    /// A paragraph or a part of it.
    Words,
}

impl<'t> Rest<'t> {
    pub fn new(text: &'t str) -> Rest<'t> {
        Rest { text, end: 0, open: vec![], texts: 0 }
    }

    /// Returns the text that was left out before an event, which is at
    /// `range`, and what is around it.
    pub fn before(
        &mut self,
        event: &Event<'_>,
        range: &Range<usize>,
    ) -> Option<(Around, &'t str)> {
        match event {
            Event::Start(tag) => {
                let lost = self.until(range.start);
                self.open.push(around(tag));
                self.end = self.end.max(match tag {
                    // All of it is in the events.
                    Tag::CodeBlock(_) => range.end,
                    Tag::Item => range.start + self.number(range.start),
                    _ => range.start,
                });
                lost
            }
            Event::End(tag) => {
                let is_whole = matches!(tag, TagEnd::Link | TagEnd::Image);
                if is_whole {
                    // Its address and its title are written.
                    self.end = self.end.max(range.end);
                }
                let lost = self.until(range.end);
                self.open.pop();
                lost
            }
            _ => {
                let lost = self.until(range.start);
                self.end = self.end.max(range.end);
                self.texts += 1;
                lost
            }
        }
    }

    /// Returns the text that was left out after the last event.
    pub fn at_the_end(&mut self) -> Option<&'t str> {
        self.until(self.text.len()).map(|(_, lost)| lost)
    }

    /// Returns the text up to a place, if it has a letter or a digit, and if
    /// there can be one here.
    fn until(&mut self, place: usize) -> Option<(Around, &'t str)> {
        let around = self.open.last().copied();
        let around = around.unwrap_or(Some(Around::Blocks))?;
        let lost = self.text.get(self.end..place)?;
        if !lost.contains(|c: char| c.is_alphanumeric()) {
            return None;
        }
        self.end = place;
        Some((around, lost.trim()))
    }

    /// Returns the length of an item's number and of the space before it.
    fn number(&self, at: usize) -> usize {
        let item = self.text.get(at..).unwrap_or_default();
        let marked = item.trim_start();
        let is_digit = |c: &char| c.is_ascii_digit();
        item.len() - marked.len() + marked.chars().take_while(is_digit).count()
    }
}

fn around(tag: &Tag<'_>) -> Option<Around> {
    match tag {
        Tag::BlockQuote(_) | Tag::Item => Some(Around::Blocks),
        Tag::TableRow => Some(Around::Row),
        Tag::List(_) | Tag::Table(_) | Tag::TableHead => None,
        _ => Some(Around::Words),
    }
}
