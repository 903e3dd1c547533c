/*!
Owned messages: the same schema as the views, without lifetimes.

They are created from views by [`into_owned`](crate::Message::into_owned), or
from JSON by `Deserialize`, with the same result. They are `Send`. They can be
stored, changed, built from scratch, and serialised without loss: a member that
has the type of its field is stored in the field, and all other members are in
`extra`, under their original keys.

# Lossless round trips

The JSON value that is written equals the one that was read. In detail, these
properties are preserved or lost:

| property of a record | preserved | |
|---|---|---|
| members that the schema does not know | yes | in `extra` |
| `null` | yes | in `extra`: a field without a value is not written |
| a value of another type than its field | yes | in `extra` |
| whether a field has its primary key or its alias | yes | |
| both keys of a field | yes | the primary key takes precedence, if its value has the right type; the other member is in `extra` |
| whether a number is an integer or a float | yes | `0` and `0.0` are different numbers |
| the order of items in a list | yes | |
| the order of members in an object | no | `type` first, then fields in the order of the schema, then `extra` in the order of `serde_json::Map` |
| duplicate keys | the last | as in serde_json; a duplicate `type` or `subtype` is a decoding error |
| an integer beyond 64 bits | as a float | as in serde_json |
| `-0` | as `0` | |
| the notation of a number, such as `1e2` | no | `100.0` |
| escapes in strings, such as `\u0041` | no | `A` |
| whitespace | no | |

Use [`Writer::write_line`](crate::Writer::write_line) to copy a line unchanged.

`Deserialize` follows serde_json: of duplicate `type` keys, it uses the last.
Two messages are equal if their fields are, and if these were read by the same
keys: a field read by its alias differs from one read by its primary key, and
is written by it again. [`Extra`] keeps that, for the struct that it belongs to:
do not move the `extra` of one type of struct to another, but its members.

# Fields

A struct has its own fields, and its parent as `base`: an `Assistant` has a
`ChatMessage`, which has a `TurnPart`, which has an `Envelope`. The last of them
has `extra`, for all members that are not stored in a field of any of them.

A struct dereferences to its parent, so a field is read and set by its name,
whichever struct has it. In a struct literal, the fields of parents are set
afterwards, or in `base`:

```
use linetape::owned::{Message, stream::Assistant};

let mut assistant = Assistant {
    error_details: Some("overloaded".to_string()),
    ..Assistant::default()
};
assistant.session_id = Some("s1".to_string());
assert_eq!(assistant.session_id.as_deref(), Some("s1"));
assert_eq!(
    serde_json::to_string(&Message::from(assistant))?,
    r#"{"type":"assistant","error_details":"overloaded","session_id":"s1"}"#
);
# Ok::<(), serde_json::Error>(())
```

(The API guidelines reserve `Deref` for smart pointers. This is an exception,
which views make too: with it, a field can move to a parent, and the code of
users stays.)

A field that is an `f64` in a view is a [`Number`] here. It preserves whether
the number was an integer or a float in the JSON; `as_f64` returns the value.
*/

mod build;
mod common;
mod extra;
mod fields;
mod message;
mod part;
pub mod schema;
mod slot;
mod source;

use crate::message as view;
use all::*;
use schema::owned_types;

pub use common::{Blocks, Text};
pub use extra::Extra;
pub use fields::OrString;
pub use message::{Content, Message};
pub use serde_json::Number;

/// The owned types of all dialects, for tables that refer to each other's
/// types.
pub(crate) mod all {
    pub use crate::owned::{
        control::*, events::*, reports::*, results::*, server::*, stream::*,
        system::*, transcript::*, *,
    };
}

crate::message::tables::content!(owned_types);

/// Generates the module of a dialect's owned types.
macro_rules! dialects {
    ($($(#[$doc:meta])* $module:ident: $table:ident,)*) => {$(
        $(#[$doc])*
        pub mod $module {
            use crate::{
                message::{$module as view, tables::$table},
                owned::{all::*, schema::owned_types},
            };

            $table!(owned_types);
        }
    )*};
}
dialects! {
    /// Stream-json: messages between an agent and its host.
    stream: stream_json,
    /// Stream events: partial messages.
    events: events,
    /// System messages outside of the conversation.
    reports: reports,
    /// The results of runs.
    results: results,
    /// Reports from the agent program.
    system: system,
    /// Control requests and responses between host and agent.
    control: control,
    /// Session transcripts.
    transcript: transcript,
}

/// Agent servers: their events and input.
pub mod server {
    use crate::{
        message::{server as view, tables::server},
        owned::schema::owned_types,
    };

    pub use crate::owned::message::UiMessage;

    server!(owned_types);
}
