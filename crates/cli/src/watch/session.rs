//! What is known about a session.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::SystemTime,
};

use linetape_session::{Facts, UsageTotals};
use serde_json::{Value, json};

use crate::usage::{total_cost, with_tokens};

/// A session.
pub struct Session {
    pub name: String,
    path: PathBuf,
    /// Its files, and the offset after its last line in each.
    files: BTreeMap<PathBuf, u64>,
    pub model: Option<String>,
    /// The last tool that was called.
    pub tool: Option<String>,
    pub totals: UsageTotals,
    /// When the file of its last line was changed.
    pub changed: SystemTime,
    pub is_shown: bool,
}

impl Session {
    pub fn new(name: &str, path: &Path, changed: SystemTime) -> Session {
        Session {
            name: name.to_string(),
            path: path.to_path_buf(),
            files: BTreeMap::new(),
            model: None,
            tool: None,
            totals: UsageTotals::new(),
            changed,
            is_shown: false,
        }
    }

    /// Notes that a file was moved.
    pub fn move_file(&mut self, old: &Path, path: &Path) {
        if let Some(end) = self.files.remove(old) {
            self.files.insert(path.to_path_buf(), end);
        }
        if self.path == old {
            self.path = path.to_path_buf();
            self.is_shown = false;
        }
    }

    /// Returns whether some of its lines are in a file.
    pub fn is_in(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    /// Returns its files, and the offset after its last line in each.
    pub fn into_files(self) -> BTreeMap<PathBuf, u64> {
        self.files
    }

    /// Notes that a file has a line that ends at an offset.
    pub fn note_line(&mut self, path: &Path, end: u64) {
        match self.files.get_mut(path) {
            Some(known) => *known = end,
            None => _ = self.files.insert(path.to_path_buf(), end),
        }
    }

    pub fn add(&mut self, facts: &Facts<'_>) {
        self.totals.add_facts(facts);
        self.is_shown = false;
        let model = facts.said().and_then(|said| said.model);
        // The agent program writes messages of its own.
        let model = model.filter(|model| *model != "<synthetic>");
        if let Some(model) = model.filter(|_| !facts.is_sidechain()) {
            self.model = Some(model.to_string());
        }
        if let Some(tool) = facts.calls().filter_map(|call| call.name()).last()
        {
            self.tool = Some(tool.to_string());
        }
    }

    /// Returns the cost that the agent reports.
    pub fn cost_usd(&self) -> Option<f64> {
        total_cost(&self.totals)
    }

    /// Returns the session as JSON, with the names of `linetape usage`.
    pub fn to_json(&self) -> Value {
        let total = self.totals.total();
        json!({
            "session": self.name,
            "model": self.model,
            "messages": total.messages,
            "usage": with_tokens(json!({}), total.tokens),
            "tool": self.tool,
            "cost_usd": self.cost_usd(),
            "file": self.path.to_string_lossy(),
        })
    }
}
