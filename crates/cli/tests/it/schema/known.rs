//! `linetape schema --known`: the names that linetape knows.

use linetape::{Message, message::schema::Item};
use serde_json::{Value, json};

use crate::support::{document, linetape, text};

fn known() -> Value {
    document(&linetape(&["schema", "--known", "--json"], b""))["messages"]
        .clone()
}

#[test]
fn every_item_of_the_tables_is_printed() {
    let known = known();
    for item in Message::schema() {
        let name = item.name();
        let (table, expected) = match item {
            Item::Struct { parent, fields, .. } => {
                let fields: Vec<Value> = fields
                    .iter()
                    .map(|field| {
                        json!({
                            "key": field.key,
                            "alias": field.alias,
                            "type": field.kind,
                        })
                    })
                    .collect();
                ("structs", json!({"parent": parent, "fields": fields}))
            }
            Item::Union { by, variants, other, .. } => {
                let mut named = json!({});
                for (text, view) in variants {
                    named[text] = json!(view);
                }
                let union =
                    json!({"by": by, "variants": named, "else": other});
                ("unions", union)
            }
            Item::Enum { values, .. } => ("enums", json!(values)),
            other => panic!("a new kind of item: {other:?}"),
        };
        assert_eq!(known[table][name], expected, "{name}");
    }
    let count: usize = ["structs", "unions", "enums"]
        .iter()
        .map(|table| known[table].as_object().unwrap().len())
        .sum();
    assert_eq!(count, Message::schema().len());
}

#[test]
fn names_have_their_keys_on_the_wire() {
    let known = known();
    assert_eq!(
        known["structs"]["ForkedFrom"]["fields"][0],
        json!({"key": "messageUuid", "alias": null, "type": "str"})
    );
    assert_eq!(known["unions"]["Message"]["variants"]["system"], "System");
    assert_eq!(known["unions"]["System"]["by"], "subtype");
    assert_eq!(known["unions"]["System"]["variants"]["init"], "Init");
    assert_eq!(known["unions"]["UiEvent"]["by"], Value::Null);
    let modes = known["enums"]["PermissionMode"].as_array().unwrap();
    assert!(modes.contains(&json!("acceptEdits")), "{modes:?}");
}

#[test]
fn tools_and_hooks_are_known() {
    let report = document(&linetape(&["schema", "--known", "--json"], b""));
    let unions = &report["tools"]["unions"];
    assert_eq!(unions["HookInput"]["by"], "hook_event_name");
    let tools = unions["ToolInput"]["variants"].as_object().unwrap();
    assert!(tools.contains_key("Bash") && tools.contains_key("Task"));
}

#[test]
fn the_text_has_a_line_for_each_name() {
    let output = linetape(&["schema", "--known"], b"");
    let page = text(&output.stdout);
    let mut items = Message::schema();
    items.extend(linetape_tools::schema());
    let blocks: Vec<&str> = page.split("\n\n").collect();
    assert_eq!(blocks.len(), items.len());
    for (block, item) in blocks.iter().zip(&items) {
        let mut lines = block.lines();
        let head = lines.next().unwrap();
        assert_eq!(head.split([' ', ':']).nth(1), Some(item.name()));
        let names = match item {
            Item::Struct { fields, .. } => fields.len(),
            Item::Union { variants, .. } => variants.len(),
            Item::Enum { values, .. } => values.len(),
            other => panic!("a new kind of item: {other:?}"),
        };
        assert_eq!(lines.count(), names, "{head}");
    }
    assert!(page.contains("\n  session_id or sessionId: str\n"), "{page}");
}

#[test]
fn it_reads_no_input() {
    let output = linetape(&["schema", "--known", "session.jsonl"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot be used with"));
}
