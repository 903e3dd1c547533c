/*!
Messages that own what they hold.

They are made of views, by [`into_owned`](crate::Message::into_owned), or of
JSON, by `Deserialize`, and both give the same. They are `Send`, can be kept,
changed and built, and are written back without loss: a field that this crate
knows is in its slot, and everything else is in `extra`, under the key that it
has on the wire.

A repeated `type` is refused by decoding, so that nobody is sent the wrong way;
`Deserialize` follows serde_json, and takes the last. Two messages are equal if
they are written the same: which of two casings a field had is part of it.

A struct that shares fields with others holds them in `base`, and can be used
as if they were its own: `assistant.session_id` is
`assistant.base.base.base.session_id`.
*/

mod build;
mod common;
mod extra;
mod message;
pub mod schema;
mod slot;
mod source;

use crate::message as view;
use crate::message::tables::{
    content, control, events, results, server, stream_json, system, transcript,
};
use schema::owned_types;

pub use common::{Blocks, Text};
pub use extra::Extra;
pub use message::{Content, Message, UiMessage};
pub use serde_json::Number;
pub use slot::OrString;

transcript!(owned_types);
content!(owned_types);
control!(owned_types);
stream_json!(owned_types);
events!(owned_types);
results!(owned_types);
server!(owned_types);
system!(owned_types);
