/*!
Translation of a message into events of an agent server.
*/

use std::collections::HashSet;

use linetape::{
    Value,
    message::{
        AnswerBlock, Block, FromValue, StopReason, ToolCall, Usage,
        control::CanUseTool,
        events::{ApiEvent, ContentBlockDelta, Delta, StreamEvent},
        results::ResultMessage,
        stream::{Assistant, User},
        system::{System, SystemMessage},
    },
    owned::server::{
        CommandComplete, Complete, Display, PermissionRequired, ServerError,
        ServerStopReason, ServerSystem, TextChunk, TokenUpdate, ToolCompleted,
        ToolExecuting, TurnId, UiMessage, UserInteractionRequired,
    },
};

use linetape_session::Facts;

use crate::{
    ask,
    call::{block_call, line_call},
    command::Command,
    json::json,
};

/// The tool that asks the user questions.
const ASKS: &str = "AskUserQuestion";

/// The state of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The number of turns that have ended.
    turns: u64,
    /// The id of the message that is being streamed.
    incoming: Option<Box<str>>,
    /// Whether some of its text was streamed.
    has_text: bool,
    stop_reason: Option<ServerStopReason>,
    /// The tokens of the last `TokenUpdate`.
    tokens: (u64, u64),
    /// The last called slash command, until its output.
    command: Option<Box<str>>,
}

impl State {
    fn turn(&self) -> TurnId {
        TurnId::new_assistant_turn(self.turns.saturating_add(1))
    }
}

pub(crate) fn said_text(said: Assistant<'_>) -> String {
    let texts = said.content().filter_map(|block| match block {
        Block::Text(text) => text.text(),
        _ => None,
    });
    texts.collect()
}

/// The events of the message that is being translated.
pub(crate) struct Events<'t> {
    pub(crate) list: Vec<UiMessage>,
    pub(crate) session: i64,
    /// The session of the message, if it has a session id.
    pub(crate) own: Option<i64>,
    pub(crate) state: &'t mut State,
    pub(crate) asked: &'t mut HashSet<Box<str>>,
    /// The ids of the lines that are calls without a result so far.
    pub(crate) called: &'t mut HashSet<Box<str>>,
}

