/*!
Removes secrets and personal data from the logs of AI agents, and keeps every
other byte.

- [`Rules`] decides what is redacted: built-in rules by [`RuleLevel`], and your own.
- [`Replacement`] is what is written instead: `***`, a text, a pseudonym, or
  nothing.
- [`Redactor`] redacts the lines of logs, JSON documents and texts.

```text
line ──► contains a literal of a rule? ──no──► check ──► same bytes
           │ yes
           ▼
         match the rules at the literals,
         in the text with its escapes ──done──► replace ──► check
           │ not possible with these escapes       ▲
           ▼                                       │
         unescape the string, up to four times,    │
         and match the rules ──────────────────────┘
```

The README lists the rules, and describes the limits of redaction.

# Untrusted input

A line that is not valid JSON is an error, and is not written. Regular
expressions take linear time. Memory is bounded by the longest line, and by the
lines that wait for the end of a streamed block: at most 64 MiB and one line.

# Crate features

- `toml`: rules from a TOML file. Off by default.
*/
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

mod assigned;
mod block;
mod blocks;
mod buckets;
mod builtin;
mod cleaner;
mod error;
mod event;
#[cfg(feature = "toml")]
mod file;
mod grams;
mod held;
mod key_lines;
mod path;
mod probe;
mod redactor;
mod replacement;
mod rule;
mod rules;
mod search;
mod spots;
mod strings;
mod tail;
mod unescape;

pub use builtin::builtin;
pub use redactor::{Finding, Redactor};
pub use replacement::Replacement;
pub use rule::{Rule, RuleLevel};
pub use rules::{Rules, RulesBuilder};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
