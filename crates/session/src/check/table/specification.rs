/*!
The rules for the specification dialect: the early transcript format.
*/

use crate::check::{
    Dialect,
    Level::{Error, Note},
    table::{Field, Need, Profile, Row, Shape, may, must},
};

pub(crate) static SPECIFICATION: Profile = Profile {
    dialect: Dialect::Specification,
    unknown_type: Some(Note),
    same_again: Error,
    repeated: Error,
    out_of_order: Note,
    loose_end: Error,
    returns: true,
    rows: ROWS,
};

const CALL: &[&str] = &["tool_use"];

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

static ROWS: &[Row] = &[
    Row {
        names: &["user"],
        fields: &[
            SPECIFIED,
            &[must("message", Shape::Text)
                .needed(Need::Unless("subtype", &["command"]))],
        ],
    },
    Row {
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
];
