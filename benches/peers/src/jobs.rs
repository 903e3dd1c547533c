//! The jobs and their results.
//!
//! An engine passes its findings to a [`Tally`]. All engines share its
//! functions, which are never inlined, so that they cost the same for each.

use std::{
    fmt::{self, Write},
    hint::black_box,
};

use crate::byte_sum::byte_sum;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// Find the ends of lines.
    Lines,
    /// Validate whole lines, keep nothing.
    Check,
    /// Count lines by the `type` and `subtype` of the outermost object.
    Route,
    /// Of assistant lines, add up `message.usage.input_tokens` and
    /// `output_tokens`.
    Usage,
    /// Visit every string that is a value, unescaped.
    Text,
    /// Make an owned message of every line, and visit its strings.
    Own,
    /// Copy the assistant lines unchanged.
    Select,
    /// Deserialise every line into a struct of the user.
    Types,
}

impl Job {
    pub const ALL: [Job; 8] = [
        Job::Lines,
        Job::Check,
        Job::Route,
        Job::Usage,
        Job::Text,
        Job::Own,
        Job::Select,
        Job::Types,
    ];

    /// Returns the name in tables and arguments.
    pub fn name(self) -> &'static str {
        match self {
            Job::Lines => "lines",
            Job::Check => "J0",
            Job::Route => "J1",
            Job::Usage => "J2",
            Job::Text => "J3",
            Job::Own => "J4",
            Job::Select => "J5",
            Job::Types => "J6",
        }
    }

    pub fn named(name: &str) -> Option<Job> {
        Job::ALL.into_iter().find(|job| job.name() == name)
    }

    pub fn title(self) -> &'static str {
        match self {
            Job::Lines => "split",
            Job::Check => "check",
            Job::Route => "route",
            Job::Usage => "usage",
            Job::Text => "text",
            Job::Own => "own",
            Job::Select => "select",
            Job::Types => "own types",
        }
    }
}

/// The sink is emptied when it is larger than this.
const SINK: usize = 1 << 20;

/// The findings of an engine so far. An engine calls only the functions of its
/// job.
#[derive(Default)]
pub struct Tally {
    lines: u64,
    failed: u64,
    /// The most frequent kinds first, so that a search is short.
    kinds: Vec<Count>,
    usage: (u64, u64),
    text: (u64, u64),
    read: (u64, u64, u64),
    owned: (u64, u64),
    sink: Vec<u8>,
    copied: Copied,
}

struct Count {
    name: Option<String>,
    subtype: Option<String>,
    lines: u64,
}

#[derive(Default)]
struct Copied {
    lines: u64,
    bytes: u64,
    digest: u64,
}

impl Tally {
    /// Resets the tally. Memory is kept, so that only the first run allocates.
    pub fn reset(&mut self) {
        let mut sink = std::mem::take(&mut self.sink);
        sink.clear();
        *self = Tally { sink, ..Tally::default() };
    }

    /// Lines: adds a line. All of its bytes are known.
    #[inline(never)]
    pub fn found(&mut self, line: &[u8]) {
        black_box(line);
        self.lines += 1;
    }

    /// J0: a line is valid.
    #[inline(never)]
    pub fn line(&mut self) {
        self.lines += 1;
    }

    /// Any job: adds lines that could not be read. The result then differs
    /// from that of an engine that could read them.
    pub fn fail(&mut self, lines: u64) {
        self.failed += lines;
    }

    /// J1: adds the type and subtype of a line. A value that is missing or not
    /// a string is `None`.
    #[inline(never)]
    pub fn kind(&mut self, name: Option<&str>, subtype: Option<&str>) {
        let is = |kind: &Count| {
            kind.name.as_deref() == name && kind.subtype.as_deref() == subtype
        };
        let Some(at) = self.kinds.iter().position(is) else {
            let [name, subtype] =
                [name, subtype].map(|t| t.map(str::to_owned));
            return self.kinds.push(Count { name, subtype, lines: 1 });
        };
        self.kinds[at].lines += 1;
        if at > 0 && self.kinds[at].lines > self.kinds[at - 1].lines {
            self.kinds.swap(at, at - 1);
        }
    }

    /// J2: adds the usage of an assistant line. A missing count is 0.
    #[inline(never)]
    pub fn usage(&mut self, input: u64, output: u64) {
        self.usage.0 += input;
        self.usage.1 += output;
    }

