/*!
Validation of logs.

A [`Checker`] takes the messages of a log and reports violations of its rules
as [`Finding`]s. Some rules apply to single messages: required fields, field
types, timestamps. Others apply to links between messages: uuids are unique,
parents exist, a child of a sidechain message is in the sidechain, each tool
call has a result and each result has a call.

# Dialects

The fields of a message depend on the dialect of the log. There are four
[`Dialect`]s: Agent SDK messages are checked as stream-json. Each has a table in
`src/check/table`. The checker determines the dialect of each message by its
shape, unless [`Checker::with_dialect`] sets one.

# Errors and notes

Real logs deviate from a specification in many ways: sessions are forked,
resumed, compacted or stopped. So a finding has a [`Level`]. It is a note if
agents write such lines on purpose, or if the log may be only a part of a
session. Otherwise it is an error.

| rule | error | note, or nothing |
|---|---|---|
| `required_field`, `structure`, `tool_call` | by the table | fields that only some versions write |
| `timestamp` | not ISO 8601 | in a message of an unknown type |
| `duplicate_uuid` | two messages of a session have the same uuid | a transcript or stream repeats a message |
| `missing_parent` | the parent of a message of the user or the model is not in the log | the parent is in another session, precedes the log, or was lost in a fork or compaction; the parent of a line that the agent program wrote |
| `parent_cycle` | always | |
| `order` | in the events of an agent server | in other dialects |
| `sidechain` | the flag appears or disappears within a conversation; the call that started a sub-agent is missing | on a line that the agent program wrote; the call precedes the log |
| `repeated_call` | two messages with ids contain the same call | nothing, if the call is on several lines of one message |
| `repeated_result` | in the specification dialect, and for an agent server | in other dialects, where the results may be on different branches |
| `unanswered_call` | the model continued, or its run succeeded, without the result | the run was stopped, or the log is incomplete; a call that the API runs |
| `unasked_result` | the call is missing | the call precedes the log |
| `lost_writes` | the agent program reports a hole in a transcript: `system/session_writes_lost`, `system/mirror_error` | only its configuration was not saved |

The beginning of a log is missing if the first message of a session, or of a
sub-agent, has a parent that is not in the log. A stream has no such links: its
beginning is missing unless there was a `system/init` or a `result` of the
session before. The beginning of an agent server's log is missing unless there
was an input or the end of a turn before.

In a transcript, the model continued after a call if one of its later messages
is a descendant of the call by `parentUuid`, so abandoned branches do not
count. In a stream, the model continued after a call if it wrote a later
message in the same run.

A message [nested](Message::nested) in a `progress` line has no envelope: its
message, timestamp, content blocks, calls and results are checked.

A sub-agent that was forked from its parent begins with a copy of the parent's
last message. The calls in it, and their results, are not the sub-agent's own.

Ids are unique within their session. A message without a session id belongs to
the session of the last message that has one.
*/

mod ancestry;
mod dialect;
mod fields;
mod finding;
mod forks;
mod line;
mod links;
mod lost;
mod named;
mod ordered;
mod pairs;
mod parents;
mod rule;
mod table;

use linetape::{Position, message::Message};

use crate::{
    Facts,
    check::{
        ancestry::Ancestry,
        fields::Report,
        finding::Findings,
        line::{Fingerprint, LineFacts},
        links::{Added, Links},
        ordered::Ordered,
        pairs::{Log, Pairs},
        table::Pairing,
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
/// message with its uuid, and 230 for each tool call; `finish` needs 50 more
/// for each message. Ids are kept, but no other text. For each rule and level,
/// the first 1000 findings are kept, and the others are
/// [counted](Finding::and_more).
///
/// Use one checker for each file, since a finding has a position but no file
/// name. To check the files of one session together, add them to one checker.
///
/// Invalid lines are errors of the reader and never become messages. A report
/// should contain both.
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
    /// The session of the last message with a session id.
    session: Option<NameId>,
    links: Links,
    pairs: Pairs,
    ordered: Ordered,
    findings: Findings,
    /// A reused buffer for the calls and results of one message.
    parts: Vec<(Pairing, NameId)>,
}

impl Checker {
    /// Creates a checker that determines the dialect of each message by its
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

    /// Adds a message by its facts.
    pub fn add_facts(&mut self, facts: &Facts<'_>, position: Position) {
        let dialect =
            self.dialect.unwrap_or_else(|| match facts.is_partial() {
                true => Dialect::Transcript,
                false => Dialect::of(facts.message()),
            });
        let (names, session) = (&mut self.names, self.session);
        let line = LineFacts::new(facts, dialect, position, session, names);
        self.session = line.session;

        let findings = &mut self.findings;
        let mut report = Report { findings, position };
        lost::check_lost(facts.message(), &mut report);
        match facts.is_partial() {
            true => fields::check_partial(facts, line.profile(), &mut report),
            false => fields::check_fields(facts, line.profile(), &mut report),
        }
        if let Some(agent) = facts.forked_agent() {
            self.pairs.forks.begin(line.session, names.intern(agent));
        }
        self.pairs.forks.observe(&line);
        let mut fingerprint = Fingerprint::of(facts, &line);
        let parts = &mut self.parts;
        parts.clear();
        if dialect != Dialect::Specification {
            fields::check_blocks(facts, &mut report, |kind, pairing, id| {
                let id = id.map(|id| names.intern(id));
                fingerprint.add_block(kind, pairing, id);
                parts.extend(id.map(|id| (pairing, id)));
            });
        }
        if let Message::Ui(_) = facts.message() {
            let event = facts.parts().filter_map(|part| match part {
                Part::Call(call) => Some((Pairing::Call, call.id()?)),
                Part::Answer(answer) => Some((Pairing::Result, answer.call?)),
            });
            parts.extend(event.map(|(part, id)| (part, names.intern(id))));
        }

        let (names, fingerprint) = (&self.names, fingerprint.finish());
        let added = match facts.is_partial() {
            // It has no parent, and may have a line of its own as well.
            true => Added::Unlinked,
            false => self.links.add(&line, fingerprint, names, findings),
        };
        let node = match added {
            Added::Repeated => return,
            Added::Unlinked => None,
            Added::New(node) => Some(node),
        };
        self.pairs.observe(facts, &line);
        if dialect == Dialect::Specification {
            self.ordered.add(facts, &line, node);
        }
        let mut log = Log { names, findings };
        for (pairing, id) in self.parts.drain(..) {
            if self.pairs.forks.is_copy(pairing, id, &line) {
                continue;
            }
            match pairing {
                Pairing::Call | Pairing::RemoteCall => {
                    self.pairs.add_call(pairing, id, &line, node, &mut log);
                }
                Pairing::Result => self.pairs.add_result(id, &line, &mut log),
                Pairing::Other => {}
            }
        }
        for nested in facts.nested() {
            self.add_facts(&nested, position);
        }
    }

    /// Applies the rules that need the whole log, and returns all findings in
    /// log order.
    pub fn finish(self) -> Vec<Finding> {
        let (names, mut findings) = (&self.names, self.findings);
        let ancestry = Ancestry::new(&self.links);
        self.links.check(&ancestry, names, &mut findings);
        self.links.check_sides(&ancestry, &mut findings);
        let mut log = Log { names, findings: &mut findings };
        self.ordered.check(&self.links, &ancestry, &mut log);
        self.pairs.check(&self.links, &ancestry, &mut log);
        findings.sorted()
    }
}
