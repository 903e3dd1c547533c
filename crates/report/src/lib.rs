/*!
Writes the sessions of AI agents as static HTML pages: transcript, figures and
charts.

```text
lines ──► Log ──► Overview ──► write_index ────► index.html
           │          │
           └──────────┴──────► write_session ──► session-….html
lines, read again ────────────────┘
```

1. [`Log::add`] takes the lines of one or several files. It keeps the positions
   of messages, their ids and figures, but no text.
2. [`Log::finish`] returns an [`Overview`] of each session.
3. [`write_session`] writes the page of a session. It reads the text again from
   the files, line by line, so a page needs no more memory than its longest
   line.
4. [`write_index`] writes the list of all sessions, with the totals of what
   [`Log::take_usage`] returned.

`linetape report` does the same from a shell.

# Untrusted input

Logs are treated as hostile: all text is escaped by [`Html`], and only string
constants are written as markup. Classes, ids and file names come from enums,
counters and hashes. Links have one of the schemes `http`, `https` and
`mailto`, and images are not fetched. Invisible characters, and those that
change the order of the text, are written as `\u{202e}`. Each page has a
Content-Security-Policy that allows only the page's own style sheet and script,
by hash.

A page has all of a session's text. It may contain secrets:
[`linetape-redact`](https://docs.rs/linetape-redact) removes them from a log.
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

mod chart;
mod cut;
mod figures;
mod frame;
mod html;
mod index;
mod lines;
mod log;
mod markdown;
mod overview;
mod page;
mod rest;
mod source;

pub use figures::run_figures;
pub use frame::layout;
pub use html::Html;
pub use index::write_index;
pub use log::Log;
pub use overview::Overview;
pub use page::{Options, write_session};
pub use source::{Fingerprint, page_name, source_of};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