    /// J3 and J4: adds the text of a string. All of its bytes count, so that
    /// unescaping cannot be skipped.
    #[inline(never)]
    pub fn text(&mut self, text: &[u8]) {
        self.text.0 += text.len() as u64;
        self.text.1 += byte_sum(text);
    }

    /// J4: adds a message, and whether it is one of the assistant. The engine
    /// then visits its strings and drops it, and that time counts, too.
    #[inline(never)]
    pub fn own<T>(&mut self, message: &T, is_assistant: bool) {
        // Prevents the optimiser from removing unused work.
        black_box(message);
        self.owned.0 += 1;
        self.owned.1 += u64::from(is_assistant);
    }

    /// J6: adds a record, the lengths of its strings, and its tokens.
    #[inline(never)]
    pub fn read<T>(&mut self, record: &T, length: usize, tokens: u64) {
        black_box(record);
        self.read.0 += 1;
        self.read.1 += length as u64;
        self.read.2 += tokens;
    }

    /// J5: adds an assistant line, without its line feed.
    #[inline(never)]
    pub fn select(&mut self, line: &[u8]) {
        self.copied.lines += 1;
        self.sink.extend_from_slice(line);
        self.sink.push(b'\n');
        if self.sink.len() > SINK {
            self.empty_sink();
        }
    }

    /// Reads one word in eight: enough to notice other bytes, with little
    /// work.
    fn empty_sink(&mut self) {
        let Copied { bytes, digest, .. } = &mut self.copied;
        *bytes += self.sink.len() as u64;
        for chunk in self.sink.chunks(64) {
            let word =
                chunk.first_chunk().map_or(0, |w| u64::from_le_bytes(*w));
            *digest = (*digest ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            *digest ^= *digest >> 32;
        }
        self.sink.clear();
    }

    /// Returns the result of `job`, as comparable text.
    pub fn answer(&mut self, job: Job) -> String {
        self.empty_sink();
        let mut answer = String::new();
        self.write_answer(job, &mut answer).expect("a string takes it all");
        answer
    }

    fn write_answer(&mut self, job: Job, out: &mut String) -> fmt::Result {
        match job {
            Job::Lines | Job::Check => {
                write!(out, "{} lines", self.lines)?;
            }
            Job::Route => self.write_kinds(out)?,
            Job::Usage => {
                let (input, output) = self.usage;
                write!(out, "{input} tokens in, {output} out")?;
            }
            Job::Text => {
                let (length, sum) = self.text;
                write!(out, "{length} bytes, sum {sum}")?;
            }
            Job::Own => {
                let (messages, assistant) = self.owned;
                let (length, sum) = self.text;
                write!(out, "{messages} messages, {assistant} assistant, ")?;
                write!(out, "{length} bytes, sum {sum}")?;
            }
            Job::Types => {
                let (records, length, tokens) = self.read;
                write!(out, "{records} records, {length} bytes, ")?;
                write!(out, "{tokens} tokens")?;
            }
            Job::Select => {
                let Copied { lines, bytes, digest } = self.copied;
                write!(out, "{lines} lines, {bytes} bytes, {digest:016x}")?;
            }
        }
        match self.failed {
            0 => Ok(()),
            failed => write!(out, ", {failed} failed"),
        }
    }

    fn write_kinds(&mut self, out: &mut String) -> fmt::Result {
        let order = |a: &Count, b: &Count| {
            (&a.name, &a.subtype).cmp(&(&b.name, &b.subtype))
        };
        self.kinds.sort_by(order);
        for (at, kind) in self.kinds.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let name = kind.name.as_deref().unwrap_or("none");
            let subtype = kind.subtype.as_deref().unwrap_or("none");
            write!(out, "{comma}{name}/{subtype} {}", kind.lines)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owned_messages_and_failures_are_counted() {
        let mut tally = Tally::default();
        tally.own(&"a", true);
        tally.own(&"b", false);
        tally.text(b"b");
        tally.fail(1);
        let answer = tally.answer(Job::Own);
        let wanted = "2 messages, 1 assistant, 1 bytes, sum 98, 1 failed";
        assert_eq!(answer, wanted);
    }

    #[test]
    fn kinds_are_counted_in_any_order() {
        let mut tally = Tally::default();
        for name in ["b", "a", "b", "c", "b", "c"] {
            tally.kind(Some(name), None);
        }
        tally.kind(None, Some("s"));
        let answer = tally.answer(Job::Route);
        assert_eq!(answer, "none/s 1, a/none 1, b/none 3, c/none 2");
    }
}
