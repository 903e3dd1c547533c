/*!
The rules for the events and the input of an agent server.
*/

use crate::check::{
    Dialect,
    Level::{Error, Note},
    table::{Field, Profile, Row, Shape, may, must},
};

pub(crate) static SERVER: Profile = Profile {
    dialect: Dialect::Server,
    unknown_type: Some(Note),
    same_again: Error,
    repeated: Error,
    out_of_order: Error,
    loose_end: Error,
    returns: false,
    rows: ROWS,
};

const OF_SESSION: &[Field] = &[must("session_id", Shape::Whole)];

const OF_TURN: &[Field] = &[
    must("turn_id", Shape::Object),
    must("turn_id/role", Shape::OneOf(&["User", "Assistant"])),
    must("turn_id/sequence", Shape::Whole),
];

const NEWS: &[Field] =
    &[must("message", Shape::Text), may("session_id", Shape::Whole)];

static ROWS: &[Row] = &[
    Row {
        names: &["TextChunk"],
        fields: &[OF_SESSION, OF_TURN, &[must("text", Shape::Text)]],
    },
    Row {
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
        names: &["ToolCompleted"],
        fields: &[
            OF_SESSION,
            &[must("tool_use_id", Shape::Text), must("result", Shape::Text)],
        ],
    },
    Row {
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
        names: &["BatchPermissionRequired"],
        fields: &[
            OF_SESSION,
            &[must("batch_id", Shape::Text), must("requests", Shape::Array)],
        ],
    },
    Row {
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
        names: &["TokenUpdate"],
        fields: &[
            OF_SESSION,
            &[
                must("input_tokens", Shape::Whole),
                must("output_tokens", Shape::Whole),
            ],
        ],
    },
    Row { names: &["Error", "System"], fields: &[NEWS] },
    Row {
        names: &["Display"],
        fields: &[OF_SESSION, &[must("content", Shape::Text)]],
    },
    Row {
        names: &["CommandComplete"],
        fields: &[OF_SESSION, &[must("command", Shape::Text)]],
    },
    Row {
        names: &["input"],
        fields: &[
            OF_SESSION,
            OF_TURN,
            &[must("content", Shape::Text), may("metadata", Shape::Object)],
        ],
    },
];
