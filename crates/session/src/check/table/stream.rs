/*!
The rules for stream-json.
*/

use crate::check::{
    Dialect,
    Level::Note,
    table::{
        ASSISTANT, Field, Need, Profile, RAW_EVENT, Row, SAID, Shape, USER,
        may, must,
    },
};

pub(crate) static STREAM: Profile = Profile {
    dialect: Dialect::Stream,
    unknown_type: None,
    // An agent may echo the messages of its host.
    same_again: Note,
    repeated: Note,
    out_of_order: Note,
    loose_end: Note,
    returns: false,
    rows: ROWS,
};

const STREAMED: &[Field] = &[
    may("uuid", Shape::Text),
    may("timestamp", Shape::Time),
    may("session_id", Shape::Text),
    may("parent_tool_use_id", Shape::Text),
];

static ROWS: &[Row] = &[
    Row {
        names: &["user"],
        fields: &[STREAMED, SAID, &[may("message/role", Shape::OneOf(USER))]],
    },
    Row {
        names: &["assistant"],
        fields: &[
            STREAMED,
            SAID,
            &[may("message/role", Shape::OneOf(ASSISTANT))],
        ],
    },
    Row {
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
        names: &["result"],
        fields: &[
            STREAMED,
            &[
                // A `result` in a transcript has no subtype.
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
        names: &["stream_event"],
        fields: &[
            STREAMED,
            &[must("event", Shape::Object), must("event/type", Shape::Text)],
        ],
    },
    Row {
        names: &["control_request"],
        fields: &[
            STREAMED,
            &[must("request_id", Shape::Text), may("request", Shape::Object)],
        ],
    },
    Row {
        names: &["control_cancel_request"],
        fields: &[STREAMED, &[must("request_id", Shape::Text)]],
    },
    Row {
        names: &["control_response"],
        fields: &[STREAMED, &[may("response", Shape::Object)]],
    },
    Row {
        names: &["rate_limit_event"],
        fields: &[STREAMED, &[must("rate_limit_info", Shape::Object).noted()]],
    },
    Row {
        names: &[RAW_EVENT],
        fields: &[&[
            must("event_type", Shape::Text),
            must("data", Shape::Any),
        ]],
    },
];
