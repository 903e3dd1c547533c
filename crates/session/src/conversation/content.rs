/*!
The texts of content blocks that are neither said nor called: documents, search
results, images.
*/

use std::borrow::Cow;

use linetape::message::{Block, Content, Source};

/// Returns the type of a block. Of a document or a search result: also its
/// title and its address in the same line, and then its text.
pub(super) fn described(block: Block<'_>) -> Cow<'_, str> {
    let kind = kind_of(block);
    let (names, text) = match block {
        Block::Document(document) => {
            let source = document.source();
            let address = source.and_then(|source| source.url());
            let text = source.and_then(text_of_source);
            ([document.title(), address], text)
        }
        Block::SearchResult(result) => {
            let text = result.content().map(text_of_content);
            ([result.title(), result.source()], text)
        }
        _ => return kind.into(),
    };
    let names: Vec<&str> = names.into_iter().flatten().collect();
    let heading = match names.is_empty() {
        true => kind.to_string(),
        false => format!("{kind}: {}", names.join(" ").replace('\n', " ")),
    };
    match text.filter(|text| !text.trim().is_empty()) {
        Some(text) => format!("{heading}\n{text}").into(),
        None => heading.into(),
    }
}

/// Returns the type of a block.
pub(super) fn kind_of(block: Block<'_>) -> &str {
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
