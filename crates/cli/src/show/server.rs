//! Agent-server events, whose answers arrive in chunks.

use std::io;

use linetape::message::server::UiEvent;
use linetape_session::Facts;

use crate::show::{
    calls::Answer, conversation::Conversation, sheet::SPEECH,
    speakers::Speaker,
};

impl Conversation {
    /// Prints an event.
    pub fn event(
        &mut self,
        facts: &Facts<'_>,
        event: UiEvent<'_>,
    ) -> io::Result<()> {
        match event {
            UiEvent::TextChunk(chunk) => {
                self.speak(Speaker::Assistant, facts)?;
                let text = chunk.text().unwrap_or_default();
                let sheet = &mut self.sheet;
                self.chunks.add(text, |l| sheet.line(SPEECH, l))
            }
            UiEvent::ToolExecuting(call) => {
                self.call(facts, call.tool_name(), call.input())
            }
            UiEvent::ToolCompleted(done) => {
                let text = done.result().unwrap_or_default().to_string();
                let (id, is_error) = (done.tool_use_id(), false);
                self.answer(facts, &Answer { id, is_error, text })
            }
            UiEvent::Complete(_) => {
                self.known.forget_speaker();
                self.end_chunks()
            }
            _ => {
                let text = facts.message().text().to_string();
                self.says(Speaker::Server, facts, SPEECH, Some(&text))
            }
        }
    }
}
