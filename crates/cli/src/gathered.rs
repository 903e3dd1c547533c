//! The files of sessions: those of sub-agents beside them, their order, and
//! what is said about sub-agents.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use linetape_flow::Logs;
use linetape_session::Facts;
use serde_json::{Map, Value};

use crate::{files::Files, input::Input, plain::plain};

/// The first lines of a log that are read for its session and time.
const HEAD: usize = 200;

/// A longer description of a sub-agent is not read, in bytes.
const MOST: u64 = 1 << 20;

/// Returns the inputs with the transcripts of their sub-agents, which are in
/// `NAME/subagents/` for `NAME.jsonl`. Each session is where its first file
/// was, and its files are in the order of their times.
pub fn gathered(inputs: Vec<Input>, files: &Files) -> Vec<Input> {
    let inputs = with_agents(inputs);
    if inputs.len() == 1 {
        return inputs;
    }
    let mut sessions: HashMap<String, usize> = HashMap::new();
    let mut placed: Vec<((usize, i64), Input)> = vec![];
    for (at, input) in inputs.into_iter().enumerate() {
        let Head { session, time } = head(&input, files);
        let first = match session {
            Some(session) => *sessions.entry(session).or_insert(at),
            None => at,
        };
        placed.push(((first, time.unwrap_or(i64::MAX)), input));
    }
    // Stable: files of the same time are in the order of their paths.
    placed.sort_by_key(|(key, _)| *key);
    placed.into_iter().map(|(_, input)| input).collect()
}

/// Returns the inputs, each with its sub-agents unless they are given.
fn with_agents(inputs: Vec<Input>) -> Vec<Input> {
    let is_real = |path: &Path| fs::canonicalize(path).ok();
    let paths = inputs.iter().filter_map(Input::path);
    let mut known: HashSet<PathBuf> = paths.filter_map(is_real).collect();
    let mut all = vec![];
    for input in inputs {
        let folder = input.path().and_then(agents_of);
        all.push(input);
        let agents = folder.map(|folder| Logs::find(folder).files);
        for agent in agents.into_iter().flatten() {
            if is_real(&agent).is_some_and(|path| known.insert(path)) {
                all.push(Input::File(agent));
            }
        }
    }
    all
}

/// Returns the folder with the sub-agents of a transcript, if there is one.
fn agents_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let (name, _) = name.split_once(".jsonl")?;
    let folder = path.with_file_name(name).join("subagents");
    folder.is_dir().then_some(folder)
}

/// What the first lines of a log say.
#[derive(Default)]
struct Head {
    session: Option<String>,
    time: Option<i64>,
}

/// Reads the first lines of an input, if they can be read again.
fn head(input: &Input, files: &Files) -> Head {
    let mut head = Head::default();
    let Some(file) = rereadable(input) else { return head };
    let mut reader = files.reader().build(plain(file));
    for _ in 0..HEAD {
        let Some(line) = reader.next_line() else { break };
        let Ok(line) = line else { continue };
        let Ok(message) = line.peek() else { continue };
        let facts = Facts::of(message);
        let session = facts.session_name().map(|name| name.into_owned());
        head.session = head.session.or(session);
        head.time = head.time.or(facts.time());
        if head.session.is_some() && head.time.is_some() {
            break;
        }
    }
    head
}

/// Opens an input that can be opened again. A pipe would lose what is read.
pub fn rereadable(input: &Input) -> Option<Box<dyn Read>> {
    if let Input::Copy(copy, _) = input {
        return Some(Box::new(copy.clone()));
    }
    let path = input.path().filter(|_| input.size().is_some())?;
    Some(Box::new(File::open(path).ok()?))
}

/// The file `agent-ID.meta.json` beside `agent-ID.jsonl`.
pub struct Described {
    pub agent: String,
    pub bytes: Vec<u8>,
}

impl Described {
    /// Reads the file beside a transcript, if there is one.
    pub fn beside(path: &Path) -> Option<Described> {
        let name = path.file_name()?.to_str()?.strip_prefix("agent-")?;
        let (agent, _) = name.split_once('.')?;
        let path = path.with_file_name(format!("agent-{agent}.meta.json"));
        // Most transcripts have none, and `stats` complains about a bad one.
        let is_small = fs::metadata(&path).is_ok_and(|m| m.len() < MOST);
        let bytes = fs::read(path).ok().filter(|_| is_small)?;
        Some(Described { agent: agent.to_string(), bytes })
    }

    /// Calls `add` with the agent, its type, its task and the id of its call.
    /// Returns whether the file is an object.
    pub fn tell(
        &self,
        add: impl FnOnce(&str, Option<&str>, Option<&str>, Option<&str>),
    ) -> bool {
        let meta = serde_json::from_slice::<Map<String, Value>>(&self.bytes);
        let Ok(meta) = meta else { return false };
        let text = |key| meta.get(key).and_then(Value::as_str);
        let (kind, task) = (text("agentType"), text("description"));
        add(&self.agent, kind, task, text("toolUseId"));
        true
    }
}
