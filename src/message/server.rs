/*!
Server: the events of an agent server, and what is sent to it.
*/

use crate::message::schema::views;

pub use crate::message::ui::{UiEvent, UiMessage};

macro_rules! server {
    ($each:ident) => {
        $each! {
            /// A piece of an answer that is coming in.
            struct TextChunk {
                /// The text; may end anywhere.
                text: str = "text",
                /// The session it is of.
                session_id: i64 = "session_id",
                /// The turn it is of.
                turn_id: TurnId = "turn_id",
            }
        }
        $each! {
            /// A tool begins.
            struct ToolExecuting {
                /// The call.
                tool_use_id: str = "tool_use_id",
                /// The tool's name.
                tool_name: str = "tool_name",
                /// What the tool is called with.
                input: json = "input",
                /// The session it is of.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// A tool ended.
            struct ToolCompleted {
                /// The call.
                tool_use_id: str = "tool_use_id",
                /// What it gave back, or what went wrong.
                result: str = "result",
                /// The session it is of.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// A turn ended.
            struct Complete {
                /// The session it is of.
                session_id: i64 = "session_id",
                /// The turn.
                turn_id: TurnId = "turn_id",
                /// Why it ended.
                stop_reason: ServerStopReason = "stop_reason",
            }
        }
        $each! {
            /// A tool needs leave.
            struct PermissionRequired {
                /// The call.
                tool_use_id: str = "tool_use_id",
                /// What it needs leave for.
                request: PermissionRequest = "request",
                /// The session it is of.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// Several tools need leave at once.
            struct BatchPermissionRequired {
                /// Identifies the requests together.
                batch_id: str = "batch_id",
                /// What they need leave for.
                requests: [PermissionRequest] = "requests",
                /// The session they are of.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// The agent asks the user something.
            struct UserInteractionRequired {
                /// The call that asks.
                tool_use_id: str = "tool_use_id",
                /// What it asks.
                request: AskUserQuestionsRequest = "request",
                /// The session it is of.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// The tokens that were used so far.
            struct TokenUpdate {
                /// Tokens read.
                input_tokens: u64 = "input_tokens",
                /// Tokens written.
                output_tokens: u64 = "output_tokens",
                /// The session it is of.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// Something went wrong.
            struct ServerError {
                /// What it was.
                message: str = "message",
                /// The session it is of; absent when it is of all.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// Something that the server has to say.
            struct ServerSystem {
                /// What it says.
                message: str = "message",
                /// The session it is of; absent when it is of all.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// Something to show to the user.
            struct Display {
                /// What to show.
                content: str = "content",
                /// The session it is of.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// A slash command ended.
            struct CommandComplete {
                /// The command.
                command: str = "command",
                /// The session it is of.
                session_id: i64 = "session_id",
            }
        }
        $each! {
            /// A turn of a conversation.
            struct TurnId {
                /// Whose turn it is.
                role: Role = "role",
                /// Which of their turns it is.
                sequence: u64 = "sequence",
            }
        }
        $each! {
            /// Whose turn it is.
            enum Role {
                /// The user's.
                User = "User",
                /// The model's.
                Assistant = "Assistant",
            }
        }
        $each! {
            /// Why a turn ended.
            enum ServerStopReason {
                /// The model had said all it wanted.
                EndTurn = "EndTurn",
                /// It reached the limit of tokens.
                MaxTokens = "MaxTokens",
                /// It wrote a stop sequence.
                StopSequence = "StopSequence",
                /// It waits for the result of a tool.
                ToolUse = "ToolUse",
            }
        }
        $each! {
            /// What a tool needs leave for.
            struct PermissionRequest {
                /// What kind of thing it would touch.
                target_type: TargetType = "target_type",
                /// The thing itself.
                target: str = "target",
                /// What it would do to it.
                level: PermissionLevel = "level",
                /// What it would do, in words.
                description: str = "description",
                /// Why it needs to.
                reason: str = "reason",
                /// Whether all below it is meant, too.
                recursive: bool = "recursive",
            }
        }
        $each! {
            /// What kind of thing a tool would touch.
            enum TargetType {
                /// A file or directory.
                Path = "Path",
                /// A domain of the network.
                Domain = "Domain",
                /// A command.
                Command = "Command",
            }
        }
        $each! {
            /// What a tool would do.
            enum PermissionLevel {
                /// Read.
                Read = "Read",
                /// Change.
                Write = "Write",
                /// Run.
                Execute = "Execute",
                /// Anything.
                Admin = "Admin",
            }
        }
        $each! {
            /// What the agent asks the user.
            struct AskUserQuestionsRequest {
                /// The questions.
                questions: [Question] = "questions",
            }
        }
        $each! {
            /// A question to the user.
            struct Question {
                /// Identifies the question.
                id: str = "id",
                /// The question.
                text: str = "text",
                /// What kind of answer is wanted.
                question_type: str = "question_type",
                /// The answers to choose from.
                options: [str] = "options",
                /// Whether it must be answered.
                required: bool = "required",
            }
        }
        $each! {
            /// What is sent to the agent.
            struct ControllerInputPayload {
                /// The session it is for.
                session_id: i64 = "session_id",
                /// What the user says.
                content: str = "content",
                /// The turn that it begins.
                turn_id: TurnId = "turn_id",
                /// Anything that the client adds.
                metadata: {json} = "metadata",
            }
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use server;
server!(views);
