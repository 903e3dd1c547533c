/*!
The texts of tool results.
*/

use std::borrow::Cow;

use linetape::{
    Value,
    message::{AnswerBlock, Block, Content, DocumentBlock},
};

use crate::conversation::{
    content::{Described, text_of_result},
    text::as_text,
};

/// The text of a tool result.
///
/// # Example
///
/// This shows the result of a search that the API ran.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::conversation::ResultText;
///
/// let line = br#"{"type":"assistant","message":{"content":[
///     {"type":"web_search_tool_result","tool_use_id":"t1","content":[
///         {"type":"web_search_result","title":"Tape","url":"https://t.example"}]}]}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let block = record.message().content_blocks().next().unwrap();
/// let result = ResultText::of_block(block);
/// assert_eq!(result.text, "Tape https://t.example");
/// assert!(!result.is_error);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResultText<'a> {
    /// The texts of all blocks. Of those that are not text, the type, the
    /// title and the address, and the text of a document.
    pub text: Cow<'a, str>,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl<'a> ResultText<'a> {
    /// Returns the result in a content block. It is empty if the block is not
    /// a result.
    pub fn of_block(block: Block<'a>) -> ResultText<'a> {
        match block {
            Block::ToolResult(answer) => ResultText::of_tool(*answer),
            Block::McpToolResult(answer) => ResultText::of_tool(*answer),
            Block::WebSearchToolResult(answer) => {
                ResultText::of_server(*answer)
            }
            Block::CodeExecutionToolResult(answer) => {
                ResultText::of_server(*answer)
            }
            Block::WebFetchToolResult(answer) => {
                ResultText::of_server(*answer)
            }
            Block::AdvisorToolResult(answer)
            | Block::BashCodeExecutionToolResult(answer)
            | Block::TextEditorCodeExecutionToolResult(answer)
            | Block::ToolSearchToolResult(answer) => {
                ResultText::of_server(answer)
            }
            _ => ResultText::default(),
        }
    }

    /// Returns the result of a tool that the agent ran.
    fn of_tool(block: AnswerBlock<'a>) -> ResultText<'a> {
        let text = match block.content() {
            None => Cow::Borrowed(""),
            Some(content) => match content.value() {
                value if value.is_null() => Cow::Borrowed(""),
                value if is_text(value) || value.as_array().is_some() => {
                    text_of_result(content)
                }
                value => value.to_string().into(),
            },
        };
        ResultText { text, is_error: block.is_error() }
    }

    /// Returns the result of a tool that the API ran: the pages of a search, a
    /// page or a file, the output of a program, or an error.
    fn of_server(block: AnswerBlock<'a>) -> ResultText<'a> {
        let content = block.content().map(Content::value);
        let Some(content) = content.filter(|content| !is_text(*content))
        else {
            return ResultText::of_tool(block);
        };
        let mut lines: Vec<String> = vec![];
        for key in TEXTS {
            let text = content.get(key).and_then(|text| text.as_str());
            let text = text.map(|text| text.trim_end().to_string());
            lines.extend(text.filter(|text| !text.is_empty()));
        }
        for key in LISTS {
            let list = content.get(key).and_then(|list| list.as_array());
            lines.extend(list.into_iter().flatten().map(one));
        }
        let inner = content.get("content").filter(|c| is_object(*c));
        lines.extend(inner.map(one));
        lines.extend(content.as_array().into_iter().flatten().map(one));
        let code = content.get("return_code").and_then(|code| code.as_i64());
        let error = content.get("error_code").filter(|e| !e.is_null());
        let failed = error.is_some() || code.is_some_and(|code| code != 0);
        ResultText {
            is_error: failed || block.is_error(),
            text: lines.join("\n").into(),
        }
    }

    /// Returns the number of lines of the text.
    pub fn lines(&self) -> usize {
        self.text.trim().lines().count()
    }
}

/// The members of results of the API that are texts.
const TEXTS: [&str; 8] = [
    "error_code",
    "error_message",
    "stdout",
    "stderr",
    "url",
    "title",
    "text",
    "content",
];

/// The members of results of the API that are lists: lines of a file, names of
/// tools.
const LISTS: [&str; 3] = ["lines", "tool_references", "content"];

/// Returns a part of a result: a line, a page, a document, a tool, or the type
/// of something else.
fn one(item: Value<'_>) -> String {
    let text = |key| item.get(key).and_then(|text: Value<'_>| text.as_str());
    if text("type") == Some("document") {
        let page = Described::of_document(DocumentBlock::new(item));
        return page.joined().into_owned();
    }
    let parts = [text("title"), text("url"), text("tool_name"), text("text")];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => match text("type") {
            Some(kind) => format!("({kind})"),
            None => as_text(item),
        },
        false => parts.join(" "),
    }
}

fn is_object(value: Value<'_>) -> bool {
    value.as_object().is_some()
}

fn is_text(value: Value<'_>) -> bool {
    value.as_str().is_some()
}
