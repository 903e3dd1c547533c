/*!
What each dialect asks of each type of message, as data.

A [`Profile`] is what a dialect makes of things that are odd. A [`Row`] is what
a type of message must have and may have. Nothing else in this folder knows a
field by its name, apart from those that link messages to each other.
*/

use crate::session::check::{
    Dialect::{self, Server, Specification, Stream, Transcript},
    Level::{self, Error, Note},
    Rule,
};

/// What a dialect makes of things that are odd.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) dialect: Dialect,
    /// A type that is not in the table. `None`: new ones are no surprise.
    pub(crate) unknown_type: Option<Level>,
    /// A message that comes again as it was, with its uuid.
    pub(crate) same_again: Level,
    /// Two results for one call, or two calls with one id that need not be
    /// of two messages.
    pub(crate) repeated: Level,
    /// A child before its parent, or a result before its call.
    pub(crate) out_of_order: Level,
    /// A lost parent of a line that neither the user nor the model wrote.
    pub(crate) loose_end: Level,
    /// Whether the main conversation may go on from the end of a sidechain.
    pub(crate) returns: bool,
}

pub(crate) fn profile(dialect: Dialect) -> &'static Profile {
    match dialect {
        Specification => &Profile {
            dialect: Specification,
            unknown_type: Some(Note),
            same_again: Error,
            repeated: Error,
            out_of_order: Note,
            loose_end: Error,
            returns: true,
        },
        Transcript => &Profile {
            dialect: Transcript,
            unknown_type: None,
            // A session that is resumed may write its past again.
            same_again: Note,
            // Something may have been done again on another branch.
            repeated: Note,
            out_of_order: Note,
            // News of a message are written at once, the message later. If
            // a compaction comes between, it is never written.
            loose_end: Note,
            returns: false,
        },
        Stream => &Profile {
            dialect: Stream,
            unknown_type: None,
            // What the host sends may be given back to it.
            same_again: Note,
            repeated: Note,
            out_of_order: Note,
            loose_end: Note,
            returns: false,
        },
        Server => &Profile {
            dialect: Server,
            unknown_type: Some(Note),
            same_again: Error,
            repeated: Error,
            out_of_order: Error,
            loose_end: Error,
            returns: false,
        },
    }
}

/// What a type of message has.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) dialect: Dialect,
    /// The types; an event of a server is known by its key.
    pub(crate) names: &'static [&'static str],
    pub(crate) fields: &'static [&'static [Field]],
}

/// A field, and what it has to be. A field that is null is not there, unless
/// it can be anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Its key. `message/content` is in the object `message`, and nothing is
    /// asked of it if that is no object.
    pub(crate) key: &'static str,
    pub(crate) shape: Shape,
    pub(crate) need: Need,
    /// The rule that is broken if it is not there or has another shape,
    /// if it is not the usual one.
    pub(crate) rule: Option<Rule>,
    pub(crate) level: Level,
}

/// What a value has to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Any,
    Text,
    /// Text that is not empty.
    Name,
    /// Text that is one of these.
    OneOf(&'static [&'static str]),
    /// A time as ISO 8601 has it.
    Time,
    Flag,
    Whole,
    Number,
    Object,
    Array,
    /// A string, or blocks.
    Content,
}

