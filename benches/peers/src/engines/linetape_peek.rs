//! linetape, without decoding: peek and route.

use std::sync::OnceLock;

use linetape::{
    Error, Kernel, Level, Line, Lines, Message, Projection, Reader,
    ReaderBuilder, Value, owned, value::Projected,
};

use super::{
    Engine,
    typed::{Event, Text},
};
use crate::{
    data::Data,
    jobs::{Job, Tally},
    strings,
};

pub const ENGINES: &[Engine] = &[
    Engine::ours("linetape check", Job::Check, |data, tally| {
        each_line(lines(data, Level::Check), tally, |line, tally| match line
            .check()
        {
            Ok(()) => tally.line(),
            Err(_) => tally.fail(1),
        });
    }),
    Engine::ours("linetape peek", Job::Route, |data, tally| {
        each_line(lines(data, Level::Line), tally, kind);
    }),
    Engine::ours("linetape route", Job::Route, |data, tally| {
        each_line(lines(data, Level::Kind), tally, kind);
    }),
    Engine::ours("linetape skim kind", Job::Route, |data, tally| {
        each_line(lines(data, Level::Line), tally, |line, tally| {
            match line.skim().kind() {
                Ok(kind) => tally.kind(kind.name(), kind.subtype()),
                Err(_) => tally.fail(1),
            }
        });
    }),
    Engine::ours("linetape skim project", Job::Usage, |data, tally| {
        let name = Projection::new(["/type"]);
        let paths = Projection::new([
            "/message/usage/input_tokens",
            "/message/usage/output_tokens",
        ]);
        each_line(lines(data, Level::Line), tally, |line, tally| {
            let skim = line.skim();
            let Ok(found) = skim.projected(&name) else {
                return tally.fail(1);
            };
            if found.at(0).and_then(Value::as_str) != Some("assistant") {
                return;
            }
            add_usage(skim.projected(&paths), tally);
        });
    }),
    Engine::ours("linetape skim select", Job::Select, |data, tally| {
        let name = Projection::new(["/type"]);
        each_line(lines(data, Level::Line), tally, |line, tally| {
            let Ok(found) = line.skim().projected(&name) else {
                return tally.fail(1);
            };
            if found.at(0).and_then(Value::as_str) == Some("assistant") {
                tally.select(line.as_bytes());
            }
        });
    }),
    Engine::ours("linetape route, project", Job::Usage, |data, tally| {
        let paths = Projection::new([
            "/message/usage/input_tokens",
            "/message/usage/output_tokens",
        ]);
        each_line(lines(data, Level::Kind), tally, |line, tally| {
            match line.kind() {
                Ok(kind) if kind.is("assistant") => {}
                Ok(_) => return,
                Err(_) => return tally.fail(1),
            }
            add_usage(line.projected(&paths), tally);
        });
    }),
    Engine::ours("linetape peek", Job::Text, |data, tally| {
        each_line(lines(data, Level::Peek), tally, |line, tally| {
            match line.peek() {
                Ok(message) => visit(message.value(), tally),
                Err(_) => tally.fail(1),
            }
        });
    }),
    Engine::ours("linetape strings", Job::Text, |data, tally| {
        each_line(lines(data, Level::Line), tally, |line, tally| {
            match line.strings() {
                Ok(strings) => strings.for_each(|s| tally.text(s.as_bytes())),
                Err(_) => tally.fail(1),
            }
        });
    }),
    Engine::ours("linetape peek, own", Job::Own, |data, tally| {
        let mut lines = lines(data, Level::Peek);
        while let Some(line) = lines.next_line() {
            let message = line.and_then(|line| line.peek());
            match message.and_then(Message::into_owned) {
                Ok(message) => own(&message, tally),
                Err(_) => tally.fail(1),
            }
        }
    }),
    Engine::ours("linetape OwnedLine", Job::Own, |data, tally| {
        each_line(
            lines(data, Level::Checked),
            tally,
            |line, tally| match line.to_owned_line() {
                Ok(line) => {
                    let message = line.message();
                    let assistant = matches!(message, Message::Assistant(_));
                    tally.own(&line, assistant);
                    visit(message.value(), tally);
                }
                Err(_) => tally.fail(1),
            },
        );
    }),
    Engine::ours("linetape route", Job::Select, |data, tally| {
        each_line(lines(data, Level::Kind), tally, |line, tally| {
            match line.kind() {
                Ok(kind) if kind.is("assistant") => {
                    tally.select(line.as_bytes())
                }
                Ok(_) => {}
                Err(_) => tally.fail(1),
            }
        });
    }),
    Engine::ours("linetape deserialize", Job::Types, |data, tally| {
        each_line(
            lines(data, Level::Checked),
            tally,
            |line, tally| match line.deserialize::<Event<Text<'_>>>() {
                Ok(event) => event.tell(tally),
                Err(_) => tally.fail(1),
            },
        );
    }),
    Engine::ours("linetape deserialize, String", Job::Types, |data, tally| {
        each_line(
            lines(data, Level::Checked),
            tally,
            |line, tally| match line.deserialize::<Event<String>>() {
                Ok(event) => event.tell(tally),
                Err(_) => tally.fail(1),
            },
        );
    }),
];

/// The kernel to scan with, if not the default.
pub static KERNEL: OnceLock<Kernel> = OnceLock::new();

fn builder() -> ReaderBuilder {
    let kernel = KERNEL.get().copied().unwrap_or_else(Kernel::best);
    let builder = Reader::builder().kernel(kernel);
    builder.expect("the CPU has it, or main would have said so")
}

fn lines(data: &Data, level: Level) -> Lines<'_> {
    builder().level(level).lines(data.bytes())
}

fn kind(line: &Line<'_>, tally: &mut Tally) {
    match line.kind() {
        Ok(kind) => tally.kind(kind.name(), kind.subtype()),
        Err(_) => tally.fail(1),
    }
}

/// Adds the tokens at the two paths of a projection.
#[inline]
fn add_usage(found: Result<Projected<'_, '_>, Error>, tally: &mut Tally) {
    let Ok(found) = found else { return tally.fail(1) };
    let [input, output] =
        [0, 1].map(|at| found.at(at).and_then(Value::as_u64).unwrap_or(0));
    tally.usage(input, output);
}

#[inline]
fn each_line(
    mut lines: Lines<'_>,
    tally: &mut Tally,
    mut job: impl FnMut(&Line<'_>, &mut Tally),
) {
    while let Some(line) = lines.next_line() {
        match line {
            Ok(line) => job(&line, tally),
            Err(_) => tally.fail(1),
        }
    }
}

/// Visits every string that is a value.
pub fn visit(value: Value<'_>, tally: &mut Tally) {
    if let Some(text) = value.as_str() {
        tally.text(text.as_bytes());
    } else if let Some(object) = value.as_object() {
        for (_, member) in object {
            visit(member, tally);
        }
    } else if let Some(array) = value.as_array() {
        for item in array {
            visit(item, tally);
        }
    }
}

pub fn own(message: &owned::Message, tally: &mut Tally) {
    tally.own(message, matches!(message, owned::Message::Assistant(_)));
    strings::visit(message, tally);
}
