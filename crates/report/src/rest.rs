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

    /// Returns the text up to a place, if it is more than the punctuation of
    /// Markdown, and if there can be one here.
    fn until(&mut self, place: usize) -> Option<(Around, &'t str)> {
        let around = self.open.last().copied();
        let around = around.unwrap_or(Some(Around::Blocks))?;
        let lost = self.text.get(self.end..place)?;
        // No part is searched twice, however deep quotes are nested.
        self.end = place;
        let is_text = |c: char| match around {
            Around::Row => !matches!(c, '|' | '-' | ':' | '>'),
            _ => c.is_alphanumeric() || !c.is_ascii(),
        };
        let is_text =
            lost.contains(|c: char| !c.is_whitespace() && is_text(c));
        is_text.then_some((around, lost.trim()))
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

#[cfg(test)]
mod tests {
    use crate::{html::Html, markdown::markdown};

    fn written(text: &str) -> String {
        let mut page = vec![];
        markdown(&mut Html::new(&mut page), text).unwrap();
        String::from_utf8(page).unwrap()
    }

    /// The definitions of links are no events of the parser, and neither are
    /// the cells that a row has too many, nor the title of a link: a prompt
    /// could be an empty message, but a model read it.
    #[test]
    fn no_text_is_left_out() {
        for text in [
            "[x]: http://a.example \"ignore all\"",
            "before\n\n[x]: http://a.example 'ignore all'\n\nafter [x]",
            "[x]: http://a.example\n[x]: http://b.example 'ignore all'",
            "> [x]: http://a.example 'ignore all'\n> more",
            "- [x]: http://a.example 'ignore all'\n- [x]: more",
            "1. [x]: http://a.example 'ignore all'\n\n   [y]: more",
            "| a |\n|---|\n| b | ignore all |\n| c |",
            "[a](http://a.example \"ignore all\") b",
            "[a][r]\n\n[r]: javascript:ignore 'all'",
            "![a](http://a.example 'ignore all')",
            "[](http://a.example/ignore/all)",
            "[^1]: ignore all\n",
            "```ignore all\n```",
        ] {
            let page = written(text);
            let shown = shown(&page);
            for word in ["ignore", "all"] {
                assert!(shown.contains(word), "{text:?}: {page}");
            }
        }
        let page = written("| a |\n|---|\n| b | c | d |\n| e |");
        assert!(page.contains("<td>b</td><td>| c | d |</td>"), "{page}");
        assert!(page.contains("<tr><td>e</td></tr>"), "{page}");
        // Cells were left out if they had neither a letter nor a digit.
        let page = written("| a |\n|---|\n| b | ✅ |\n| c | + |\n| d | |");
        assert!(page.contains("<td>b</td><td>| ✅ |</td>"), "{page}");
        assert!(page.contains("<td>c</td><td>| + |</td>"), "{page}");
        assert!(page.contains("<tr><td>d</td></tr>"), "{page}");
        let page = written("3. a\n4. b\n\nc");
        assert_eq!(page.matches("<p").count(), 1, "{page}");
    }

    /// Returns the text of a page.
    fn shown(page: &str) -> String {
        let parts = page.split('<');
        let parts = parts.map(|p| p.split_once('>').map_or(p, |p| p.1));
        parts.collect()
    }

    /// Checks that elements end in the element in which they begin.
    fn assert_nested(text: &str, page: &str) {
        let mut open = vec![];
        for part in page.split('<').skip(1) {
            let (tag, _) = part.split_once('>').unwrap();
            match (tag.strip_prefix('/'), tag.split(' ').next()) {
                (Some(name), _) => {
                    assert_eq!(open.pop(), Some(name), "{text}\n\n{page}");
                }
                (None, Some("br" | "hr")) => {}
                (None, name) => open.extend(name),
            }
        }
        assert_eq!(open, [""; 0], "{text}\n\n{page}");
    }

    /// Every word of a random text is in the page, or is the address of a link.
    #[test]
    fn no_word_of_a_random_text_is_left_out() {
        const PARTS: [&str; 52] = [
            "W",
            "W",
            "W",
            "W W",
            "`W`",
            "``W`",
            "*W*",
            "_W",
            "**W",
            "~~W~~",
            "[W]",
            "[W](W)",
            "[W](http://W 'W')",
            "[W]: W",
            "[W]: W 'W'",
            "[W]: http://W \"W\"",
            "![W](W \"W\")",
            "[W][W]",
            "[^W]: W",
            "<W>",
            "</W>",
            "<!-- W -->",
            "<W",
            "<http://W>",
            "| W ",
            "|W|W|",
            "|-|",
            "|---|---|",
            " ",
            " ",
            "\n",
            "\n",
            "\n\n",
            "    ",
            "\t",
            "> ",
            ">",
            "- ",
            "+ ",
            "* ",
            "# ",
            "```",
            "```W",
            "~~~",
            "===",
            "---",
            "\\",
            "&amp;",
            "- [ ] ",
            "(",
            ")",
            "\"",
        ];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |end: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as usize % end
        };
        for _ in 0..20_000 {
            let mut text = String::new();
            let mut words = 0;
            for _ in 0..1 + below(14) {
                // Each word is another one, so that none stands for another.
                for piece in PARTS[below(PARTS.len())].split_inclusive('W') {
                    match piece.strip_suffix('W') {
                        Some(before) => {
                            text += &format!("{before}w{words}w");
                            words += 1;
                        }
                        None => text += piece,
                    }
                }
            }
            let page = written(&text);
            assert_nested(&text, &page);
            for word in 0..words {
                let word = format!("w{word}w");
                assert!(page.contains(&word), "{word}\n{text}\n\n{page}");
            }
        }
    }
}
