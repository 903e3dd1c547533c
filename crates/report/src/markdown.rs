/*!
Markdown as HTML. HTML in the text is shown as text, pictures are links, and
links have one of three schemes.
*/

use std::io;

use pulldown_cmark::{
    CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd,
};

use crate::{
    html::Html,
    rest::{Around, Rest},
};

/// Texts that are longer are not read as Markdown.
const MAX: usize = 1 << 20;

/// Writes a text as Markdown.
pub fn markdown(html: &mut Html<'_>, text: &str) -> io::Result<()> {
    if text.len() > MAX {
        return html.within("<p dir=\"auto\">", text, "</p>");
    }
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let mut to = Writer {
        html,
        links: vec![],
        in_head: false,
        empty_cells: 0,
        in_cell: false,
        rest: Rest::new(text),
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        if let Some((around, lost)) = to.rest.before(&event, &range) {
            to.lost(around, lost)?;
        }
        to.event(event)?;
    }
    match to.rest.at_the_end() {
        Some(lost) => to.lost(Around::Blocks, lost),
        None => Ok(()),
    }
}

struct Writer<'h, 'w, 't> {
    html: &'h mut Html<'w>,
    links: Vec<Link>,
    in_head: bool,
    /// Cells of a row that are empty so far. The parser adds them to short
    /// rows, and a page could become much larger than its log.
    empty_cells: usize,
    in_cell: bool,
    rest: Rest<'t>,
}

/// A link that is open.
struct Link {
    /// Whether it is written as one.
    is_link: bool,
    /// Where it leads, if nothing else is shown of it so far.
    to: String,
    title: String,
    /// How many texts were before it.
    texts: usize,
}

impl Writer<'_, '_, '_> {
    /// Writes a text that the parser leaves out, such as the definition of a
    /// link. A model has read it.
    fn lost(&mut self, around: Around, text: &str) -> io::Result<()> {
        match around {
            Around::Row => {
                self.cells(self.empty_cells)?;
                self.html.within("<td>", text, "</td>")
            }
            Around::Blocks => {
                self.html.within("<p dir=\"auto\">", text, "</p>")
            }
            Around::Words => {
                self.begin_cell()?;
                self.html.within(" ", text, " ")
            }
        }
    }

    /// Begins the cell of a text, if it is the first in its cell.
    fn begin_cell(&mut self) -> io::Result<()> {
        let Some(before) = self.empty_cells.checked_sub(1) else {
            return Ok(());
        };
        self.cells(before)?;
        self.in_cell = true;
        self.html.markup("<td>")
    }

    /// Writes empty cells.
    fn cells(&mut self, count: usize) -> io::Result<()> {
        self.empty_cells = 0;
        (0..count).try_for_each(|_| self.html.markup("<td></td>"))
    }

    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        let is_of_table = matches!(
            event,
            Event::Start(Tag::TableCell | Tag::TableRow)
                | Event::End(TagEnd::TableCell | TagEnd::TableRow)
        );
        if !is_of_table {
            self.begin_cell()?;
        }
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.html.text(&text),
            Event::Code(code) => self.html.within("<code>", &code, "</code>"),
            // Never markup of the page.
            Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => self.html.text(&text),
            Event::FootnoteReference(name) => {
                self.html.within("[^", &name, "]")
            }
            Event::SoftBreak => self.html.markup("\n"),
            Event::HardBreak => self.html.markup("<br>"),
            Event::Rule => self.html.markup("<hr>"),
            Event::TaskListMarker(true) => self.html.markup("[x] "),
            Event::TaskListMarker(false) => self.html.markup("[ ] "),
        }
    }

    fn start(&mut self, tag: Tag<'_>) -> io::Result<()> {
        let html = &mut *self.html;
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => html.markup("<p dir=\"auto\">"),
            // A heading in a message must not become a heading of the page.
            Tag::Heading { .. } => html.markup("<p class=\"h\" dir=\"auto\">"),
            Tag::BlockQuote(_) => html.markup("<blockquote>"),
            Tag::CodeBlock(kind) => {
                html.markup("<pre>")?;
                match kind {
                    CodeBlockKind::Fenced(name) if !name.is_empty() => {
                        html.within("<i class=\"lang\">", &name, "</i>\n")
                    }
                    _ => Ok(()),
                }
            }
            Tag::List(Some(first)) => {
                html.markup("<ol start=\"")?;
                html.number(first)?;
                html.markup("\">")
            }
            Tag::List(None) => html.markup("<ul>"),
            Tag::Item => html.markup("<li dir=\"auto\">"),
            Tag::Table(_) => {
                html.markup("<div class=\"wide\" tabindex=\"0\"><table>")
            }
            Tag::TableHead => {
                self.in_head = true;
                html.markup("<tr>")
            }
            Tag::TableRow => html.markup("<tr>"),
            Tag::TableCell if self.in_head => html.markup("<th>"),
            Tag::TableCell => {
                self.empty_cells += 1;
                Ok(())
            }
            Tag::Emphasis => html.markup("<em>"),
            Tag::Strong => html.markup("<strong>"),
            Tag::Strikethrough => html.markup("<s>"),
            Tag::Link { link_type, dest_url, title, .. } => {
                self.link(link_type, &dest_url, &title)
            }
            Tag::Image { dest_url, title, .. } => {
                // A picture would be fetched when the page is opened.
                self.html.markup("[picture: ")?;
                self.link(LinkType::Inline, &dest_url, &title)
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, tag: TagEnd) -> io::Result<()> {
        let html = &mut *self.html;
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::Heading(_) => {
                html.markup("</p>")
            }
            TagEnd::BlockQuote(_) => html.markup("</blockquote>"),
            TagEnd::CodeBlock => html.markup("</pre>"),
            TagEnd::List(true) => html.markup("</ol>"),
            TagEnd::List(false) => html.markup("</ul>"),
            TagEnd::Item => html.markup("</li>"),
            TagEnd::Table => html.markup("</table></div>"),
            TagEnd::TableHead => {
                self.in_head = false;
                html.markup("</tr>")
            }
            TagEnd::TableRow => {
                self.empty_cells = 0;
                html.markup("</tr>")
            }
            TagEnd::TableCell if self.in_head => html.markup("</th>"),
            TagEnd::TableCell if self.in_cell => {
                self.in_cell = false;
                html.markup("</td>")
            }
            TagEnd::Emphasis => html.markup("</em>"),
            TagEnd::Strong => html.markup("</strong>"),
            TagEnd::Strikethrough => html.markup("</s>"),
            TagEnd::Link => self.end_link(),
            TagEnd::Image => {
                self.end_link()?;
                self.html.markup("]")
            }
            _ => Ok(()),
        }
    }

    fn link(
        &mut self,
        kind: LinkType,
        to: &str,
        title: &str,
    ) -> io::Result<()> {
        let to = match kind {
            LinkType::Email => format!("mailto:{to}"),
            _ => to.to_string(),
        };
        // HTML has no links in links, but Markdown has pictures in links.
        let is_open = self.links.iter().any(|link| link.is_link);
        let is_link = is_allowed(&to) && !is_open;
        if is_link {
            self.html.markup("<a rel=\"noopener noreferrer\"")?;
            self.html.attribute("href", &to)?;
            self.html.markup(">")?;
        } else if kind == LinkType::Inline {
            self.html.within("(", &to, ") ")?;
        }
        let texts = self.rest.texts;
        let title = title.to_string();
        self.links.push(Link { is_link, to, title, texts });
        Ok(())
    }

    fn end_link(&mut self) -> io::Result<()> {
        let Some(link) = self.links.pop() else { return Ok(()) };
        if link.is_link {
            if link.texts == self.rest.texts {
                self.html.text(&link.to)?;
            }
            self.html.markup("</a>")?;
        }
        match link.title.is_empty() {
            true => Ok(()),
            false => self.html.within(" (", &link.title, ")"),
        }
    }
}

