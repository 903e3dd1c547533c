//! `linetape schema --known`: the names that linetape knows.

use std::fmt;

use linetape::{
    Message,
    message::schema::{Item, ItemField},
};
use serde_json::{Map, Value, json};

/// A set of tables, and the function that lists its items.
type Tables = (&'static str, fn() -> Vec<Item>);

/// All sets of tables. The names of views are unique within a set.
const TABLES: &[Tables] =
    &[("messages", Message::schema), ("tools", linetape_tools::schema)];

/// The names of all sets of tables.
pub struct Known(Vec<(&'static str, Vec<Item>)>);

impl Known {
    pub fn new() -> Known {
        Known(TABLES.iter().map(|(name, items)| (*name, items())).collect())
    }

    /// Returns the names as JSON: for each set of tables, its structs, unions
    /// and enums by name.
    pub fn to_json(&self) -> Value {
        let tables = self.0.iter();
        let tables =
            tables.map(|(name, items)| (name.to_string(), to_json(items)));
        Value::Object(tables.collect())
    }
}

fn to_json(items: &[Item]) -> Value {
    let mut tables = json!({"structs": {}, "unions": {}, "enums": {}});
    for item in items {
        let (table, value) = match item {
            Item::Struct { parent, fields, .. } => {
                let fields: Vec<Value> = fields.iter().map(field).collect();
                ("structs", json!({"parent": parent, "fields": fields}))
            }
            Item::Union { by, variants, other, .. } => {
                let variants: Map<String, Value> = variants
                    .iter()
                    .map(|(text, view)| (text.to_string(), (*view).into()))
                    .collect();
                let union =
                    json!({"by": by, "variants": variants, "else": other});
                ("unions", union)
            }
            Item::Enum { values, .. } => ("enums", json!(values)),
            _ => continue,
        };
        tables[table][item.name()] = value;
    }
    tables
}

fn field(field: &ItemField) -> Value {
    json!({"key": field.key, "alias": field.alias, "type": field.kind})
}

/// The names as text, in the order of the tables.
impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items = self.0.iter().flat_map(|(_, items)| items);
        for (at, item) in items.enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            let name = item.name();
            match item {
                Item::Struct { parent, fields, .. } => {
                    let parent = parent.map(|p| format!(": {p}"));
                    let parent = parent.unwrap_or_default();
                    writeln!(f, "struct {name}{parent}")?;
                    for ItemField { key, alias, kind, .. } in *fields {
                        let alias = alias.map(|a| format!(" or {a}"));
                        let alias = alias.unwrap_or_default();
                        writeln!(f, "  {key}{alias}: {kind}")?;
                    }
                }
                Item::Union { by, variants, other, .. } => {
                    let by = by.unwrap_or("its only key");
                    writeln!(f, "union {name} by {by}, else {other}")?;
                    for (text, view) in *variants {
                        writeln!(f, "  {text}: {view}")?;
                    }
                }
                Item::Enum { values, .. } => {
                    writeln!(f, "enum {name}")?;
                    for value in *values {
                        writeln!(f, "  {value}")?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}
