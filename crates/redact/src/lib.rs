/*!
Removes secrets and personal data from the logs of AI agents, and keeps every
other byte.
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

mod builtin;
mod cleaner;
mod event;
mod grams;
mod held;
mod path;
mod redactor;
mod replacement;
mod rule;
mod rules;
mod search;
mod strings;
mod unescape;

pub use builtin::builtin;
pub use redactor::{Finding, Redactor};
pub use replacement::Replacement;
pub use rule::{Level, Rule};
pub use rules::{Rules, RulesBuilder};