/// Returns whether a link may be followed from a page: it names a web page or
/// a mail address, and no character that a browser would drop.
fn is_allowed(to: &str) -> bool {
    let scheme = to.split_once(':').map(|(scheme, _)| scheme);
    let is_known = scheme.is_some_and(|scheme| {
        ["http", "https", "mailto"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
    });
    is_known && !to.contains(|c: char| c.is_control() || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut page = vec![];
        markdown(&mut Html::new(&mut page), text).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn html_in_a_text_is_shown_as_text() {
        for text in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<!-- a --><style>*{}</style>\n\n<b>x</b>",
            "| <i>a</i> |\n|---|\n| <b>c</b> |",
            "```<script>\n<script>\n```",
            "[^<b>]\n\n[^<b>]: x",
        ] {
            let page = written(text);
            for bad in ["<script", "<img", "<style", "<b>", "<i>a", "<!--"] {
                assert!(!page.contains(bad), "{text}: {page}");
            }
        }
    }

    /// The parser fills short rows with empty cells: a text of 5 KB made a page
    /// of 2 MB.
    #[test]
    fn rows_of_tables_end_with_their_last_text() {
        let rows = "| a | b | c |\n|---|---|---|\n| d |\n|  | e |\n";
        let page = written(rows);
        assert!(page.contains("<tr><td>d</td></tr>"), "{page}");
        assert!(page.contains("<tr><td></td><td>e</td></tr>"), "{page}");
        assert_eq!(page.matches("<td>").count(), 3);
    }

    #[test]
    fn links_have_a_known_scheme_and_pictures_are_links() {
        let link = "<p dir=\"auto\"><a rel=\"noopener noreferrer\" \
                    href=\"https://a.example/?b&amp;c\">d</a></p>";
        assert_eq!(written("[d](https://a.example/?b&c)"), link);
        for to in [
            "javascript:alert(1)",
            "JAVASCRIPT:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "//a.example/x",
            "java&Tab;script:x",
            "#a",
        ] {
            let page = written(&format!("[d]({to}) <{to}>"));
            assert!(!page.contains("href"), "{to}: {page}");
            assert!(page.contains('d'));
        }
        let page = written("![x](https://a.example/a.png)");
        assert!(!page.contains("<img") && page.contains("[picture: <a "));
        let page = written("[![x](http://a.example/)](http://b.example)");
        assert_eq!(page.matches("<a ").count(), 1, "{page}");
    }

    #[test]
    fn headings_are_no_headings_of_the_page() {
        assert_eq!(written("# a"), "<p class=\"h\" dir=\"auto\">a</p>");
    }
}
