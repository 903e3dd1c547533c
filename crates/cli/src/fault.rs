//! An error in a log, and its position.

use std::{io, sync::Arc};

use linetape::{Error, ErrorKind, Escaped, Position};

use linetape_session::check::{Finding, Level};
use serde_json::{Value, json};

use crate::paint::{BAD, ODD, painted};

/// A bad line, or a broken rule.
pub struct Fault {
    file: Arc<str>,
    pub position: Position,
    pub level: Level,
    rule: String,
    message: String,
}

impl Fault {
    /// Creates the fault for a bad line.
    pub fn of_line(file: &Arc<str>, error: &Error) -> Fault {
        Fault {
            file: file.clone(),
            position: error.position(),
            level: Level::Error,
            rule: error.kind().to_string(),
            message: error.reason().to_string(),
        }
    }

    /// Creates the fault for an input that cannot be opened.
    pub fn of_input(file: &Arc<str>, error: &io::Error) -> Fault {
        Fault {
            file: file.clone(),
            position: Position::START,
            level: Level::Error,
            rule: ErrorKind::Io.to_string(),
            message: error.to_string(),
        }
    }

    /// Creates the fault for a broken rule.
    pub fn of_session(file: &Arc<str>, finding: Finding) -> Fault {
        let mut message = finding.message;
        if finding.and_more > 0 {
            message += &format!(" (and {} more)", finding.and_more);
        }
        Fault {
            file: file.clone(),
            position: finding.position,
            level: finding.level,
            rule: finding.rule.to_string(),
            message,
        }
    }

    /// Adds to the line number and the offset.
    pub fn move_by(&mut self, lines: u64, bytes: u64) {
        self.position = self.position.moved_by(lines, bytes);
    }

    /// Returns the fault as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "file": &*self.file,
            "line": self.position.line(),
            "byte": self.position.byte(),
            "rule": self.rule,
            "level": self.level.as_str(),
            "message": self.message,
        })
    }

    /// Reads what [`to_json`](Fault::to_json) returned.
    pub fn from_json(fault: &Value) -> Option<Fault> {
        let text = |key: &str| fault[key].as_str();
        let number = |key: &str| fault[key].as_u64();
        Some(Fault {
            file: text("file")?.into(),
            position: Position::new(number("line")?, number("byte")?),
            level: text("level")?.parse().ok()?,
            rule: text("rule")?.to_string(),
            message: text("message")?.to_string(),
        })
    }

    /// Returns the fault as text: `file:line:byte rule message`.
    pub fn to_line(&self) -> String {
        let Fault { file, position, rule, message, .. } = self;
        let (line, byte) = (position.line(), position.byte());
        let (style, note) = match self.level {
            Level::Note => (ODD, "note: "),
            _ => (BAD, ""),
        };
        // A file name is as untrusted as a log.
        let file = Escaped::new(&**file);
        let message = Escaped::new(&message);
        let rule = painted(style, rule);
        format!("{file}:{line}:{byte} {rule} {note}{message}")
    }
}
