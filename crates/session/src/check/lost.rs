/*!
Reports of the agent program that lines of a transcript are missing.
*/

use linetape::message::{
    Message,
    reports::{LostFile, MirrorError, SessionWritesLost},
    system::System,
};

use crate::check::{Level, Rule, fields::Report, finding::Quoted};

/// Reports a hole in a transcript, if a message says that there is one.
pub(crate) fn check_lost(message: Message<'_>, report: &mut Report<'_>) {
    match message {
        Message::System(System::SessionWritesLost(lost)) => {
            check_writes(lost, report);
        }
        Message::System(System::MirrorError(error)) => {
            check_mirror(error, report);
        }
        _ => {}
    }
}

fn check_writes(lost: SessionWritesLost<'_>, report: &mut Report<'_>) {
    // A lost write of the configuration is no hole in a transcript.
    let is_hole = match lost.lost() {
        Some(files) => {
            files.into_iter().any(|file| file == LostFile::Transcript)
        }
        None => lost.transcript_session_ids().is_some(),
    };
    if !is_hole {
        return;
    }
    let code = lost.error_code().map_or("unknown error", |code| code.as_str());
    let sessions = lost.transcript_session_ids().into_iter().flatten();
    let sessions: Vec<String> =
        sessions.map(|id| Quoted(id).to_string()).collect();
    let of = match sessions.is_empty() {
        true => String::new(),
        false => format!(" of {}", sessions.join(", ")),
    };
    report.add(
        Rule::LostWrites,
        Level::Error,
        format_args!(
            "lines of the transcript{of} were not saved: {}",
            Quoted(code)
        ),
    );
}

fn check_mirror(lost: MirrorError<'_>, report: &mut Report<'_>) {
    let session = lost.key().and_then(|key| key.session_id());
    let of = session.map(|id| format!(" of {}", Quoted(id)));
    let of = of.unwrap_or_default();
    let error = Quoted(lost.error().unwrap_or_default());
    report.add(
        Rule::LostWrites,
        Level::Error,
        format_args!("lines of the mirrored transcript{of} are lost: {error}"),
    );
}
