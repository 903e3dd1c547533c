//! Which lines someone wants.

use clap::Args;
use linetape::{Error, Line, Message, SessionId};

use crate::{
    select::{
        contains::{Needle, contains_any},
        role::role,
        tool::Calls,
    },
    time::{instant, since, until},
};

/// Which lines are wanted.
#[derive(Args)]
pub struct Filter {
    /// Only lines of this type, or of this type and subtype
    #[arg(long = "type", value_name = "TYPE[/SUBTYPE]")]
    types: Vec<String>,
    /// Only lines of this session; some lines name none
    #[arg(long = "session", value_name = "ID", allow_negative_numbers = true)]
    sessions: Vec<String>,
    /// Only lines that call this tool, and those that answer such a call
    ///
    /// An answer names the id of its call, which has to be on an earlier line
    /// of the same file; the ids are kept until its end. Pieces of messages
    /// that are still being written (stream_event) are not looked into.
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// Only lines of this role: user, assistant or system
    ///
    /// It is what the message says, or else the type of the line. With an
    /// agent server, it is whose turn it is.
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<String>,
    /// Only lines from this time on
    ///
    /// A time is 2026-03-02T09:14:07.5+01:00, or less of it: the seconds can
    /// be left out, and without an offset it is UTC. A day such as 2026-03-02
    /// is one of UTC, from its beginning on. A line that states no time does
    /// not match.
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<i64>,
    /// Only lines before this time, or up to the end of this day
    ///
    /// The time is written as for --since.
    #[arg(long, value_name = "TIME", value_parser = until)]
    until: Option<i64>,
    /// Only lines with this text in one of their strings or keys
    ///
    /// It is looked for in strings as they are meant, not as they are
    /// escaped. Upper and lower case are different.
    #[arg(
        long = "contains",
        value_name = "TEXT",
        allow_hyphen_values = true,
        value_parser = Needle::new
    )]
    needles: Vec<Needle>,
    /// Only the readable lines that do not match
    #[arg(long)]
    invert: bool,
}

impl Filter {
    /// Something to ask about each line of an input, in their order.
    pub fn matcher(&self) -> Matcher<'_> {
        Matcher { filter: self, calls: Calls::default() }
    }
}

/// A filter, and what it has to remember of earlier lines.
pub struct Matcher<'f> {
    filter: &'f Filter,
    calls: Calls,
}

impl Matcher<'_> {
    /// Whether a line is wanted.
    ///
    /// # Errors
    ///
    /// When the line cannot be read, so that nobody knows.
    pub fn wants(&mut self, line: &Line<'_>) -> Result<bool, Error> {
        // Even if no type is asked for: no filter wants a bad line.
        let kind = line.kind()?;
        let Filter { types, sessions, tools, roles, needles, .. } =
            self.filter;
        // A call has to be remembered even if its line is not wanted.
        let right_tool =
            tools.is_empty() || self.calls.are_meant(tools, line.peek()?);
        let right_type = types.is_empty()
            || types.iter().any(|pattern| kind.matches(pattern));
        let matches = right_tool
            && right_type
            && (sessions.is_empty() || is_of(line.peek()?, sessions))
            && (roles.is_empty() || has_role(line.peek()?, roles))
            && self.is_in_time(line)?
            && (needles.is_empty() || contains_any(line, needles)?);
        Ok(matches != self.filter.invert)
    }

    fn is_in_time(&self, line: &Line<'_>) -> Result<bool, Error> {
        let Filter { since, until, .. } = *self.filter;
        if since.is_none() && until.is_none() {
            return Ok(true);
        }
        let time = line.peek()?.timestamp().and_then(instant);
        Ok(time.is_some_and(|time| {
            since.is_none_or(|since| since <= time)
                && until.is_none_or(|until| time < until)
        }))
    }
}

/// Whether a message belongs to one of some sessions.
fn is_of(message: Message<'_>, sessions: &[String]) -> bool {
    match message.session_id() {
        Some(SessionId::Str(id)) => sessions.iter().any(|other| other == id),
        Some(SessionId::Int(id)) => sessions.contains(&id.to_string()),
        None => false,
    }
}

/// Whether a message has one of some roles.
fn has_role(message: Message<'_>, roles: &[String]) -> bool {
    role(message).is_some_and(|role| roles.iter().any(|r| r == role))
}
