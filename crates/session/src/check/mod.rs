/*!
Whether a log holds together.

A [`Checker`] is fed with the messages of a log, and tells what is wrong with
them as [`Finding`]s. There are rules for single messages: the fields that
their type needs, of the right type; timestamps. And there are rules for
messages together: a uuid is used once, a parent is there, a sub-agent stays on
its side, each call of a tool has its result and each result its call.

# Dialects

What a message must have depends on how the log is written. There are four
[`Dialect`]s, each with a table of its own, in `src/session/check/table`. (Three
of the documents that describe messages are about one of them, the stream.) A
message's dialect is told from its shape, unless one is
[forced](Checker::with_dialect).

# Errors and notes

Real logs are full of what a specification does not allow: sessions that are
forked, resumed, compacted or stopped. So a finding has a [`Level`]. What agents
do on purpose, and what may be so because the log is only a part of a session,
is a note. An error means that something is wrong.

| rule | error | note, or nothing |
|---|---|---|
| `required_field`, `structure`, `tool_call` | by the table | what some versions leave out, or may add |
| `timestamp` | not ISO 8601 | in a message of a type that is not known |
| `duplicate_uuid` | on two messages of a session | the same message again, in a transcript or stream |
| `missing_parent` | of what the user or the model said | in another session; before the log; lost with a fork or compaction; of a line that the program wrote |
| `parent_cycle` | always | |
| `order` | in the events of a server | elsewhere |
| `sidechain` | the flag comes or goes within a sub-agent's conversation; a sub-agent of a call that is not there | on a line that the program wrote; the call is from before the log |
| `repeated_call` | in two messages with ids | on several lines of one message: nothing |
| `repeated_result` | in the specification, and of a server | elsewhere: there may be branches |
| `unanswered_call` | the model went on, or ended its run well, without it | the run was stopped, or the log is cut; a call that the API runs |
| `unasked_result` | the call is not there | the call is from before the log |

A part is missing before the log if the first message of a session, or of a
sub-agent, follows one that is not there. A stream has no such links: there, it
is missing until the session's `system/init` or a `result` comes, and in the
events of a server until input or the end of a turn does.

A model goes on after a call if, in a transcript, one of its later messages
follows the call by `parentUuid`; so a branch that was given up does not count.
In a stream, it does so by the order of lines, up to the end of the run.

Identifiers count within their session. A message that does not name one is of
the session that was named last.
*/

mod dialect;
mod facts;
mod fields;
mod finding;
mod links;
mod ordered;
mod pairs;
mod parents;
mod rule;
mod table;
mod ways;

use linetape::{
    Position,
    message::{Message, server::UiEvent},
};

use crate::{
    check::{
        facts::{Likeness, NONE},
        fields::Report,
        finding::Findings,
        links::{Added, Links},
        ordered::Ordered,
        pairs::{Log, Pairs},
        table::Part,
        ways::Ways,
    },
    names::Names,
};

pub use dialect::Dialect;
pub use finding::Finding;
pub use rule::{Level, Rule};

/// Checks the messages of a log, one after the other.
///
/// The [module](crate::check) has the rules.
///
/// # What it costs
///
/// Time grows with the text, and nothing else. Memory is about 210 bytes for
/// each message with its uuid, and 230 for each call of a tool; `finish` takes
/// 50 more for each message. Identifiers are kept, and nothing else of the
/// text. Of each rule and level, the first 1000 findings are kept, and the
/// others are [counted](Finding::and_more).
///
/// Positions are taken as they are given, so use one checker for each file,
/// unless the files of one session are to be checked together.
///
/// Lines that are no records do not get here: they are errors of the reader,
/// and a report should have both.
///
/// # Example
///
/// This shows how to check a log. A result in it got lost.
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
#[derive(Clone, Debug)]
pub struct Checker {
    dialect: Option<Dialect>,
    names: Names,
    session: u32,
    links: Links,
    pairs: Pairs,
    ordered: Ordered,
    findings: Findings,
    /// The calls and results of a message, while it is looked at.
    parts: Vec<(Part, u32)>,
}

impl Default for Checker {
    fn default() -> Checker {
        Checker {
            dialect: None,
            names: Names::default(),
            session: NONE,
            links: Links::default(),
            pairs: Pairs::default(),
            ordered: Ordered::default(),
            findings: Findings::default(),
            parts: vec![],
        }
    }
}

impl Checker {
    /// A checker that has seen nothing, and tells the dialect of each message
    /// from its shape.
    pub fn new() -> Checker {
        Checker::default()
    }

    /// A checker that takes every message for one of a dialect.
    pub fn with_dialect(dialect: Dialect) -> Checker {
        Checker { dialect: Some(dialect), ..Checker::default() }
    }

    /// Adds a message that stands at a position.
    pub fn add(&mut self, message: Message<'_>, position: Position) {
        let dialect = self.dialect.unwrap_or_else(|| Dialect::of(message));
        let (names, session) = (&mut self.names, self.session);
        let facts = facts::read(message, dialect, position, session, names);
        self.session = facts.session;

        let findings = &mut self.findings;
        let mut report = Report { findings, position };
        fields::check_fields(message, facts.profile(), &mut report);
        let mut likeness = Likeness::of(message, &facts);
        let parts = &mut self.parts;
        parts.clear();
        if dialect != Dialect::Specification {
            fields::check_blocks(message, &mut report, |kind, part, id| {
                let id = id.map_or(NONE, |id| names.number(id));
                likeness.add_block(kind, part, id);
                parts.push((part, id));
            });
        }
        if let Message::Ui(ui) = message {
            let (part, id) = match ui.event() {
                UiEvent::ToolExecuting(call) => {
                    (Part::Call, call.tool_use_id())
                }
                UiEvent::ToolCompleted(result) => {
                    (Part::Result, result.tool_use_id())
                }
                _ => (Part::Other, None),
            };
            parts.extend(id.map(|id| (part, names.number(id))));
        }

        let (names, likeness) = (&self.names, likeness.finish());
        let place = match self.links.add(&facts, likeness, names, findings) {
            Added::Again => return,
            Added::Apart => NONE,
            Added::At(place) => place,
        };
        self.pairs.pass(message, &facts);
        if dialect == Dialect::Specification {
            self.ordered.add(message, &facts, place);
        }
        let mut log = Log { names, findings };
        for (part, id) in self.parts.drain(..).filter(|(_, id)| *id != NONE) {
            match part {
                Part::Call | Part::RemoteCall => {
                    self.pairs.add_call(part, id, &facts, place, &mut log);
                }
                Part::Result => self.pairs.add_result(id, &facts, &mut log),
                Part::Other => {}
            }
        }
    }

    /// What was found, in the order of the log.
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
