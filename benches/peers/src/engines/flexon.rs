//! flexon, line by line.
//!
//! It is given lines whose UTF-8 has been checked: it does not check the
//! strings that it skips.

use flexon::{OwnedValue, get_from};
use serde::{Deserialize, de::IgnoredAny};

use super::{
    Engine,
    split::texts,
    typed::{Event, Text},
};
use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("flexon IgnoredAny", Job::Check, |data, tally| {
        each_line(data, tally, |_: IgnoredAny, tally| tally.line());
    }),
    Engine::peer("flexon typed", Job::Types, |data, tally| {
        each_line(data, tally, Event::<Text<'_>>::tell);
    }),
    Engine::peer("flexon OwnedValue", Job::Own, |data, tally| {
        for text in texts(data) {
            let line: Option<OwnedValue> =
                text.and_then(|text| flexon::parse(text).ok());
            let Some(line) = line else {
                tally.fail(1);
                continue;
            };
            let name = line.get("type").and_then(OwnedValue::as_str);
            tally.own(&line, name == Some("assistant"));
            visit_owned(&line, tally);
        }
    }),
    // It stops when it has the type. A line without one is an error to it.
    Engine::peer("flexon get", Job::Select, |data, tally| {
        for text in texts(data) {
            let Some(text) = text else {
                tally.fail(1);
                continue;
            };
            let name = get_from::<_, Text<'_>, _>(text, ["type"]);
            if name.is_ok_and(|name| name.as_ref() == "assistant") {
                tally.select(text.as_bytes());
            }
        }
    }),
];

#[inline]
fn each_line<'d, T: Deserialize<'d>>(
    data: &'d Data,
    tally: &mut Tally,
    mut job: impl FnMut(T, &mut Tally),
) {
    for text in texts(data) {
        match text.map(flexon::from_str) {
            Some(Ok(line)) => job(line, tally),
            _ => tally.fail(1),
        }
    }
}

fn visit_owned(value: &OwnedValue, tally: &mut Tally) {
    if let Some(text) = value.as_str() {
        tally.text(text.as_bytes());
    } else if let Some(items) = value.as_array() {
        items.iter().for_each(|item| visit_owned(item, tally));
    } else if let Some(members) = value.as_object() {
        let members = members.as_slice().iter();
        members.for_each(|(_, value)| visit_owned(value, tally));
    }
}
