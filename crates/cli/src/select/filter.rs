//! The filters of `linetape select`.

use clap::Args;
use linetape::{Error, Kind, Line, Message, Projection, message::SessionId};
use linetape_session::Facts;
use serde_json::Value;

use crate::{
    select::{
        contains::{Needle, contains_any},
        role::role,
        tool::Calls,
    },
    time::{instant, since, until},
};

/// The filters on the command line.
#[derive(Args)]
pub struct Filter {
    /// Only lines of this type, or of this type and subtype
    #[arg(long = "type", value_name = "TYPE[/SUBTYPE]")]
    types: Vec<String>,
    /// Only lines of this session; lines without a session id do not match
    #[arg(long = "session", value_name = "ID", allow_negative_numbers = true)]
    sessions: Vec<String>,
    /// Only lines with a call of this tool or the result of such a call
    ///
    /// A result matches by the id of its call, which must be on an earlier
    /// line of the same file. The ids are kept in memory until the end of the
    /// file. Calls in partial messages (stream_event) do not match.
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// Only lines of this role: user, assistant or system
    ///
    /// The role is that of the message, or else the type of the line. For
    /// agent-server events, it is the role of the turn.
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<String>,
    /// Only lines at or after this time or date
    ///
    /// A time is RFC 3339, such as 2026-03-02T09:14:07.5+01:00. The seconds
    /// are optional, and without an offset the time is UTC. A date such as
    /// 2026-03-02 is the start of that day, in UTC. Lines without a timestamp
    /// do not match.
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<i64>,
    /// Only lines before this time, or up to the end of this date
    ///
    /// The format is that of --since.
    #[arg(long, value_name = "TIME", value_parser = until)]
    until: Option<i64>,
    /// Only lines with this text in a string or a key
    ///
    /// Strings are unescaped before they are searched. The search is
    /// case-sensitive.
    #[arg(
        long = "contains",
        value_name = "TEXT",
        allow_hyphen_values = true,
        value_parser = Needle::new
    )]
    needles: Vec<Needle>,
    /// Only valid lines that do not match
    #[arg(long)]
    invert: bool,
    /// Whether the type of a line is read without checking the line.
    #[arg(skip)]
    skim: bool,
}

impl Filter {
    /// Returns the filter with the type of lines read by skimming, or not.
    pub fn skimming(self, skim: bool) -> Filter {
        Filter { skim, ..self }
    }

    /// Returns whether lines are skimmed.
    pub fn skims(&self) -> bool {
        self.skim
    }

    /// Returns a matcher for one input. `calls` are those of an earlier part
    /// of the input, or not a list.
    pub fn matcher(&self, calls: &Value) -> Matcher<'_> {
        let names_types = |pattern: &String| !pattern.contains('/');
        let by_type = self.skim
            && !self.types.is_empty()
            && self.types.iter().all(names_types);
        Matcher {
            filter: self,
            calls: Calls::read(calls),
            type_alone: by_type.then(|| Projection::new(["/type"])),
        }
    }

    /// Returns whether a line can match by a call on an earlier line.
    pub fn needs_calls(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Returns the filters as arguments.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![];
        let mut add = |name: &str, value: &str| {
            arguments.push(format!("--{name} {value}"));
        };
        for (name, values) in [
            ("type", &self.types),
            ("session", &self.sessions),
            ("tool", &self.tools),
            ("role", &self.roles),
        ] {
            values.iter().for_each(|value| add(name, value));
        }
        for (name, time) in [("since", self.since), ("until", self.until)] {
            if let Some(time) = time {
                add(name, &time.to_string());
            }
        }
        self.needles.iter().for_each(|text| add("contains", &text.text()));
        for (name, given) in [("invert", self.invert), ("skim", self.skim)] {
            arguments.extend(given.then(|| format!("--{name}")));
        }
        arguments
    }
}

/// A filter, and the tool calls of earlier lines.
pub struct Matcher<'f> {
    filter: &'f Filter,
    calls: Calls,
    /// Reads the type of a line without its subtype, if that is enough.
    type_alone: Option<Projection>,
}

impl Matcher<'_> {
    /// Returns whether there was a call.
    pub fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Notes that another input follows, after which a few lines of this one
    /// can come.
    pub fn replace(&mut self) {
        self.calls.replace();
    }

    /// Returns the calls so far, for a matcher of the rest of the input.
    pub fn calls(&self) -> Value {
        self.calls.to_json()
    }

    /// Returns whether a line matches. Takes all lines of the input in order.
    ///
    /// # Errors
    ///
    /// When the line is invalid.
    pub fn matches(&mut self, line: &Line<'_>) -> Result<bool, Error> {
        // Even without `--type`, so that a bad line is an error.
        let right_type = self.has_right_type(line)?;
        let Filter { sessions, tools, roles, needles, .. } = self.filter;
        // Before the other filters: a call is remembered even if its line
        // does not match.
        let right_tool = tools.is_empty()
            || self.calls.matches(tools, &Facts::of(line.peek()?));
        let matches = right_tool
            && right_type
            && (sessions.is_empty()
                || is_of(&Facts::of(line.peek()?), sessions))
            && (roles.is_empty() || has_role(line.peek()?, roles))
            && self.is_in_time(line)?
            && (needles.is_empty() || self.contains_any(line)?);
        Ok(matches != self.filter.invert)
    }

    fn has_right_type(&self, line: &Line<'_>) -> Result<bool, Error> {
        let Filter { types, skim, .. } = self.filter;
        if let Some(type_alone) = &self.type_alone {
            let name = line.skim().projected(type_alone)?.at(0);
            if let Some(name) = name.and_then(|name| name.as_str()) {
                return Ok(types.iter().any(|wanted| wanted == name));
            }
        }
        let kind = match *skim && self.type_alone.is_none() {
            true => self.skimmed_kind(line)?,
            false => line.kind()?,
        };
        let matches = |pattern: &String| kind.matches(pattern);
        Ok(types.is_empty() || types.iter().any(matches))
    }

    /// Returns the kind of a line. Skimming does not see a subtype after a
    /// type that has none in the schema, so that a line that needs one to
    /// match is read again.
    fn skimmed_kind<'l>(&self, line: &Line<'l>) -> Result<Kind<'l>, Error> {
        let kind = line.skim().kind()?;
        let needs_subtype = |pattern: &String| match pattern.split_once('/') {
            Some((name, _)) => kind.is(name),
            None => false,
        };
        let types = &self.filter.types;
        match kind.subtype().is_none() && types.iter().any(needs_subtype) {
            true => line.kind(),
            false => Ok(kind),
        }
    }

    fn contains_any(&self, line: &Line<'_>) -> Result<bool, Error> {
        let Filter { needles, skim, .. } = self.filter;
        if *skim {
            // A text can be found in a line that has not been checked.
            line.kind()?;
        }
        contains_any(line, needles)
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

/// Returns whether a message, or one that is nested in it, belongs to one of
/// the sessions.
fn is_of(facts: &Facts<'_>, sessions: &[String]) -> bool {
    let is_wanted = match facts.session() {
        Some(SessionId::Str(id)) => sessions.iter().any(|other| other == id),
        Some(SessionId::Int(id)) => sessions.contains(&id.to_string()),
        None => false,
    };
    is_wanted || facts.nested().any(|nested| is_of(&nested, sessions))
}

/// Returns whether a message has one of the roles.
fn has_role(message: Message<'_>, roles: &[String]) -> bool {
    role(message).is_some_and(|role| roles.iter().any(|r| r == role))
}
