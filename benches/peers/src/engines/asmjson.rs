//! asmjson: a tape (`dom_parser`), or callbacks (`sax_parser`), made by
//! AVX-512 assembly where the CPU has it.
//!
//! It accepts control characters in strings and other invalid JSON, so it does
//! not take part in J0. It is given lines whose UTF-8 has been checked. Its
//! tape borrows from the line, so it does not take part in J4 either.

use asmjson::{DomRef, JsonRef, Sax, dom_parser, sax_parser, unescape_str};

use super::{Engine, split::texts};
use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("asmjson dom", Job::Route, |data, tally| {
        each_line(data, tally, |_, line, tally| {
            let (mut name, mut subtype) = (None, None);
            for (key, value) in members(line) {
                match key {
                    "type" => name = value.as_str(),
                    "subtype" => subtype = value.as_str(),
                    _ => continue,
                }
                if name.is_some() && subtype.is_some() {
                    break;
                }
            }
            tally.kind(name, subtype);
        });
    }),
    Engine::peer("asmjson dom", Job::Usage, |data, tally| {
        each_line(data, tally, |_, line, tally| {
            if is_assistant(line) {
                let usage = line.get("message").get("usage");
                let [input, output] = ["input_tokens", "output_tokens"]
                    .map(|key| usage.get(key).as_u64().unwrap_or(0));
                tally.usage(input, output);
            }
        });
    }),
    Engine::peer("asmjson dom", Job::Text, |data, tally| {
        each_line(data, tally, |_, line, tally| visit(line, tally));
    }),
    Engine::peer("asmjson sax", Job::Text, |data, tally| {
        let parser = sax_parser();
        let mut unescaped = String::new();
        for text in texts(data) {
            let visit = Visit { tally, unescaped: &mut unescaped };
            if text.and_then(|text| parser.parse(text, visit)).is_none() {
                tally.fail(1);
            }
        }
    }),
    Engine::peer("asmjson dom", Job::Select, |data, tally| {
        each_line(data, tally, |text, line, tally| {
            if is_assistant(line) {
                tally.select(text.as_bytes());
            }
        });
    }),
];

#[inline]
fn each_line(
    data: &Data,
    tally: &mut Tally,
    mut job: impl FnMut(&str, DomRef<'_, '_>, &mut Tally),
) {
    let parse = dom_parser();
    for text in texts(data) {
        let Some(text) = text else {
            tally.fail(1);
            continue;
        };
        let tape = parse(text, None);
        match tape.as_ref().and_then(|tape| tape.root()) {
            Some(line) => job(text, line, tally),
            None => tally.fail(1),
        }
    }
}

fn members<'t, 'd>(
    value: DomRef<'t, 'd>,
) -> impl Iterator<Item = (&'t str, DomRef<'t, 'd>)> {
    value.object_iter().into_iter().flatten()
}

fn is_assistant(line: DomRef<'_, '_>) -> bool {
    line.get("type").as_str() == Some("assistant")
}

fn visit(value: DomRef<'_, '_>, tally: &mut Tally) {
    if let Some(text) = value.as_str() {
        tally.text(text.as_bytes());
    } else if let Some(items) = value.array_iter() {
        items.for_each(|item| visit(item, tally));
    } else {
        members(value).for_each(|(_, value)| visit(value, tally));
    }
}

/// Passes every string that is a value to the tally.
struct Visit<'t> {
    tally: &'t mut Tally,
    /// The memory for strings with escapes.
    unescaped: &'t mut String,
}

impl<'d> Sax<'d> for Visit<'_> {
    type Output = ();

    fn string(&mut self, text: &'d str) {
        self.tally.text(text.as_bytes());
    }

    fn escaped_string(&mut self, text: &str) {
        self.unescaped.clear();
        unescape_str(text, self.unescaped);
        self.tally.text(self.unescaped.as_bytes());
    }

    fn finish(self) -> Option<()> {
        Some(())
    }
}
