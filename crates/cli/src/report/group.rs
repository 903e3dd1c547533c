//! Inputs that have lines of the same sessions.

use std::collections::{HashMap, HashSet};

use linetape::Level;

use crate::{
    files::Files,
    gathered::{gathered, rereadable},
    input::Input,
    outcome::Outcome,
    plain::plain,
    spool::Spool,
};

/// Files that are read together.
pub struct Group {
    pub inputs: Vec<Input>,
}

impl Group {
    /// Returns whether all files can be read again.
    pub fn is_rereadable(&self) -> bool {
        self.inputs.iter().all(|input| rereadable(input).is_some())
    }
}

/// All groups.
pub struct Groups {
    pub all: Vec<Group>,
    /// The sessions of all inputs, if there is more than one input.
    pub sessions: HashSet<String>,
}

/// Returns the inputs in groups: two inputs with lines of the same session are
/// in one group, such as a session and its sub-agents. A pipe can be read only
/// once, so it is copied to a temporary file first, unless it is alone.
pub fn grouped(
    inputs: Vec<Input>,
    files: &Files,
    outcome: &mut Outcome,
) -> Groups {
    let inputs = match inputs.len() {
        1 => inputs,
        _ => copied(inputs, outcome),
    };
    let inputs = gathered(inputs, files);
    if inputs.len() == 1 {
        let all = vec![Group { inputs }];
        return Groups { all, sessions: HashSet::new() };
    }
    // For each input, the index of another one of the same group, or its own.
    let mut leaders: Vec<usize> = (0..inputs.len()).collect();
    let mut first: HashMap<String, usize> = HashMap::new();
    for (at, input) in inputs.iter().enumerate() {
        for session in sessions(input, files) {
            let other = *first.entry(session).or_insert(at);
            let (a, b) = (leader(&leaders, at), leader(&leaders, other));
            if let Some(slot) = leaders.get_mut(a.max(b)) {
                *slot = a.min(b);
            }
        }
    }
    let mut groups: Vec<Group> = vec![];
    let mut of_leader: HashMap<usize, usize> = HashMap::new();
    for (at, input) in inputs.into_iter().enumerate() {
        let leader = leader(&leaders, at);
        let group = *of_leader.entry(leader).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Group { inputs: vec![] });
        }
        if let Some(group) = groups.get_mut(group) {
            group.inputs.push(input);
        }
    }
    Groups { all: groups, sessions: first.into_keys().collect() }
}

/// Returns the inputs with copies in place of pipes. A pipe that cannot be
/// read is reported, and left out.
fn copied(inputs: Vec<Input>, outcome: &mut Outcome) -> Vec<Input> {
    let mut spool = Spool::default();
    let mut all = vec![];
    for input in inputs {
        let name = input.name();
        match input.copied(&mut spool) {
            Ok(input) => all.push(input),
            Err(error) => outcome.report(&name, &error, Outcome::CouldNotRun),
        }
    }
    all
}

fn leader(leaders: &[usize], mut at: usize) -> usize {
    while let Some(next) = leaders.get(at).filter(|next| **next != at) {
        at = *next;
    }
    at
}

/// Returns the sessions that an input has lines of.
fn sessions(input: &Input, files: &Files) -> HashSet<String> {
    let mut found = HashSet::new();
    let Some(file) = rereadable(input) else { return found };
    let mut reader = files.reader(Level::Peek).build(plain(file));
    while let Some(line) = reader.next_line() {
        let Ok(line) = line else { continue };
        let Ok(message) = line.peek() else { continue };
        let Some(id) = message.session_id() else { continue };
        found.insert(id.to_string());
    }
    found
}
