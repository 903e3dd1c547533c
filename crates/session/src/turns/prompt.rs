/*!
Recognising prompts among the messages of the user.
*/

use linetape::message::{Block, stream::User};

/// Returns whether a message of the user without tool results is a prompt.
pub(crate) fn is_prompt(user: User<'_>) -> bool {
    let is_written_by_program = user.is_meta() == Some(true)
        || user.is_compact_summary() == Some(true)
        || user.is_synthetic() == Some(true) && user.origin().is_none();
    let outputs = ["<local-command-std", "<bash-stdout>", "<bash-stderr>"];
    let is_output =
        |text: &str| outputs.iter().any(|output| text.starts_with(output));
    let mut blocks = user.content();
    blocks.next().is_some_and(|block| !text(block).is_some_and(is_output))
        && !is_written_by_program
        && user.should_query() != Some(false)
}

/// Returns whether a message reports that the user interrupted the turn. The
/// agent program writes it with the role of the user.
pub(crate) fn is_interruption(user: User<'_>) -> bool {
    let mut texts = user.content().filter_map(text);
    texts.any(|text| text.starts_with("[Request interrupted by user"))
}

fn text(block: Block<'_>) -> Option<&str> {
    match block {
        Block::Text(text) => text.text(),
        _ => None,
    }
}
