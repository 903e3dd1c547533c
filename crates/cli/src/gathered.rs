//! The files of sessions: their order, and what is said about sub-agents.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use linetape::Level;
use linetape_session::Facts;
use serde_json::{Map, Value};

use crate::{files::Files, input::Input, plain::plain};

/// The first lines of a log that are read for its session and time.
const HEAD: usize = 200;

/// A longer description of a sub-agent is not read, in bytes.
const MOST: u64 = 1 << 20;

/// Returns the inputs in order: each session is where its first file was, and
/// its files are in the order of their times.
pub fn gathered(inputs: Vec<Input>, files: &Files) -> Vec<Input> {
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
    let mut reader = files.reader(Level::Line).build(plain(file));
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
    pub path: PathBuf,
    pub agent: String,
    pub bytes: Vec<u8>,
}

impl Described {
    /// Reads the file beside a transcript, if there is one.
    pub fn beside(path: &Path) -> Option<Described> {
        let name = path.file_name()?.to_str()?.strip_prefix("agent-")?;
        let (agent, _) = name.split_once('.')?;
        let path = path.with_file_name(format!("agent-{agent}.meta.json"));
        // Most transcripts have none.
        let is_small = fs::metadata(&path).is_ok_and(|m| m.len() < MOST);
        let bytes = fs::read(&path).ok().filter(|_| is_small)?;
        Some(Described { path, agent: agent.to_string(), bytes })
    }

    /// Calls `add` with the agent, its type, its task and the id of its call.
    ///
    /// # Errors
    ///
    /// If the file is not an object.
    pub fn tell(
        &self,
        add: impl FnOnce(&str, Option<&str>, Option<&str>, Option<&str>),
    ) -> serde_json::Result<()> {
        let meta: Map<String, Value> = serde_json::from_slice(&self.bytes)?;
        let text = |key| meta.get(key).and_then(Value::as_str);
        let (kind, task) = (text("agentType"), text("description"));
        add(&self.agent, kind, task, text("toolUseId"));
        Ok(())
    }
}
