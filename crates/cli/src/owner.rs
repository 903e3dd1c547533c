//! Types of records: their names, and those that two sorts of files use.

use linetape::{Escaped, Message};

/// Returns the file that the type of a message belongs to, where another one
/// uses the same type: `journal` for the results in the journal of a workflow.
pub fn owner(message: Message<'_>) -> Option<&'static str> {
    match message {
        Message::Result(result) if result.is_journal() => Some("journal"),
        _ => None,
    }
}

/// Returns the name of a type, with its subtype and the file it belongs to. A
/// log chose the names, so they are escaped.
pub fn label(
    name: Option<&str>,
    subtype: Option<&str>,
    of: Option<&str>,
) -> String {
    let mut label = name.unwrap_or("none").to_string();
    if let Some(subtype) = subtype {
        label += &format!("/{subtype}");
    }
    if let Some(of) = of {
        label += &format!(" ({of})");
    }
    Escaped::new(&label).to_string()
}
