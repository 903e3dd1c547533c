//! The matchers of files that are followed.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use serde_json::{Map, Value};

use crate::select::filter::{Filter, Matcher};

/// How many files that are gone are remembered. They may come back.
const GONE: usize = 1000;

/// One matcher for each file, since a result matches by a call of its file.
pub struct Matchers<'f> {
    filter: &'f Filter,
    /// The only one, if calls do not matter.
    any: Matcher<'f>,
    by_name: BTreeMap<Arc<str>, Matcher<'f>>,
    /// Those of files that change places, after the first of them has moved.
    displaced: BTreeMap<Arc<str>, Matcher<'f>>,
    gone: VecDeque<(Arc<str>, Matcher<'f>)>,
}

impl<'f> Matchers<'f> {
    /// Creates the matchers. `calls` are those of earlier runs.
    pub fn new(filter: &'f Filter, calls: &Value) -> Matchers<'f> {
        let calls = calls.as_object().into_iter().flatten();
        let calls = calls.filter(|_| filter.needs_calls());
        let by_name = calls
            .map(|(name, ids)| (name.as_str().into(), filter.matcher(ids)));
        Matchers {
            filter,
            any: filter.matcher(&Value::Null),
            by_name: by_name.collect(),
            displaced: BTreeMap::new(),
            gone: VecDeque::new(),
        }
    }

    /// Returns the matcher of a file.
    pub fn get(&mut self, name: Arc<str>) -> &mut Matcher<'f> {
        if !self.filter.needs_calls() {
            return &mut self.any;
        }
        let (filter, gone) = (self.filter, &mut self.gone);
        self.by_name.entry(name).or_insert_with_key(|name| {
            let is_it = |(other, _): &(Arc<str>, _)| other == name;
            let back = gone.iter().position(is_it);
            match back.and_then(|index| gone.remove(index)) {
                Some((_, matcher)) => matcher,
                None => filter.matcher(&Value::Null),
            }
        })
    }

    /// Notes that a file was moved. Its old name is free, or another file gets
    /// it next.
    pub fn moved(&mut self, old: &str, name: Arc<str>) {
        if !self.filter.needs_calls() {
            return;
        }
        let moved = match self.displaced.remove(old) {
            Some(displaced) => displaced,
            // It may have been gone for a moment.
            None => {
                self.get(old.into());
                let Some(matcher) = self.by_name.remove(old) else { return };
                matcher
            }
        };
        if let Some(other) = self.by_name.insert(name.clone(), moved) {
            self.displaced.insert(name, other);
        }
    }

    /// Notes that a file is gone.
    pub fn gone(&mut self, name: &str) {
        if let Some((name, matcher)) = self.by_name.remove_entry(name)
            && matcher.has_calls()
        {
            self.gone.push_back((name, matcher));
            if self.gone.len() > GONE {
                self.gone.pop_front();
            }
        }
    }

    /// Notes that a file was truncated.
    pub fn truncated(&mut self, name: &str) {
        self.by_name.remove(name);
        self.gone.retain(|(other, _)| **other != *name);
    }

    /// Notes that another file has this name now.
    pub fn replaced(&mut self, name: &str) {
        if let Some(matcher) = self.by_name.get_mut(name) {
            matcher.replace();
        }
        self.gone.retain(|(other, _)| **other != *name);
    }

    /// Returns the calls, for the next run.
    pub fn to_json(&self) -> Value {
        let gone = self.gone.iter().map(|(name, matcher)| (name, matcher));
        let all = gone.chain(&self.by_name);
        let all = all.filter(|(_, matcher)| matcher.has_calls());
        let calls = all.map(|(name, m)| (name.to_string(), m.calls()));
        Value::Object(calls.collect::<Map<_, _>>())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        filter: Filter,
    }

    fn filter() -> Filter {
        Arguments::parse_from(["", "--tool", "Read"]).filter
    }

    /// Matchers were never removed, so that they took more and more memory.
    #[test]
    fn files_that_are_gone_are_forgotten() {
        let filter = filter();
        let mut matchers = Matchers::new(&filter, &json!({"old": ["t"]}));
        for n in 0..3 * GONE {
            let name: Arc<str> = n.to_string().into();
            let calls = match n % 2 {
                0 => json!(["t1"]),
                _ => json!([]),
            };
            *matchers.get(name.clone()) = filter.matcher(&calls);
            matchers.gone(&name);
        }
        let names = |matchers: &Matchers<'_>| {
            let calls = matchers.to_json();
            calls.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(matchers.by_name.len(), 1);
        assert_eq!(matchers.gone.len(), GONE);
        let last = (3 * GONE - 2).to_string();
        assert!(names(&matchers).contains(&last));
        assert!(!names(&matchers).contains(&"0".to_string()));
        // One that comes back, and one that is truncated.
        assert_eq!(matchers.get(last.into()).calls(), json!(["t1"]));
        matchers.truncated("old");
        assert!(!names(&matchers).contains(&"old".to_string()));
    }

    /// The calls of one file were those of another after both were moved.
    #[test]
    fn calls_move_with_their_files() {
        let filter = filter();
        let calls = json!({"a": ["1"], "b": ["2"], "c": ["3"]});
        let mut matchers = Matchers::new(&filter, &calls);
        // Two change places.
        matchers.moved("b", "a".into());
        matchers.moved("a", "b".into());
        let expected = json!({"a": ["2"], "b": ["1"], "c": ["3"]});
        assert_eq!(matchers.to_json(), expected);
        // The last of a row leaves its path first.
        matchers.moved("b", "d".into());
        matchers.moved("a", "b".into());
        let expected = json!({"b": ["2"], "c": ["3"], "d": ["1"]});
        assert_eq!(matchers.to_json(), expected);
        // One without calls is moved, and another one gets its path.
        matchers.moved("none", "a".into());
        matchers.moved("c", "none".into());
        assert_eq!(matchers.to_json()["none"], json!(["3"]));
        assert!(matchers.displaced.is_empty());
        matchers.replaced("d");
        assert_eq!(matchers.to_json().get("d"), None);
    }
}
