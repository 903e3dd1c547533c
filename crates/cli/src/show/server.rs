//! Agent-server events, whose answers arrive in chunks.

use std::io;

use linetape::{Message, message::server::UiEvent};

use crate::show::{
    calls::Answer, conversation::Conversation, sheet::SPEECH,
    speakers::Speaker,
};

impl Conversation {
    /// Prints an event.
    pub fn event(
        &mut self,
        message: Message<'_>,
        event: UiEvent<'_>,
    ) -> io::Result<()> {
        match event {
            UiEvent::TextChunk(chunk) => {
                self.speak(Speaker::Assistant, message)?;
                let text = chunk.text().unwrap_or_default();
                let sheet = &mut self.sheet;
                self.chunks.add(text, |l| sheet.line(SPEECH, l))
            }
            UiEvent::ToolExecuting(call) => {
                self.call(message, call.tool_name(), call.input())
            }
            UiEvent::ToolCompleted(done) => {
                let text = done.result().unwrap_or_default().to_string();
                let (id, is_error) = (done.tool_use_id(), false);
                self.answer(message, &Answer { id, is_error, text })
            }
            UiEvent::Complete(_) => {
                self.known.forget_speaker();
                self.end_chunks()
            }
            _ => {
                let text = message.text().to_string();
                self.says(Speaker::Server, message, SPEECH, Some(&text))
            }
        }
    }
}
