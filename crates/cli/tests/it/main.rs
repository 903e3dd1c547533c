//! The tests of the command, by subject: see `tests/README.md`.

mod support;

mod check;
mod convert;
mod costs;
mod follow;
mod links;
mod normalize;
mod recognised;
mod redact;
mod redact_files;
mod redact_in_place;
mod split;
mod split_state;
mod sql;
mod stats;
mod streamed;
mod usage;
mod watch;
mod report {
    mod completeness;
    mod figures;
    mod folders;
    mod hostile;
    mod once;
    mod pages;
    mod program;
    mod texts;
}
mod schema {
    mod differential;
    mod known;
    mod limits;
    mod reference;
    mod report;
    mod unknown;
}
mod select {
    mod filters;
    mod lines;
    mod output;
    mod pipes;
}
mod show {
    mod forks;
    mod layout;
    mod markdown;
    mod messages;
    mod order;
}

// For all commands.
mod array;
mod broken_archives;
mod colours;
mod exit_codes;
mod foreign;
mod help;
mod inputs;
#[cfg(unix)]
mod killed;
mod layering;
mod live_pipe;
mod options;
// Elsewhere, an open file is not renamed, and has no inode.
#[cfg(unix)]
mod rotated;
mod skim;
mod snapshots;
mod standard_input;
mod state;
mod state_file;
mod subagents;
mod terminal;
