/*!
The rules for transcripts as agents save them.
*/

use crate::check::{
    Dialect,
    Level::Note,
    table::{ASSISTANT, Field, Profile, Row, SAID, Shape, USER, may, must},
};

pub(crate) static TRANSCRIPT: Profile = Profile {
    dialect: Dialect::Transcript,
    unknown_type: None,
    // A resumed session may repeat its earlier messages.
    same_again: Note,
    // Another branch may repeat a call.
    repeated: Note,
    out_of_order: Note,
    // Progress lines are written at once, and their parent later. If a
    // compaction comes first, the parent is never written.
    loose_end: Note,
    returns: false,
    rows: ROWS,
};

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

/// The fields of lines about a session, which are not part of the
/// conversation.
const ABOUT: &[Field] = &[
    may("uuid", Shape::Text),
    may("timestamp", Shape::Time),
    must("sessionId", Shape::Text).noted(),
];

static ROWS: &[Row] = &[
    Row {
        names: &["user"],
        fields: &[SAVED, SAID, &[may("message/role", Shape::OneOf(USER))]],
    },
    Row {
        names: &["assistant"],
        fields: &[
            SAVED,
            SAID,
            &[may("message/role", Shape::OneOf(ASSISTANT))],
        ],
    },
    Row {
        names: &["system"],
        fields: &[SAVED, &[must("subtype", Shape::Text).noted()]],
    },
    Row {
        names: &["progress"],
        fields: &[SAVED, &[must("data", Shape::Object)]],
    },
    Row {
        names: &["attachment"],
        fields: &[SAVED, &[must("attachment", Shape::Object)]],
    },
    Row {
        names: &["summary"],
        fields: &[&[
            must("summary", Shape::Text),
            must("leafUuid", Shape::Text).noted(),
        ]],
    },
    Row {
        names: &["file-history-snapshot"],
        fields: &[&[
            must("messageId", Shape::Text),
            must("snapshot", Shape::Object),
        ]],
    },
    Row {
        names: &["queue-operation"],
        fields: &[ABOUT, &[must("operation", Shape::Text)]],
    },
    Row {
        names: &["pr-link"],
        fields: &[ABOUT, &[must("prUrl", Shape::Text)]],
    },
    Row {
        names: &["ai-title"],
        fields: &[ABOUT, &[must("aiTitle", Shape::Text)]],
    },
    Row {
        names: &["custom-title"],
        fields: &[ABOUT, &[must("customTitle", Shape::Text)]],
    },
    Row {
        names: &["last-prompt"],
        fields: &[ABOUT, &[may("lastPrompt", Shape::Text)]],
    },
];
