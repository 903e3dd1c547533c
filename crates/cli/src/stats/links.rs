//! Links between sessions, and between tool calls and sub-agents.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use linetape::Message;
use linetape_session::Facts;
use serde_json::{Map, Value, json};

use crate::{input::Input, outcome::print_message};

/// Links between sessions, and the sub-agents of the logs.
#[derive(Default)]
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
    /// The sub-agent whose transcript begins here: a copy of the message that
    /// started it is next.
    begun: Option<String>,
}

/// A sub-agent, as the agent program describes it beside its transcript.
struct Agent {
    kind: Option<String>,
    /// The tool call that started it.
    call: Option<String>,
}

impl Links {
    /// Adds the links that a line states.
    pub fn add(&mut self, facts: &Facts<'_>) {
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
                self.begun.clone_from(&agent);
                self.forked_agents.extend(agent.zip(parent));
            }
            Message::User(_) => self.begun = None,
            Message::Assistant(_) if self.begun.is_some() => {
                self.add_start(facts);
            }
            Message::AgentMetadata(agent) => {
                let text = |text: Option<&str>| text.map(str::to_string);
                let id = text(agent.agent_id());
                let kind = text(agent.agent_type());
                let call = text(agent.tool_use_id());
                self.agents.extend(id.map(|id| (id, Agent { kind, call })));
            }
            _ => {}
        }
    }

    /// Adds the call that started a forked sub-agent, from the copy of the
    /// message that made it. Of several calls, it is not known which one.
    fn add_start(&mut self, facts: &Facts<'_>) {
        let agent = self.begun.clone();
        let agent = agent.filter(|id| facts.agent_id() == Some(id));
        let mut calls = facts.calls();
        if let (Some(id), Some(call), None) =
            (agent, calls.next(), calls.next())
        {
            let call = call.id.map(str::to_string);
            let kind = Some("fork".to_string());
            self.agents.entry(id).or_insert(Agent { kind, call });
        }
    }

    /// Adds the session from which the session of a line was forked. Called
    /// for the first message of a session, since all that were copied state
    /// it.
    pub fn add_fork(&mut self, facts: &Facts<'_>) {
        let from = facts.message().envelope().forked_from();
        let from = from.and_then(|from| from.session_id());
        let session = facts.session_name().map(|id| id.into_owned());
        self.forked.extend(session.zip(from.map(str::to_string)));
    }

    /// Adds the sub-agent of a transcript: `agent-ID.meta.json` beside
    /// `agent-ID.jsonl` describes it.
    pub fn add_description(&mut self, input: &Input) {
        let Some(path) = input.path() else { return };
        let Some(id) = agent_of(path) else { return };
        let path = path.with_file_name(format!("agent-{id}.meta.json"));
        // Most transcripts have none.
        let Ok(text) = fs::read(&path) else { return };
        match serde_json::from_slice::<Map<String, Value>>(&text) {
            Ok(object) => {
                let text = |key| {
                    object.get(key)?.as_str().map(|text| text.to_string())
                };
                let (kind, call) = (text("agentType"), text("toolUseId"));
                self.agents.insert(id.to_string(), Agent { kind, call });
            }
            Err(error) => print_message(&format!(
                "{}: not a description of a sub-agent: {error}",
                path.display()
            )),
        }
    }

    /// Returns everything as JSON, for [`load`](Links::load).
    pub fn save(&self) -> Value {
        let agents = self.agents.iter();
        let agents: Vec<_> =
            agents.map(|(id, a)| json!([id, a.kind, a.call])).collect();
        json!([self.continued, self.forked, agents, self.forked_agents])
    }

    /// Reads what [`save`](Links::save) returned.
    pub fn load(saved: &Value) -> Option<Links> {
        let text = |value: &Value| value.as_str().map(str::to_string);
        let pairs = |pairs: &Value| -> Option<BTreeSet<(String, String)>> {
            let pairs = pairs.as_array()?.iter();
            let pair = |pair: &Value| Some((text(&pair[0])?, text(&pair[1])?));
            pairs.map(pair).collect()
        };
        let agents = saved[2].as_array()?.iter().map(|agent| {
            let (kind, call) = (text(&agent[1]), text(&agent[2]));
            Some((text(&agent[0])?, Agent { kind, call }))
        });
        Some(Links {
            continued: pairs(&saved[0])?,
            forked: pairs(&saved[1])?,
            forked_agents: pairs(&saved[3])?,
            agents: agents.collect::<Option<_>>()?,
            begun: None,
        })
    }

    pub fn append(&mut self, later: Links) {
        self.continued.extend(later.continued);
        self.forked.extend(later.forked);
        self.forked_agents.extend(later.forked_agents);
        self.agents.extend(later.agents);
    }

    /// Returns the links between sessions as JSON.
    pub fn to_json(&self) -> Vec<Value> {
        let continued = self.continued.iter();
        let continued = continued.map(|(session, next)| {
            json!({"session": session, "continued_in": next})
        });
        let forked = self.forked.iter().map(
            |(session, from)| json!({"session": session, "forked_from": from}),
        );
        let agents = self.forked_agents.iter().map(|(agent, from)| {
            json!({"session": from, "agent": agent, "forked_from": from})
        });
        continued.chain(forked).chain(agents).collect()
    }

    /// Returns the sub-agents as JSON.
    pub fn agents_to_json(&self) -> Vec<Value> {
        let agents = self.agents.iter();
        agents
            .map(|(id, Agent { kind, call })| {
                json!({"agent": id, "type": kind, "tool_use_id": call})
            })
            .collect()
    }

    /// Returns the links as lines of text.
    pub fn to_lines(&self) -> Vec<String> {
        let continued = self.continued.iter();
        let continued = continued.map(|(session, next)| {
            format!("session {session} continues in {next}")
        });
        let forked = self.forked.iter().map(|(session, from)| {
            format!("session {session} was forked from {from}")
        });
        let forked_agents = self.forked_agents.iter().map(|(agent, from)| {
            format!("sub-agent {agent} was forked from session {from}")
        });
        let forked = forked.chain(forked_agents);
        let agents = self.agents.iter().filter_map(|(id, agent)| {
            let kind = agent.kind.as_deref().unwrap_or("unknown type");
            let call = agent.call.as_ref()?;
            Some(format!("sub-agent {id} ({kind}) was started by {call}"))
        });
        continued.chain(forked).chain(agents).collect()
    }
}

/// Returns the id of the sub-agent whose transcript a file is.
fn agent_of(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_prefix("agent-")?;
    let endings = [".jsonl", ".jsonl.gz", ".jsonl.zst"];
    endings.iter().find_map(|ending| name.strip_suffix(ending))
}
