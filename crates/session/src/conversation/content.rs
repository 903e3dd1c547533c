/*!
The texts of content blocks that are neither said nor called: documents, search
results, images.
*/

use std::borrow::Cow;

use linetape::message::{Block, Content, DocumentBlock, Source};

/// A content block in words.
pub(super) struct Described<'a> {
    /// Its type. Of a document or a search result: also its title and its
    /// address, in one line.
    pub(super) heading: Cow<'a, str>,
    /// The text of a document or a search result.
    pub(super) text: Option<String>,
}

impl<'a> Described<'a> {
    pub(super) fn of(block: Block<'a>) -> Described<'a> {
        let kind = kind_of(block);
        match block {
            Block::Document(document) => Described::of_document(document),
            Block::SearchResult(result) => {
                let names = [result.title(), result.source()];
                let text = result.content().map(text_of_content);
                Described::named(kind, names, text)
            }
            Block::ToolReference(tool) => {
                Described::named(kind, [tool.tool_name(), None], None)
            }
            _ => Described { heading: kind.into(), text: None },
        }
    }

    pub(super) fn of_document(document: DocumentBlock<'_>) -> Described<'a> {
        let source = document.source();
        let address = source.and_then(|source| source.url());
        let context = document.context().map(str::to_string);
        let text = source.and_then(text_of_source);
        let texts: Vec<String> = context.into_iter().chain(text).collect();
        let names = [document.title(), address];
        Described::named("document", names, Some(texts.join("\n")))
    }

    fn named(
        kind: &str,
        names: [Option<&str>; 2],
        text: Option<String>,
    ) -> Described<'a> {
        let names: Vec<&str> = names.into_iter().flatten().collect();
        let names = names.join(" ").replace('\n', " ");
        let heading = match names.is_empty() {
            true => kind.to_string(),
            false => format!("{kind}: {names}"),
        };
        let text = text.filter(|text| !text.trim().is_empty());
        Described { heading: heading.into(), text }
    }

    /// Returns the heading, and then the text.
    pub(super) fn joined(self) -> Cow<'a, str> {
        match self.text {
            Some(text) => format!("{}\n{text}", self.heading).into(),
            None => self.heading,
        }
    }

    /// Returns the heading in brackets, and then the text.
    fn in_result(self) -> String {
        match self.text {
            Some(text) => format!("({})\n{text}", self.heading),
            None => format!("({})", self.heading),
        }
    }
}

/// Returns the texts of the blocks of a tool result, and what the others are.
pub(super) fn text_of_result(content: Content<'_>) -> Cow<'_, str> {
    let mut pieces = content.blocks().map(|block| match block {
        Block::Text(text) => Cow::Borrowed(text.text().unwrap_or_default()),
        other => Described::of(other).in_result().into(),
    });
    let Some(first) = pieces.next() else { return Cow::Borrowed("") };
    let rest: Vec<Cow<'_, str>> = pieces.collect();
    match rest.is_empty() {
        true => first,
        false => format!("{first}\n{}", rest.join("\n")).into(),
    }
}

/// Returns the type of a block.
fn kind_of(block: Block<'_>) -> &str {
    let kind = block.value().get("type").and_then(|kind| kind.as_str());
    kind.unwrap_or("unknown block")
}

/// Returns the text of a document. `None` if it is encoded, or elsewhere.
fn text_of_source(source: Source<'_>) -> Option<String> {
    match source.kind() {
        Some("text") => source.data().map(str::to_string),
        _ => source.content().map(text_of_content),
    }
}

fn text_of_content(content: Content<'_>) -> String {
    let texts = content.blocks().filter_map(|block| match block {
        Block::Text(text) => text.text(),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