/// When a field has to be there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Need {
    Never,
    Always,
    /// When a string of the message is one of these.
    If(&'static str, &'static [&'static str]),
    /// The same, and else it must not be there.
    OnlyIf(&'static str, &'static [&'static str]),
    /// When it is none of these.
    Unless(&'static str, &'static [&'static str]),
}

const fn may(key: &'static str, shape: Shape) -> Field {
    Field { key, shape, need: Need::Never, rule: None, level: Error }
}

const fn must(key: &'static str, shape: Shape) -> Field {
    may(key, shape).needed(Need::Always)
}

impl Field {
    const fn needed(self, need: Need) -> Field {
        Field { need, ..self }
    }

    const fn noted(self) -> Field {
        Field { level: Note, ..self }
    }

    /// It is part of a call of a tool.
    const fn of_call(self) -> Field {
        Field { rule: Some(Rule::ToolCall), ..self }
    }
}

/// What is asked of a message whose type is not in the table.
pub(crate) static UNKNOWN: &[Field] =
    &[may("uuid", Shape::Text).noted(), may("timestamp", Shape::Time).noted()];

const USER: &[&str] = &["user"];
const ASSISTANT: &[&str] = &["assistant"];
const CALL: &[&str] = &["tool_use"];

// ---- the specification -----------------------------------------------------

const SPECIFIED: &[Field] = &[
    must("uuid", Shape::Text),
    must("timestamp", Shape::Time),
    must("sessionId", Shape::Text),
    may("parentUuid", Shape::Text),
    may("isSidechain", Shape::Flag),
    may("isDeleted", Shape::Flag),
    may("isAborted", Shape::Flag),
    may("userType", Shape::Text),
];

// ---- transcripts -----------------------------------------------------------

const SAVED: &[Field] = &[
    must("uuid", Shape::Text),
    must("timestamp", Shape::Time),
    must("sessionId", Shape::Text),
    may("parentUuid", Shape::Text),
    may("logicalParentUuid", Shape::Text),
    must("isSidechain", Shape::Flag).noted(),
    may("agentId", Shape::Text),
    may("isMeta", Shape::Flag),
];

/// Lines about a session, which are not part of the conversation.
const ABOUT: &[Field] = &[
    may("uuid", Shape::Text),
    may("timestamp", Shape::Time),
    must("sessionId", Shape::Text).noted(),
];

// ---- streams ---------------------------------------------------------------

const STREAMED: &[Field] = &[
    may("uuid", Shape::Text),
    may("timestamp", Shape::Time),
    may("session_id", Shape::Text),
    may("parent_tool_use_id", Shape::Text),
];

/// What the user or the model says, in transcripts and streams.
const SAID: &[Field] = &[
    must("message", Shape::Object),
    must("message/content", Shape::Content),
    may("message/id", Shape::Text),
];

// ---- servers ---------------------------------------------------------------

const OF_SESSION: &[Field] = &[must("session_id", Shape::Whole)];

const OF_TURN: &[Field] = &[
    must("turn_id", Shape::Object),
    must("turn_id/role", Shape::OneOf(&["User", "Assistant"])),
    must("turn_id/sequence", Shape::Whole),
];

const NEWS: &[Field] =
    &[must("message", Shape::Text), may("session_id", Shape::Whole)];

/// What each dialect asks of each type of message.
pub(crate) static ROWS: &[Row] = &[
    Row {
        dialect: Specification,
        names: &["user"],
        fields: &[
            SPECIFIED,
            &[must("message", Shape::Text)
                .needed(Need::Unless("subtype", &["command"]))],
        ],
    },
    Row {
        dialect: Specification,
        names: &["assistant"],
        fields: &[
            SPECIFIED,
            &[
                may(
                    "subtype",
                    Shape::OneOf(&[
                        "response", "tool_use", "thinking", "command", "error",
                    ]),
                )
                .noted(),
                may("message", Shape::Text).needed(Need::If(
                    "subtype",
                    &["response", "thinking", "error"],
                )),
                may("toolName", Shape::Name)
                    .needed(Need::OnlyIf("subtype", CALL))
                    .of_call(),
                may("toolArguments", Shape::Object)
                    .needed(Need::OnlyIf("subtype", CALL))
                    .of_call(),
            ],
        ],
    },
    Row {
        dialect: Specification,
        names: &["system"],
        fields: &[
            SPECIFIED,
            &[
                may(
                    "subtype",
                    Shape::OneOf(&["tool_result", "error", "meta"]),
                )
                .noted(),
                may("message", Shape::Text)
                    .needed(Need::Unless("subtype", &["meta"])),
                may("isError", Shape::Flag),
                may("isMeta", Shape::Flag),
                may("isError", Shape::Any)
                    .needed(Need::If("subtype", &["error"]))
                    .noted(),
                may("isMeta", Shape::Any)
                    .needed(Need::If("subtype", &["meta"]))
                    .noted(),
            ],
        ],
    },
    Row {
        dialect: Specification,
        names: &["compact_system"],
        fields: &[
            SPECIFIED,
            &[
                must(
                    "message",
                    Shape::OneOf(&[
                        "conversation_compacting",
                        "conversation_compacted",
                        "conversation_restoring",
                        "conversation_restored",
                    ]),
                ),
                may("metadata", Shape::Object)
                    .needed(Need::If("message", &["conversation_compacted"])),
            ],
        ],
    },
    Row {
        dialect: Transcript,
        names: &["user"],
        fields: &[SAVED, SAID, &[may("message/role", Shape::OneOf(USER))]],
    },
    Row {
        dialect: Transcript,
        names: &["assistant"],
        fields: &[
            SAVED,
            SAID,
            &[may("message/role", Shape::OneOf(ASSISTANT))],
        ],
    },
    Row {
        dialect: Transcript,
        names: &["system"],
        fields: &[SAVED, &[must("subtype", Shape::Text).noted()]],
    },
    Row {
        dialect: Transcript,
        names: &["progress"],
        fields: &[SAVED, &[must("data", Shape::Object)]],
    },
    Row {
        dialect: Transcript,
        names: &["attachment"],
        fields: &[SAVED, &[must("attachment", Shape::Object)]],
    },
    Row {
        dialect: Transcript,
        names: &["summary"],
        fields: &[&[
            must("summary", Shape::Text),
            must("leafUuid", Shape::Text).noted(),
        ]],
    },
    Row {
        dialect: Transcript,
        names: &["file-history-snapshot"],
        fields: &[&[
            must("messageId", Shape::Text),
            must("snapshot", Shape::Object),
        ]],
    },
    Row {
        dialect: Transcript,
        names: &["queue-operation"],
        fields: &[ABOUT, &[must("operation", Shape::Text)]],
    },
    Row {
        dialect: Transcript,
        names: &["pr-link"],
        fields: &[ABOUT, &[must("prUrl", Shape::Text)]],
    },
    Row {
        dialect: Transcript,
        names: &["ai-title"],
        fields: &[ABOUT, &[must("aiTitle", Shape::Text)]],
    },
    Row {
        dialect: Transcript,
        names: &["custom-title"],
        fields: &[ABOUT, &[must("customTitle", Shape::Text)]],
    },
    Row {
        dialect: Transcript,
        names: &["last-prompt"],
        fields: &[ABOUT, &[may("lastPrompt", Shape::Text)]],
    },
    Row {
        dialect: Stream,
        names: &["user"],
        fields: &[STREAMED, SAID, &[may("message/role", Shape::OneOf(USER))]],
    },
    Row {
        dialect: Stream,
        names: &["assistant"],
        fields: &[
            STREAMED,
            SAID,
            &[may("message/role", Shape::OneOf(ASSISTANT))],
        ],
    },
    Row {
        dialect: Stream,
        names: &["system"],
        fields: &[
            STREAMED,
            &[
                must("subtype", Shape::Text),
                may("session_id", Shape::Any)
                    .needed(Need::If("subtype", &["init"])),
            ],
        ],
    },
    Row {
        dialect: Stream,
        names: &["result"],
        fields: &[
            STREAMED,
            &[
                // Saved results have none.
                must("subtype", Shape::Text).noted(),
                may("is_error", Shape::Flag),
                may("num_turns", Shape::Whole),
                may("duration_ms", Shape::Number),
                may("total_cost_usd", Shape::Number),
                may("usage", Shape::Object),
            ],
        ],
    },
    Row {
        dialect: Stream,
        names: &["stream_event"],
        fields: &[
            STREAMED,
            &[must("event", Shape::Object), must("event/type", Shape::Text)],
        ],
    },
    Row {
        dialect: Stream,
        names: &["control_request", "control_cancel_request"],
        fields: &[
            STREAMED,
            &[must("request_id", Shape::Text), may("request", Shape::Object)],
        ],
    },
    Row {
        dialect: Stream,
        names: &["control_response"],
        fields: &[STREAMED, &[may("response", Shape::Object)]],
    },
    Row {
        dialect: Stream,
        names: &["rate_limit_event"],
        fields: &[STREAMED, &[must("rate_limit_info", Shape::Object).noted()]],
    },
    Row {
        dialect: Stream,
        names: &[RAW_EVENT],
        fields: &[&[
            must("event_type", Shape::Text),
            must("data", Shape::Any),
        ]],
    },
    Row {
        dialect: Server,
        names: &["TextChunk"],
        fields: &[OF_SESSION, OF_TURN, &[must("text", Shape::Text)]],
    },
    Row {
        dialect: Server,
        names: &["ToolExecuting"],
        fields: &[
            OF_SESSION,
            &[
                must("tool_use_id", Shape::Text).of_call(),
                must("tool_name", Shape::Name).of_call(),
                must("input", Shape::Any).of_call(),
            ],
        ],
    },
    Row {
        dialect: Server,
        names: &["ToolCompleted"],
        fields: &[
            OF_SESSION,
            &[must("tool_use_id", Shape::Text), must("result", Shape::Text)],
        ],
    },
    Row {
        dialect: Server,
        names: &["Complete"],
        fields: &[
            OF_SESSION,
            OF_TURN,
            &[must(
                "stop_reason",
                Shape::OneOf(&[
                    "EndTurn",
                    "MaxTokens",
                    "StopSequence",
                    "ToolUse",
                ]),
            )],
        ],
    },
    Row {
        dialect: Server,
        names: &["PermissionRequired"],
        fields: &[
            OF_SESSION,
            &[
                must("tool_use_id", Shape::Text),
                must("request", Shape::Object),
                must(
                    "request/target_type",
                    Shape::OneOf(&["Path", "Domain", "Command"]),
                ),
                must("request/target", Shape::Text),
                must(
                    "request/level",
                    Shape::OneOf(&["Read", "Write", "Execute", "Admin"]),
                ),
                must("request/description", Shape::Text),
                may("request/reason", Shape::Text),
                must("request/recursive", Shape::Flag),
            ],
        ],
    },
    Row {
        dialect: Server,
        names: &["BatchPermissionRequired"],
        fields: &[
            OF_SESSION,
            &[must("batch_id", Shape::Text), must("requests", Shape::Array)],
        ],
    },
    Row {
        dialect: Server,
        names: &["UserInteractionRequired"],
        fields: &[
            OF_SESSION,
            &[
                must("tool_use_id", Shape::Text),
                must("request", Shape::Object),
                must("request/questions", Shape::Array),
            ],
        ],
    },
    Row {
        dialect: Server,
        names: &["TokenUpdate"],
        fields: &[
            OF_SESSION,
            &[
                must("input_tokens", Shape::Whole),
                must("output_tokens", Shape::Whole),
            ],
        ],
    },
    Row { dialect: Server, names: &["Error", "System"], fields: &[NEWS] },
    Row {
        dialect: Server,
        names: &["Display"],
        fields: &[OF_SESSION, &[must("content", Shape::Text)]],
    },
    Row {
        dialect: Server,
        names: &["CommandComplete"],
        fields: &[OF_SESSION, &[must("command", Shape::Text)]],
    },
    Row {
        dialect: Server,
        names: &["input"],
        fields: &[
            OF_SESSION,
            OF_TURN,
            &[must("content", Shape::Text), may("metadata", Shape::Object)],
        ],
    },
];

/// What an event without a type is called here. No type is.
pub(crate) const RAW_EVENT: &str = "(event)";

/// What a block is, to those who pair calls with results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A call of a tool that the agent runs.
    Call,
    /// A call of a tool that the API runs.
    RemoteCall,
    Result,
    /// Neither.
    Other,
}

/// A kind of block. Those that are not listed may stand anywhere.
#[derive(Debug)]
pub(crate) struct BlockRow {
    pub(crate) kind: &'static str,
    pub(crate) part: Part,
    /// The types of messages that it stands in.
    pub(crate) within: &'static [&'static str],
    pub(crate) fields: &'static [Field],
}

const ANY: &[&str] = &["user", "assistant"];

const CALL_FIELDS: &[Field] = &[
    must("id", Shape::Name).of_call(),
    must("name", Shape::Name).of_call(),
    must("input", Shape::Object).of_call(),
];

const RESULT_FIELDS: &[Field] =
    &[must("tool_use_id", Shape::Name), may("is_error", Shape::Flag)];

/// What blocks are asked for. The text of a block may be lost on the way
/// through a gateway, so its absence is a note.
pub(crate) static BLOCKS: &[BlockRow] = &[
    BlockRow {
        kind: "text",
        part: Part::Other,
        within: ANY,
        fields: &[must("text", Shape::Text).noted()],
    },
    BlockRow {
        kind: "thinking",
        part: Part::Other,
        within: ASSISTANT,
        fields: &[must("thinking", Shape::Text).noted()],
    },
    BlockRow {
        kind: "tool_use",
        part: Part::Call,
        within: ASSISTANT,
        fields: CALL_FIELDS,
    },
    BlockRow {
        kind: "tool_result",
        part: Part::Result,
        within: USER,
        fields: RESULT_FIELDS,
    },
    BlockRow {
        kind: "server_tool_use",
        part: Part::RemoteCall,
        within: ASSISTANT,
        fields: CALL_FIELDS,
    },
    BlockRow {
        kind: "mcp_tool_use",
        part: Part::RemoteCall,
        within: ASSISTANT,
        fields: CALL_FIELDS,
    },
];

/// Results of tools that the API runs: `web_search_tool_result` and others,
/// all of which end like this.
pub(crate) static REMOTE_RESULT: BlockRow = BlockRow {
    kind: "_tool_result",
    part: Part::Result,
    within: ANY,
    fields: &[must("tool_use_id", Shape::Name)],
};