impl Events<'_> {
    pub(crate) fn assistant(
        &mut self,
        said: Assistant<'_>,
        facts: &Facts<'_>,
    ) {
        let is_sidechain = facts.is_sidechain();
        // Text of a sub-agent is for the model and not for the user.
        let is_known = is_sidechain || self.was_streamed(facts.message_id());
        for block in said.content() {
            match block {
                Block::Text(text) if !is_known => {
                    self.text(text.text().unwrap_or_default());
                }
                other => {
                    if let Some(call) = block_call(other) {
                        self.tool(call);
                    }
                }
            }
        }
        if let Some(call) = line_call(facts) {
            if let Some(id) = call.id() {
                self.called.insert(id.into());
            }
            self.tool(call);
        }
        if is_sidechain {
            return;
        }
        let message = said.message();
        if let Some(reason) = message.and_then(|m| m.stop_reason()) {
            self.state.stop_reason = Some(stop_reason(reason));
        }
        if let Some(usage) = facts.usage() {
            self.tokens(usage);
        }
    }

    /// Returns whether the text of a message was streamed before.
    fn was_streamed(&mut self, id: Option<&str>) -> bool {
        if !self.state.has_text {
            return false;
        }
        if self.state.incoming.is_none() {
            // The log begins in the middle of a stream, and this is the
            // message of that stream.
            self.state.incoming = id.map(Box::from);
            self.state.has_text = id.is_some();
            return true;
        }
        self.state.incoming.as_deref() == id
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.list.push(UiMessage::TextChunk(TextChunk {
            text: Some(text.to_string()),
            session_id: Some(self.session),
            turn_id: Some(self.state.turn()),
            ..TextChunk::default()
        }));
    }

    pub(crate) fn stream(&mut self, event: StreamEvent<'_>) {
        match event.event() {
            Some(ApiEvent::MessageStart(start)) => {
                let message = start.message();
                let id = message.and_then(|message| message.id());
                self.state.incoming = id.map(Box::from);
                self.state.has_text = false;
                if let Some(usage) = message.and_then(|m| m.usage()) {
                    self.tokens(usage);
                }
            }
            Some(ApiEvent::ContentBlockDelta(delta)) => self.delta(delta),
            Some(ApiEvent::MessageDelta(delta)) => {
                let ending = delta.delta();
                if let Some(reason) = ending.and_then(|e| e.stop_reason()) {
                    self.state.stop_reason = Some(stop_reason(reason));
                }
                if let Some(usage) = delta.usage() {
                    self.tokens(usage);
                }
            }
            Some(ApiEvent::Error(error)) => {
                let said = error.error().and_then(|error| error.message());
                self.error(said.unwrap_or_default().to_string());
            }
            _ => {}
        }
    }

    fn delta(&mut self, delta: ContentBlockDelta<'_>) {
        if let Some(Delta::Text(delta)) = delta.delta() {
            self.state.has_text = true;
            self.text(delta.text().unwrap_or_default());
        }
    }

    /// Adds a `TokenUpdate`, if the tokens have changed.
    fn tokens(&mut self, usage: Usage<'_>) {
        let parts = [
            usage.input_tokens(),
            usage.cache_creation_input_tokens(),
            usage.cache_read_input_tokens(),
        ];
        let parts = parts.into_iter().flatten();
        let input = parts.reduce(u64::saturating_add);
        let (last_input, last_output) = self.state.tokens;
        let tokens = (
            input.unwrap_or(last_input),
            usage.output_tokens().unwrap_or(last_output),
        );
        if tokens == self.state.tokens {
            return;
        }
        self.state.tokens = tokens;
        self.list.push(UiMessage::TokenUpdate(TokenUpdate {
            input_tokens: Some(tokens.0),
            output_tokens: Some(tokens.1),
            session_id: Some(self.session),
            ..TokenUpdate::default()
        }));
    }

    fn tool(&mut self, call: ToolCall<'_>) {
        let id = call.id().unwrap_or_default();
        let input = call.input();
        self.list.push(UiMessage::ToolExecuting(ToolExecuting {
            tool_use_id: Some(id.to_string()),
            tool_name: Some(call.name().unwrap_or_default().to_string()),
            input: Some(input.map(json).unwrap_or_default()),
            session_id: Some(self.session),
            ..ToolExecuting::default()
        }));
        if call.name() == Some(ASKS) {
            self.ask(id, input);
        }
    }

    /// Adds a `UserInteractionRequired`, once for each call.
    fn ask(&mut self, id: &str, input: Option<Value<'_>>) {
        if self.asked.contains(id) {
            return;
        }
        self.asked.insert(id.into());
        let asked = UserInteractionRequired {
            tool_use_id: Some(id.to_string()),
            request: Some(ask::questions(input)),
            session_id: Some(self.session),
            ..UserInteractionRequired::default()
        };
        self.list.push(UiMessage::UserInteractionRequired(asked));
    }

    pub(crate) fn can_use_tool(&mut self, ask: CanUseTool<'_>) {
        let id = ask.tool_use_id().unwrap_or_default();
        if ask.tool_name() == Some(ASKS) {
            return self.ask(id, ask.input());
        }
        let required = PermissionRequired {
            tool_use_id: Some(id.to_string()),
            request: Some(ask::permission(ask)),
            session_id: Some(self.session),
            ..PermissionRequired::default()
        };
        self.list.push(UiMessage::PermissionRequired(required));
    }

    pub(crate) fn user(&mut self, user: User<'_>) {
        for block in user.content() {
            match block {
                Block::ToolResult(result) => self.tool_result(*result),
                Block::Text(text) => {
                    self.command(text.text().unwrap_or_default());
                }
                _ => {}
            }
        }
    }

    fn tool_result(&mut self, result: AnswerBlock<'_>) {
        let id = result.tool_use_id().unwrap_or_default();
        let pieces: Vec<&str> = result.text().collect();
        let text = pieces.join("\n");
        self.completed(id, text);
    }

    fn completed(&mut self, id: &str, text: String) {
        self.asked.remove(id);
        self.list.push(UiMessage::ToolCompleted(ToolCompleted {
            tool_use_id: Some(id.to_string()),
            result: Some(text),
            session_id: Some(self.session),
            ..ToolCompleted::default()
        }));
    }

    /// Adds the events of a slash command. Returns whether the text is the
    /// call or the output of one.
    fn command(&mut self, text: &str) -> bool {
        match Command::read(text) {
            None => return false,
            Some(Command::Called(name)) => {
                self.state.command = Some(name.into());
            }
            Some(Command::Wrote(output)) => {
                if !output.is_empty() {
                    self.list.push(UiMessage::Display(Display {
                        content: Some(output.to_string()),
                        session_id: Some(self.session),
                        ..Display::default()
                    }));
                }
                if let Some(command) = self.state.command.take() {
                    self.command_complete(command.into_string());
                }
            }
        }
        true
    }

    fn command_complete(&mut self, command: String) {
        self.list.push(UiMessage::CommandComplete(CommandComplete {
            command: Some(command),
            session_id: Some(self.session),
            ..CommandComplete::default()
        }));
    }

    pub(crate) fn result(
        &mut self,
        result: ResultMessage<'_>,
        is_error: bool,
    ) {
        if let Some(command) = result.local_command() {
            self.command_complete(command.to_string());
        }
        let last = self.state.stop_reason.take();
        if is_error {
            self.error(error_text(result));
        } else {
            let own = result.stop_reason().map(stop_reason);
            let reason = own.or(last).unwrap_or(ServerStopReason::EndTurn);
            self.list.push(UiMessage::Complete(Complete {
                session_id: Some(self.session),
                turn_id: Some(self.state.turn()),
                stop_reason: Some(reason),
                ..Complete::default()
            }));
        }
        self.state.turns = self.state.turns.saturating_add(1);
        self.state.incoming = None;
        self.state.has_text = false;
    }

    pub(crate) fn system(&mut self, system: System<'_>, facts: &Facts<'_>) {
        let Some(common) = SystemMessage::from_value(system.value()) else {
            return;
        };
        let shown = match system {
            System::Notification(note) => note.text(),
            _ => None,
        };
        let said = common.content().or_else(|| common.message()).or(shown);
        if let (System::LocalCommand(_), Some(said)) = (system, said)
            && self.command(said)
        {
            return;
        }
        let is_error = facts.is_error();
        let answers = matches!(system, System::ToolResult(_));
        if let Some(id) = facts.parent_uuid()
            && (answers || is_error)
        {
            // An error need not be the result of a call.
            let is_open = self.called.remove(id);
            if answers || is_open {
                let said = said.unwrap_or_default().to_string();
                return self.completed(id, said);
            }
        }
        let said = said.or_else(|| common.subtype());
        let message = said.unwrap_or_default().to_string();
        if is_error {
            return self.error(message);
        }
        self.list.push(UiMessage::System(ServerSystem {
            message: Some(message),
            session_id: self.own,
            ..ServerSystem::default()
        }));
    }

    pub(crate) fn error(&mut self, message: String) {
        self.list.push(UiMessage::Error(ServerError {
            message: Some(message),
            session_id: self.own,
            ..ServerError::default()
        }));
    }
}

/// Maps a stop reason to one of the four that a server has. A refusal or a
/// pause is the end of the turn.
fn stop_reason(reason: StopReason<'_>) -> ServerStopReason {
    match reason {
        StopReason::MaxTokens | StopReason::ContextWindowExceeded => {
            ServerStopReason::MaxTokens
        }
        StopReason::StopSequence => ServerStopReason::StopSequence,
        StopReason::ToolUse => ServerStopReason::ToolUse,
        _ => ServerStopReason::EndTurn,
    }
}

/// Returns the most specific description of an error: `error`, `errors`,
/// `result`, or the subtype.
fn error_text(result: ResultMessage<'_>) -> String {
    if let Some(error) = result.error() {
        return error.to_string();
    }
    let errors = result.errors().into_iter().flatten();
    let errors: Vec<&str> = errors.collect();
    if !errors.is_empty() {
        return errors.join("\n");
    }
    let said = result.result().filter(|said| !said.is_empty());
    let kind = result.subtype().map(|subtype| subtype.as_str());
    said.or(kind).unwrap_or_default().to_string()
}
