/*!
Validation of logs.

A [`Checker`] is fed with the messages of a log and reports what is wrong as
[`Finding`]s. Some rules are about single messages: required fields, types of
fields, timestamps. Others are about messages together: a uuid is unique, a
parent exists, a sidechain stays a sidechain, each tool call has a result and
each result has a call.

# Dialects

The fields of a message depend on the dialect of the log. There are four
[`Dialect`]s, each with a table of its own in `src/check/table`. The checker
tells the dialect of each message from its shape, unless one is
[forced](Checker::with_dialect).

# Errors and notes

Real logs break the rules of a specification in many ways: sessions are forked,
resumed, compacted or stopped. So a finding has a [`Level`]. It is a note if
agents do so on purpose, or if the reason may be that the log is only a part of
a session. An error means that something is wrong.

| rule | error | note, or nothing |
|---|---|---|
| `required_field`, `structure`, `tool_call` | by the table | fields that only some versions write |
| `timestamp` | not ISO 8601 | in a message of an unknown type |
| `duplicate_uuid` | two messages of a session have it | a transcript or stream repeats the message |
| `missing_parent` | of a message of the user or the model | in another session; before the log; lost with a fork or compaction; of a line that the program wrote |
| `parent_cycle` | always | |
| `order` | in the events of an agent server | elsewhere |
| `sidechain` | the flag appears or disappears within a conversation; the call that started a sub-agent is missing | on a line that the program wrote; the call is from before the log |
| `repeated_call` | in two messages with ids | on several lines of one message: nothing |
| `repeated_result` | in the specification, and of an agent server | elsewhere: there may be branches |
| `unanswered_call` | the model continued, or its run succeeded, without the result | the run was stopped, or the log is cut; a call that the API runs |
| `unasked_result` | the call is missing | the call is from before the log |

The beginning of a log is missing if the first message of a session, or of a
sub-agent, has a parent that is not in the log. A stream has no such links:
there, the beginning is missing until a `system/init` or a `result` of the
session, and in the events of an agent server until an input or the end of a
turn.

In a transcript, the model continued after a call if one of its later messages
descends from the call by `parentUuid`; so an abandoned branch does not count.
In a stream, the order of lines decides, up to the end of the run.

Ids are unique within their session. A message that names no session belongs to
the session that was named last.
*/

mod dialect;
mod fields;
mod finding;
mod line;
mod links;
mod named;
mod ordered;
mod pairs;
mod parents;
mod rule;
mod table;
mod ways;

use linetape::{Position, message::Message};

use crate::{
    Facts,
    check::{
        fields::Report,
        finding::Findings,
        line::{Likeness, LineFacts},
        links::{Added, Links},
        ordered::Ordered,
        pairs::{Log, Pairs},
        table::Pairing,
        ways::Ways,
    },
    facts::Part,
    ids::{NameId, Names},
};

pub use dialect::Dialect;
pub use finding::Finding;
pub use named::UnknownName;
pub use rule::{Level, Rule};

/// Validates the messages of a log.
///
/// The documentation of the [module](crate::check) lists the rules.
///
/// # Costs
///
/// Time is in proportion to the text. Memory is about 210 bytes for each
/// message with its uuid, and 230 for each tool call; `finish` takes 50 more
/// for each message. Ids are kept, and nothing else of the text. Of each rule
/// and level, the first 1000 findings are kept, and the others are
/// [counted](Finding::and_more).
///
/// Use one checker for each file, since findings have only a position and no
/// file. To check the files of one session together, feed them to one checker.
///
/// Invalid lines are errors of the reader and never become messages. A report
/// should have both.
///
/// # Example
///
/// This shows how to check a log in which a result is missing.
///
/// ```
/// use linetape::lines;
/// use linetape_session::check::{Checker, Level, Rule};
///
/// let log = br#"{"type":"system","subtype":"init","session_id":"s"}
/// {"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]}}
/// {"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"It says Hello."}]}}
/// "#;
/// let mut checker = Checker::new();
/// let mut lines = lines(log);
/// while let Some(record) = lines.next_record() {
///     match record {
///         Ok(record) => checker.add(record.message(), record.position()),
///         Err(error) => println!("{error}"),
///     }
/// }
/// let findings = checker.finish();
/// assert_eq!(findings.len(), 1);
/// assert_eq!(findings[0].rule, Rule::UnansweredCall);
/// assert_eq!(findings[0].level, Level::Error);
/// assert_eq!(
///     findings[0].to_string(),
///     "line 2 (byte 52): unanswered_call: the call `t1` has no result"
/// );
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Checker {
    dialect: Option<Dialect>,
    names: Names,
    /// The session that was named last.
    session: Option<NameId>,
    links: Links,
    pairs: Pairs,
    ordered: Ordered,
    findings: Findings,
    /// A buffer for the calls and results of one message.
    parts: Vec<(Pairing, NameId)>,
}

