//! The fixtures cover the tables: each event, tool, type and field.

use std::collections::BTreeSet;

use linetape::message::schema::{Item, ItemField};
use linetape_tools::schema;
use serde_json::Value as Json;

const HOOKS: &str = include_str!("../data/hook_inputs.jsonl");
const ANSWERS: &str = include_str!("../data/hook_answers.jsonl");
const CALLS: &str = include_str!("../data/tools.jsonl");

fn lines(log: &str) -> Vec<Json> {
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the variants of a union: texts and views.
fn variants(
    items: &[Item],
    union: &str,
) -> &'static [(&'static str, &'static str)] {
    let found = items.iter().find_map(|item| match item {
        Item::Union { name, variants, .. } if *name == union => {
            Some(*variants)
        }
        _ => None,
    });
    found.unwrap()
}

/// Returns the fields of a struct, followed by those of its parents.
fn fields_of(items: &[Item], name: &str) -> Vec<ItemField> {
    let (mut all, mut next) = (vec![], Some(name));
    while let Some(name) = next {
        let item = items.iter().find(|item| item.name() == name);
        let Some(Item::Struct { parent, fields, .. }) = item else {
            panic!("{name} is no struct");
        };
        all.extend(*fields);
        next = *parent;
    }
    all
}

/// The fields that fixtures have, by type.
struct Seen<'k> {
    items: &'k [Item],
    fields: BTreeSet<(&'static str, &'static str)>,
}

impl Seen<'_> {
    /// Adds the members of a value that is read as the given type.
    fn add(&mut self, kind: &str, json: &Json) {
        let kind = kind.trim_matches(|c: char| "[{( )}]".contains(c));
        let Some(item) = self.items.iter().find(|item| item.name() == kind)
        else {
            return;
        };
        match (item, json) {
            (Item::Struct { .. }, Json::Object(members)) => {
                self.add_members(item.name(), members);
            }
            (Item::Union { by: Some(key), variants, .. }, json) => {
                let text = json[key].as_str().unwrap();
                let view = variants.iter().find(|(known, _)| *known == text);
                if let Some((_, view)) = view {
                    self.add(view, json);
                }
            }
            _ => {}
        }
    }

    fn add_members(
        &mut self,
        name: &'static str,
        members: &serde_json::Map<String, Json>,
    ) {
        for field in fields_of(self.items, name) {
            for key in [Some(field.key), field.alias].into_iter().flatten() {
                let Some(value) = members.get(key) else { continue };
                self.fields.insert((name, key));
                match (&field.kind[..1], value) {
                    ("[", Json::Array(items)) => {
                        items.iter().for_each(|v| self.add(field.kind, v));
                    }
                    ("{", Json::Object(map)) => {
                        map.values().for_each(|v| self.add(field.kind, v));
                    }
                    (_, value) => self.add(field.kind, value),
                }
            }
        }
    }
}

/// The types that only other types extend. They are never read themselves.
fn only_parents(items: &[Item]) -> BTreeSet<&'static str> {
    let mut parents = BTreeSet::new();
    let mut used = BTreeSet::new();
    for item in items {
        match item {
            Item::Struct { parent, fields, .. } => {
                parents.extend(*parent);
                used.extend(fields.iter().map(|field| {
                    field.kind.trim_matches(|c: char| "[{( )}]".contains(c))
                }));
            }
            Item::Union { variants, .. } => {
                used.extend(variants.iter().map(|(_, view)| *view));
            }
            _ => {}
        }
    }
    parents.difference(&used).copied().collect()
}

#[test]
fn every_event_has_a_line() {
    let items = schema();
    let found: Vec<Json> = lines(HOOKS);
    let found: BTreeSet<&str> =
        found.iter().map(|l| l["hook_event_name"].as_str().unwrap()).collect();
    let events = variants(&items, "HookInput");
    assert_eq!(events.len(), 33);
    for (event, _) in events {
        assert!(
            found.contains(event),
            "tests/data/hook_inputs.jsonl has no line with the event {event}"
        );
    }
}

#[test]
fn every_event_with_an_answer_of_its_own_has_a_line() {
    let items = schema();
    let found = lines(ANSWERS);
    let output = "/response/response/hookSpecificOutput/hookEventName";
    let found: BTreeSet<&str> = found
        .iter()
        .filter_map(|line| line.pointer(output)?.as_str())
        .collect();
    let events = variants(&items, "HookSpecificOutput");
    assert_eq!(events.len(), 22);
    for (event, _) in events {
        assert!(
            found.contains(event),
            "tests/data/hook_answers.jsonl has no answer to {event}"
        );
    }
}

#[test]
fn every_tool_has_a_use_and_a_result() {
    let found = lines(CALLS);
    let name = |line: &Json| {
        let name = line.pointer("/message/content/0/name")?;
        Some(name.as_str()?.to_string())
    };
    let pairs: BTreeSet<String> = found
        .chunks(2)
        .filter(|pair| pair[1].get("toolUseResult").is_some())
        .filter_map(|pair| name(&pair[0]))
        .collect();
    let items = schema();
    let names = |union| {
        let tools = variants(&items, union).iter();
        tools.map(|(name, _)| name.to_string()).collect::<BTreeSet<_>>()
    };
    assert_eq!(names("ToolInput"), names("ToolResult"));
    let names = names("ToolInput");
    assert_eq!(names.len(), 30);
    assert_eq!(pairs, names, "tests/data/tools.jsonl has every name");
}

#[test]
fn every_field_has_a_value_in_a_fixture() {
    let items = schema();
    let mut seen = Seen { items: &items, fields: BTreeSet::new() };
    for line in lines(HOOKS) {
        seen.add("HookInput", &line);
        seen.add("OtherHook", &line);
    }
    for line in lines(ANSWERS) {
        let answer = line.pointer("/response/response").unwrap();
        seen.add("HookAnswer", answer);
        if let Some(output) = answer.get("hookSpecificOutput") {
            seen.add("OtherOutput", output);
        }
    }
    for pair in lines(CALLS).chunks(2) {
        let call = pair[0].pointer("/message/content/0").unwrap();
        let name = call["name"].as_str().unwrap();
        let view = |union| {
            let tools = variants(&items, union).iter();
            tools.copied().find(|(tool, _)| *tool == name).unwrap().1
        };
        seen.add(view("ToolInput"), &call["input"]);
        seen.add(view("ToolResult"), &pair[1]["toolUseResult"]);
    }
    // A remark is a bare string, not a member.
    seen.fields.insert(("SearchResult", "text"));

    let parents = only_parents(&items);
    for item in &items {
        let Item::Struct { name, .. } = item else { continue };
        if parents.contains(name) {
            continue;
        }
        for field in fields_of(&items, name) {
            for key in [Some(field.key), field.alias].into_iter().flatten() {
                assert!(
                    seen.fields.contains(&(name, key)),
                    "no fixture has the field {key} of {name}"
                );
            }
        }
    }
}
