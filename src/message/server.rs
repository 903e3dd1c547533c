/*!
Agent servers: their events, and the input that they accept.
*/

use crate::message::schema::views;

pub use crate::message::ui::{UiEvent, UiMessage};

macro_rules! server {
    ($to:ident) => {
        $to! {
            /// A chunk of the answer's text.
            struct TextChunk {
                /// The text; may end in the middle of a word.
                text: str = "text",
                /// The identifier of the session.
                session_id: i64 = "session_id",
                /// The turn of the answer.
                turn_id: TurnId = "turn_id",
            }

            /// The start of a tool use.
            struct ToolExecuting {
                /// The identifier of the tool use.
                tool_use_id: str = "tool_use_id",
                /// The name of the tool.
                tool_name: str = "tool_name",
                /// The input of the tool.
                input: json = "input",
                /// The identifier of the session.
                session_id: i64 = "session_id",
            }

            /// The end of a tool use.
            struct ToolCompleted {
                /// The identifier of the tool use.
                tool_use_id: str = "tool_use_id",
                /// The output of the tool, or its error message.
                result: str = "result",
                /// The identifier of the session.
                session_id: i64 = "session_id",
            }

            /// The end of a turn.
            struct Complete {
                /// The identifier of the session.
                session_id: i64 = "session_id",
                /// The turn.
                turn_id: TurnId = "turn_id",
                /// The stop reason.
                stop_reason: ServerStopReason = "stop_reason",
            }

            /// A tool use that requires permission.
            struct PermissionRequired {
                /// The identifier of the tool use.
                tool_use_id: str = "tool_use_id",
                /// The requested permission.
                request: PermissionRequest = "request",
                /// The identifier of the session.
                session_id: i64 = "session_id",
            }

            /// Several tool uses that require permission.
            struct BatchPermissionRequired {
                /// The identifier of the batch.
                batch_id: str = "batch_id",
                /// The requested permissions.
                requests: [PermissionRequest] = "requests",
                /// The identifier of the session.
                session_id: i64 = "session_id",
            }

            /// Questions that the user has to answer.
            struct UserInteractionRequired {
                /// The identifier of the tool use that asks.
                tool_use_id: str = "tool_use_id",
                /// The questions.
                request: AskUserQuestionsRequest = "request",
                /// The identifier of the session.
                session_id: i64 = "session_id",
            }

            /// The token usage so far.
            struct TokenUpdate {
                /// The input tokens.
                input_tokens: u64 = "input_tokens",
                /// The output tokens.
                output_tokens: u64 = "output_tokens",
                /// The identifier of the session.
                session_id: i64 = "session_id",
            }

            /// An error.
            struct ServerError {
                /// The error message.
                message: str = "message",
                /// The identifier of the session; absent if the error concerns
                /// all sessions.
                session_id: i64 = "session_id",
            }

            /// A message from the server itself.
            struct ServerSystem {
                /// The text of the message.
                message: str = "message",
                /// The identifier of the session; absent if the message
                /// concerns all sessions.
                session_id: i64 = "session_id",
            }

            /// Text to display to the user.
            struct Display {
                /// The text.
                content: str = "content",
                /// The identifier of the session.
                session_id: i64 = "session_id",
            }

            /// The end of a slash command.
            struct CommandComplete {
                /// The command.
                command: str = "command",
                /// The identifier of the session.
                session_id: i64 = "session_id",
            }

            /// The identifier of a turn.
            struct TurnId {
                /// The author of the turn.
                role: Role = "role",
                /// The sequence number of the turn among its author's turns.
                sequence: u64 = "sequence",
            }

            /// The author of a turn.
            enum Role {
                /// The user.
                User = "User",
                /// The model.
                Assistant = "Assistant",
            }

            /// The stop reason of a turn.
            enum ServerStopReason {
                /// The model finished its turn.
                EndTurn = "EndTurn",
                /// The model reached the maximum number of output tokens.
                MaxTokens = "MaxTokens",
                /// The model generated a stop sequence.
                StopSequence = "StopSequence",
                /// The model called a tool and waits for its result.
                ToolUse = "ToolUse",
            }

            /// A permission that a tool requests.
            struct PermissionRequest {
                /// The type of the target.
                target_type: TargetType = "target_type",
                /// The target: a path, domain or command.
                target: str = "target",
                /// The level of access.
                level: PermissionLevel = "level",
                /// A description of the operation.
                description: str = "description",
                /// The reason for the request.
                reason: str = "reason",
                /// Whether the permission includes everything below the
                /// target.
                recursive: bool = "recursive",
            }

            /// The type of a permission's target.
            enum TargetType {
                /// A file or directory.
                Path = "Path",
                /// A network domain.
                Domain = "Domain",
                /// A command.
                Command = "Command",
            }

            /// The level of access that a permission grants.
            enum PermissionLevel {
                /// Read access.
                Read = "Read",
                /// Write access.
                Write = "Write",
                /// Execute access.
                Execute = "Execute",
                /// Full access.
                Admin = "Admin",
            }

            /// Questions to the user.
            struct AskUserQuestionsRequest {
                /// The questions.
                questions: [Question] = "questions",
            }

            /// A question to the user.
            struct Question {
                /// The identifier of the question.
                id: str = "id",
                /// The text of the question.
                text: str = "text",
                /// The type of answer.
                question_type: str = "question_type",
                /// The answers to choose from.
                options: [str] = "options",
                /// Whether an answer is required.
                required: bool = "required",
            }

            /// Input for an agent server.
            struct ControllerInputPayload {
                /// The identifier of the session.
                session_id: i64 = "session_id",
                /// The text of the user.
                content: str = "content",
                /// The turn that the input starts.
                turn_id: TurnId = "turn_id",
                /// Additional data from the client.
                metadata: {json} = "metadata",
            }
        }
    };
}
pub(crate) use server;
server!(views);