impl Checker {
    /// Creates a checker that tells the dialect of each message from its
    /// shape.
    pub fn new() -> Checker {
        Checker::default()
    }

    /// Creates a checker that applies the rules of one dialect to all
    /// messages.
    pub fn with_dialect(dialect: Dialect) -> Checker {
        Checker { dialect: Some(dialect), ..Checker::default() }
    }

    /// Adds a message and the position of its line.
    pub fn add(&mut self, message: Message<'_>, position: Position) {
        self.add_facts(&Facts::of(message), position);
    }

    /// Adds a message by its facts, for a caller that has them already.
    pub fn add_facts(&mut self, facts: &Facts<'_>, position: Position) {
        let dialect =
            self.dialect.unwrap_or_else(|| Dialect::of(facts.message()));
        let (names, session) = (&mut self.names, self.session);
        let line = LineFacts::new(facts, dialect, position, session, names);
        self.session = line.session;

        let findings = &mut self.findings;
        let mut report = Report { findings, position };
        fields::check_fields(facts, line.profile(), &mut report);
        let mut likeness = Likeness::of(facts, &line);
        let parts = &mut self.parts;
        parts.clear();
        if dialect != Dialect::Specification {
            fields::check_blocks(facts, &mut report, |kind, pairing, id| {
                let id = id.map(|id| names.intern(id));
                likeness.add_block(kind, pairing, id);
                parts.extend(id.map(|id| (pairing, id)));
            });
        }
        if let Message::Ui(_) = facts.message() {
            let event = facts.parts().filter_map(|part| match part {
                Part::Call(call) => Some((Pairing::Call, call.id?)),
                Part::Answer(answer) => Some((Pairing::Result, answer.call?)),
            });
            parts.extend(event.map(|(part, id)| (part, names.intern(id))));
        }

        let (names, likeness) = (&self.names, likeness.finish());
        let place = match self.links.add(&line, likeness, names, findings) {
            Added::Again => return,
            Added::Apart => None,
            Added::At(place) => Some(place),
        };
        self.pairs.pass(facts, &line);
        if dialect == Dialect::Specification {
            self.ordered.add(facts, &line, place);
        }
        let mut log = Log { names, findings };
        for (pairing, id) in self.parts.drain(..) {
            match pairing {
                Pairing::Call | Pairing::RemoteCall => {
                    self.pairs.add_call(pairing, id, &line, place, &mut log);
                }
                Pairing::Result => self.pairs.add_result(id, &line, &mut log),
                Pairing::Other => {}
            }
        }
    }

    /// Applies the rules that need the whole log, and returns all findings in
    /// the order of the log.
    pub fn finish(self) -> Vec<Finding> {
        let (names, mut findings) = (&self.names, self.findings);
        let ways = Ways::new(&self.links);
        self.links.check(&ways, names, &mut findings);
        self.links.check_sides(&ways, &mut findings);
        let mut log = Log { names, findings: &mut findings };
        self.ordered.check(&self.links, &ways, &mut log);
        self.pairs.check(&self.links, &ways, &mut log);
        findings.sorted()
    }
}
