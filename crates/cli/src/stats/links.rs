//! Links between sessions, and between tool calls and sub-agents.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use linetape::Message;
use linetape_session::{Facts, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{gathered::Described, input::Input, outcome::print_message};

/// Links between sessions, and the sub-agents of the logs.
#[derive(Default, Serialize, Deserialize)]
pub struct Links {
    /// Pairs of sessions: the conversation of the first one continues in the
    /// second.
    continued: BTreeSet<(String, String)>,
    /// Pairs of sessions: the first one was forked from the second.
    forked: BTreeSet<(String, String)>,
    /// Sub-agents that were forked from their parents, and the sessions of
    /// these.
    forked_agents: BTreeSet<(String, String)>,
    /// Sub-agents by id.
    agents: BTreeMap<String, Agent>,
    /// The types of sub-agents that calls ask for, by call.
    asked: BTreeMap<String, String>,
    /// By session, how many were read before it, and the uuid of its first
    /// message.
    first: BTreeMap<String, (usize, String)>,
    /// What waits for the next lines of each input.
    #[serde(default)]
    pub waiting: BTreeMap<String, Waiting>,
    /// What waits after the lines of this part.
    #[serde(skip)]
    last: Waiting,
    #[serde(skip)]
    head: Head,
}

/// What the next lines say more about.
#[derive(Default, Serialize, Deserialize)]
pub struct Waiting {
    /// The sub-agent whose transcript begins here: a copy of the message that
    /// started it is next.
    begun: Option<String>,
    /// The description of the sub-agent that writes the next message.
    described: Option<Agent>,
}

/// What the part before this one can wait for.
#[derive(Default)]
struct Head {
    /// The sub-agents whose transcripts can begin here.
    started: BTreeMap<String, Agent>,
    /// Whether they cannot begin here any more.
    is_over: bool,
    /// The sub-agent that writes the first message, unless a description is
    /// before it. `None` if there is neither.
    first: Option<Option<String>>,
}

/// A sub-agent, as the agent program describes it.
#[derive(Default, Serialize, Deserialize)]
struct Agent {
    kind: Option<String>,
    /// The tool call that started it.
    call: Option<String>,
}

impl Links {
    /// Adds the links that a line states.
    pub fn add(&mut self, facts: &Facts<'_>) {
        if facts.role() != Role::Other {
            self.add_agents(facts);
        }
        let session = || facts.session_name().map(|id| id.into_owned());
        match facts.message() {
            Message::ContinuedIn(line) => {
                let next = line.continued_in_session_id();
                let pair = session().zip(next.map(str::to_string));
                self.continued.extend(pair);
            }
            Message::ForkContextRef(line) => {
                let agent = line.agent_id().map(str::to_string);
                let parent = line.parent_session_id().map(str::to_string);
                self.last.begun.clone_from(&agent);
                self.head.is_over = true;
                self.forked_agents.extend(agent.zip(parent));
            }
            Message::User(_) => {
                self.last.begun = None;
                self.head.is_over = true;
            }
            Message::Assistant(_) => {
                self.add_start(facts);
                self.add_asked(facts);
            }
            Message::AgentMetadata(line) => {
                let text = |text: Option<&str>| text.map(str::to_string);
                let kind = text(line.agent_type());
                let call = text(line.tool_use_id());
                let agent = Agent { kind, call };
                match facts.agent_id() {
                    Some(id) => self.describe(id, agent),
                    None => {
                        self.last.described = Some(agent);
                        self.head.first.get_or_insert(None);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds the sub-agents that a message names: its own one, if a line
    /// before it describes it or if it is nested in a line that names the
    /// call, and the one whose result it has.
    fn add_agents(&mut self, facts: &Facts<'_>) {
        let described = self.last.described.take();
        let named = |call: &str| {
            let call = Some(call.to_string());
            Agent { kind: None, call }
        };
        let id = facts.agent_id();
        self.head.first.get_or_insert_with(|| id.map(str::to_string));
        if let Some(id) = id {
            let call =
                facts.parent_tool_use_id().filter(|_| facts.is_nested());
            let said = described.into_iter().chain(call.map(named));
            said.for_each(|agent| self.describe(id, agent));
        }
        let Message::User(user) = facts.message() else { return };
        let result = user.tool_use_result();
        let text = |key| result.and_then(|result| result.get(key)?.as_str());
        let Some(id) = text("agentId") else { return };
        let kind = text("agentType").filter(|kind| !kind.is_empty());
        let kind = kind.map(str::to_string);
        let mut answers = facts.answers();
        // It is about all results if there are several.
        if let (Some(answer), None) = (answers.next(), answers.next())
            && let Some(call) = answer.call
        {
            self.describe(id, Agent { kind, ..named(call) });
        }
    }

    /// Adds what is said about a sub-agent. The last one who says it is right.
    fn describe(&mut self, id: &str, said: Agent) {
        match self.agents.get_mut(id) {
            Some(agent) => {
                agent.kind = said.kind.or(agent.kind.take());
                agent.call = said.call.or(agent.call.take());
            }
            None => _ = self.agents.insert(id.to_string(), said),
        }
    }

    /// Adds the call that started a forked sub-agent, from the copy of the
    /// message that made it, or perhaps such a call if the transcript may begin
    /// in an earlier part. Of several calls, it is not known which one.
    fn add_start(&mut self, facts: &Facts<'_>) {
        let Some(id) = facts.agent_id() else { return };
        let agents = match &self.last.begun {
            Some(begun) if begun == id => &mut self.agents,
            None if !self.head.is_over => &mut self.head.started,
            _ => return,
        };
        let mut calls = facts.calls();
        if let (Some(call), None) = (calls.next(), calls.next()) {
            let call = call.id().map(str::to_string);
            let kind = Some("fork".to_string());
            agents.entry(id.to_string()).or_insert(Agent { kind, call });
        }
    }

    /// Adds the types of sub-agents that the calls of a message ask for.
    fn add_asked(&mut self, facts: &Facts<'_>) {
        for call in facts.calls() {
            let asked = call.input().and_then(|input| {
                let kind = input.get("subagent_type")?.as_str()?;
                let kind = Some(kind).filter(|kind| !kind.is_empty())?;
                Some((call.id()?.to_string(), kind.to_string()))
            });
            self.asked.extend(asked);
        }
    }

    /// Returns the type of a sub-agent: the one that the agent program states,
    /// or else the one that its call asked for.
    fn kind<'a>(&'a self, agent: &'a Agent) -> Option<&'a str> {
        let asked = || self.asked.get(agent.call.as_ref()?);
        agent.kind.as_ref().or_else(asked).map(String::as_str)
    }

    /// Adds the session from which the session of a line was forked. All lines
    /// that were copied state it.
    pub fn add_fork(&mut self, facts: &Facts<'_>) {
        let from = facts.message().envelope().forked_from();
        let from = from.and_then(|from| from.session_id());
        let pair = facts.session_name().zip(from);
        let pair = pair.map(|(id, from)| (id.into_owned(), from.to_string()));
        self.forked.extend(pair);
    }

    /// Adds a message of a session, which is the first one if no other was
    /// added.
    pub fn add_first(&mut self, session: &str, uuid: &str) {
        if !self.first.contains_key(session) {
            let first = (self.first.len(), uuid.to_string());
            self.first.insert(session.to_string(), first);
        }
    }

    /// Returns the sessions in reading order, each with the uuid of its first
    /// message.
    fn in_order(&self) -> Vec<(&str, &str)> {
        let mut first: Vec<_> = self.first.iter().collect();
        first.sort_by_key(|(_, (at, _))| *at);
        let first = first.into_iter();
        first.map(|(session, (_, uuid))| (&**session, &**uuid)).collect()
    }

    /// Returns the sessions that begin with messages of another one, which was
    /// read before, unless one of both states it: the file of a fork may be read
    /// before that of the original.
    fn copies(&self) -> Vec<(&str, &str)> {
        let mut owners: HashMap<&str, &str> = HashMap::new();
        let mut copies = vec![];
        for (session, uuid) in self.in_order() {
            let owner = *owners.entry(uuid).or_insert(session);
            let link = |one: &str, other: &str| {
                let link = (one.to_string(), other.to_string());
                self.forked.contains(&link)
            };
            if owner != session
                && !link(session, owner)
                && !link(owner, session)
            {
                copies.push((session, owner));
            }
        }
        copies
    }

    /// Adds the sub-agent of a transcript: `agent-ID.meta.json` beside
    /// `agent-ID.jsonl` describes it.
    pub fn add_description(&mut self, input: &Input) {
        let Some(path) = input.path() else { return };
        let Some(described) = Described::beside(path) else { return };
        let text = |text: Option<&str>| text.map(str::to_string);
        let told = described.tell(|agent, kind, _, call| {
            let (kind, call) = (text(kind), text(call));
            self.describe(agent, Agent { kind, call });
        });
        if let Err(error) = told {
            print_message(&format!(
                "{}: not a description of a sub-agent: {error}",
                described.path.display()
            ));
        }
    }

    /// Adds the links of a later part, which is of the input with this key.
    pub fn append(&mut self, mut later: Links, key: &str) {
        let before = self.waiting.remove(key).unwrap_or_default();
        if let Some(begun) = before.begun {
            if let Some(agent) = later.head.started.remove(&begun) {
                self.agents.entry(begun.clone()).or_insert(agent);
            }
            if !later.head.is_over {
                later.last.begun = Some(begun);
            }
        }
        match (before.described, later.head.first.take()) {
            (Some(agent), Some(Some(id))) => self.describe(&id, agent),
            (described @ Some(_), None) => later.last.described = described,
            _ => {}
        }
        for (session, uuid) in later.in_order() {
            self.add_first(session, uuid);
        }
        if later.last.begun.is_some() || later.last.described.is_some() {
            self.waiting.insert(key.to_string(), later.last);
        }
        self.continued.extend(later.continued);
        self.forked.extend(later.forked);
        self.forked_agents.extend(later.forked_agents);
        for (id, agent) in later.agents {
            self.describe(&id, agent);
        }
        self.asked.extend(later.asked);
    }

    /// Returns the links between sessions: the session, what it has to do with
    /// the other one, as a key and in words, and the other session.
    fn related(&self) -> impl Iterator<Item = [&str; 4]> {
        let continued = self.continued.iter().map(|(session, next)| {
            [&**session, "continued_in", "continues in", &**next]
        });
        let forked = self.forked.iter().map(|(session, from)| {
            [&**session, "forked_from", "was forked from", &**from]
        });
        let copies = self.copies().into_iter().map(|(session, owner)| {
            let words = "begins with messages of session";
            [session, "begins_as", words, owner]
        });
        continued.chain(forked).chain(copies)
    }

    /// Returns the links between sessions as JSON.
    pub fn to_json(&self) -> Vec<Value> {
        let related = self.related();
        let related = related.map(
            |[session, key, _, other]| json!({"session": session, key: other}),
        );
        let agents = self.forked_agents.iter().map(|(agent, from)| {
            json!({"session": from, "agent": agent, "forked_from": from})
        });
        related.chain(agents).collect()
    }

    /// Returns the sub-agents as JSON.
    pub fn agents_to_json(&self) -> Vec<Value> {
        let agents = self.agents.iter();
        agents
            .map(|(id, agent)| {
                let kind = self.kind(agent);
                json!({"agent": id, "type": kind, "tool_use_id": agent.call})
            })
            .collect()
    }

    /// Returns the links as lines of text.
    pub fn to_lines(&self) -> Vec<String> {
        let related = self.related();
        let related = related.map(|[session, _, words, other]| {
            format!("session {session} {words} {other}")
        });
        let forked = self.forked_agents.iter().map(|(agent, from)| {
            format!("sub-agent {agent} was forked from session {from}")
        });
        let agents = self.agents.iter().filter_map(|(id, agent)| {
            let kind = self.kind(agent).unwrap_or("unknown type");
            let call = agent.call.as_ref()?;
            Some(format!("sub-agent {id} ({kind}) was started by {call}"))
        });
        related.chain(forked).chain(agents).collect()
    }
}
