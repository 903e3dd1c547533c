//! The fields for J1, J2 and J6, as types that any serde engine can
//! deserialise.

use std::borrow::Cow;

use serde::Deserialize;

use crate::jobs::Tally;

/// serde borrows a `Cow` only if it is the type of a field. This wrapper makes
/// it work in an `Option`.
#[derive(Deserialize)]
pub struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl AsRef<str> for Text<'_> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// `T` is [`Text`] to borrow, or `String`.
#[derive(Deserialize)]
pub struct Kind<T> {
    #[serde(rename = "type")]
    name: Option<T>,
    subtype: Option<T>,
}

impl<T: AsRef<str>> Kind<T> {
    pub fn is_assistant(&self) -> bool {
        self.name.as_ref().is_some_and(|name| name.as_ref() == "assistant")
    }

    pub fn tell(&self, tally: &mut Tally) {
        let [name, subtype] = [&self.name, &self.subtype]
            .map(|text| text.as_ref().map(AsRef::as_ref));
        tally.kind(name, subtype);
    }
}

#[derive(Deserialize)]
pub struct Spent<T> {
    #[serde(rename = "type")]
    name: Option<T>,
    message: Option<Inner>,
}

#[derive(Deserialize)]
struct Inner {
    usage: Option<Usage>,
}

#[derive(Default, Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl<T: AsRef<str>> Spent<T> {
    pub fn tell(self, tally: &mut Tally) {
        if self.name.is_none_or(|name| name.as_ref() != "assistant") {
            return;
        }
        let usage = self.message.and_then(|message| message.usage);
        let usage = usage.unwrap_or_default();
        let [input, output] = [usage.input_tokens, usage.output_tokens];
        tally.usage(input.unwrap_or(0), output.unwrap_or(0));
    }
}

/// A record as a user may define it, for transcripts and for events.
#[derive(Deserialize)]
pub struct Event<T> {
    #[serde(rename = "type", alias = "event_type")]
    name: Option<T>,
    uuid: Option<T>,
    #[serde(rename = "sessionId", alias = "session_id")]
    session: Option<T>,
    timestamp: Option<T>,
    message: Option<Body<T>>,
}

#[derive(Deserialize)]
struct Body<T> {
    id: Option<T>,
    role: Option<T>,
    model: Option<T>,
    usage: Option<Usage>,
}

impl<T: AsRef<str>> Event<T> {
    pub fn tell(self, tally: &mut Tally) {
        let length = |text: &Option<T>| {
            text.as_ref().map_or(0, |text| text.as_ref().len())
        };
        let Event { name, uuid, session, timestamp, message } = &self;
        let mut sum: usize =
            [name, uuid, session, timestamp].map(length).iter().sum();
        let mut tokens = 0;
        if let Some(Body { id, role, model, usage }) = message {
            sum += [id, role, model].map(length).iter().sum::<usize>();
            if let Some(Usage { input_tokens, output_tokens }) = usage {
                tokens =
                    input_tokens.unwrap_or(0) + output_tokens.unwrap_or(0);
            }
        }
        tally.read(&self, sum, tokens);
    }
}
