/*!
Messages that own what they hold.

They are made of views, by [`into_owned`](crate::Message::into_owned), or of
JSON, by `Deserialize`, and both give the same. They are `Send`, can be kept,
changed and built, and are written back without loss: a member that fits a
field is there, and everything else is in `extra`, under the key that it has on
the wire.

# Without loss

What is written is the same JSON value as what was read. This is what is kept,
and what is not:

| of a record | kept | |
|---|---|---|
| members that linetape does not know | yes | in `extra` |
| `null` | yes | in `extra`: a field without a value is not written |
| a value of another type than its field | yes | in `extra` |
| which of its two keys a field has | yes | |
| both keys of a field | yes | the first that fits has the field, the other is in `extra` |
| whether a number is an integer or a float | yes | `0` and `0.0` are two numbers |
| the order of items in a list | yes | |
| the order of members in an object | no | `type` first, then fields in the order of the schema, then `extra` in the order of `serde_json::Map` |
| a repeated key | the last | as serde_json has it; a repeated `type` or `subtype` is an error of decoding |
| an integer beyond 64 bits | as a float | as serde_json has it |
| `-0` | as `0` | |
| the spelling of a number, such as `1e2` | no | `100.0` |
| escapes in strings, such as `\u0041` | no | `A` |
| whitespace | no | |

Use [`Writer::write_line`](crate::Writer::write_line) to copy a line as it is.

`Deserialize` follows serde_json: it takes the last of a repeated `type`. Two
messages are equal if they are written the same: which of two keys a field had
is part of it.

# Fields

A struct has all fields of its parents, so that it can be built and read like
any other:

```
use linetape::owned::{Message, stream::Assistant};

let assistant = Assistant {
    session_id: Some("s1".to_string()),
    error_details: Some("overloaded".to_string()),
    ..Assistant::default()
};
assert_eq!(assistant.session_id.as_deref(), Some("s1"));
assert_eq!(
    serde_json::to_string(&Message::from(assistant))?,
    r#"{"type":"assistant","error_details":"overloaded","session_id":"s1"}"#
);
# Ok::<(), serde_json::Error>(())
```

A field that is an `f64` in a view is a [`Number`] here. It remembers whether
it was an integer or a float on the wire, so that it is written the same; its
`as_f64` gives the value.
*/

mod build;
mod common;
mod extra;
mod fields;
mod from_json;
mod from_line;
mod message;
pub mod schema;
mod slot;

use crate::message as view;
use all::*;
use schema::owned_types;

pub use common::{Blocks, Text};
pub use extra::Extra;
pub use fields::OrString;
pub use message::{Content, Message};
pub use serde_json::Number;

/// The owned types of all dialects. Tables use each other's.
pub(crate) mod all {
    pub use crate::owned::{
        control::*, events::*, results::*, server::*, stream::*, system::*,
        transcript::*, *,
    };
}

crate::message::tables::content!(owned_types);

/// Makes a module of the owned types of a dialect.
macro_rules! dialects {
    ($($(#[$doc:meta])* $module:ident: $table:ident,)*) => {$(
        $(#[$doc])*
        #[macro_use]
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
    /// Stream-json: what an agent and its host exchange line by line.
    stream: stream_json,
    /// Stream events: a message of the model while it is being written.
    events: events,
    /// What a run came to.
    results: results,
    /// What the agent reports about itself.
    system: system,
    /// Questions and orders between host and agent, and the answers.
    control: control,
    /// Session transcripts.
    transcript: transcript,
}

/// Agent servers: events, and input for them.
pub mod server {
    use crate::{
        message::{server as view, tables::server},
        owned::schema::owned_types,
    };

    pub use crate::owned::message::UiMessage;

    server!(owned_types);
}
