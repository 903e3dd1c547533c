//! The reference implementation of `linetape schema`, on serde_json.

use std::collections::{BTreeMap, BTreeSet};

use linetape::{
    Decoder,
    message::{PathStep, Reading},
};
use serde_json::{Value, json};

use crate::support::reference::Record;

/// Returns the paths of all kinds, and the number of their values.
pub fn values(report: &Value) -> BTreeMap<String, u64> {
    let kinds = report["kinds"].as_array().unwrap().iter();
    let rows = kinds.flat_map(|kind| kind["paths"].as_array().unwrap());
    let mut values = BTreeMap::new();
    for row in rows {
        let path = row["path"].as_str().unwrap().to_string();
        let count = row["values"].as_u64().unwrap();
        assert_eq!(values.insert(path, count), None, "{row}");
    }
    values
}

/// A path, as the reference implementation counts it.
#[derive(Debug)]
struct Row {
    path: String,
    records: usize,
    values: usize,
    types: BTreeMap<&'static str, u64>,
    example: Value,
    /// Whether the path has a `*`, and why.
    any: Any,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Any {
    Nothing,
    /// A key of a map.
    Entry,
    /// One of too many keys: the record count is an upper bound.
    TooMany,
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the path of a member, or of the members with any key.
fn path_of(path: &str, key: Option<&str>) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || "_-$".contains(c);
    let dot = if path.is_empty() { "" } else { "." };
    match key {
        None => format!("{path}{dot}*"),
        Some(key) if !key.is_empty() && key.chars().all(word) => {
            format!("{path}{dot}{key}")
        }
        Some(key) => format!("{path}[{}]", json!(key)),
    }
}

/// What only the schema knows, so this is not independent of it.
#[derive(Default)]
struct Known {
    /// The paths of maps.
    maps: BTreeSet<String>,
    /// The paths of fields. Only other keys can be too many.
    fields: BTreeSet<String>,
}

fn add_known(record: &Record<'_>, known: &mut Known) {
    let mut decoder = Decoder::new();
    let decoded = decoder.decode(record.line).unwrap();
    decoded.message().visit(|visited| {
        let mut path = String::new();
        for step in visited.path {
            path = match step {
                PathStep::Key(key) => path_of(&path, Some(key)),
                PathStep::Index(_) => format!("{path}[]"),
                PathStep::Entry(_) => {
                    known.maps.insert(path.clone());
                    path_of(&path, None)
                }
            };
        }
        if visited.reading != Reading::UnknownKey {
            known.fields.insert(path);
        }
    });
}

/// Adds the paths below one path, from all its values. Each value has the index
/// of its record.
fn add_rows(
    known: &Known,
    path: &str,
    any: Any,
    values: &[(usize, &Value)],
    rows: &mut Vec<Row>,
) {
    let mut groups: BTreeMap<(u8, &str), Vec<(usize, &Value)>> =
        BTreeMap::new();
    let objects = values.iter().filter_map(|(_, v)| v.as_object());
    let is_field = |key| known.fields.contains(&path_of(path, Some(key)));
    let keys = objects.flat_map(|object| object.keys());
    let keys: BTreeSet<&String> = keys.filter(|key| !is_field(key)).collect();
    let is_map = known.maps.contains(path);
    let are_many = keys.len() > 64;
    for (record, value) in values {
        for item in value.as_array().into_iter().flatten() {
            groups.entry((0, "")).or_default().push((*record, item));
        }
        for (key, member) in value.as_object().into_iter().flatten() {
            let is_any = is_map || are_many && !is_field(key);
            let group = if is_any { (1, "") } else { (2, &key[..]) };
            groups.entry(group).or_default().push((*record, member));
        }
    }
    for ((kind, key), values) in groups {
        let path = match kind {
            0 => format!("{path}[]"),
            1 => path_of(path, None),
            _ => path_of(path, Some(key)),
        };
        let records: BTreeSet<usize> = values.iter().map(|v| v.0).collect();
        let mut types = BTreeMap::new();
        for (_, value) in &values {
            *types.entry(type_of(value)).or_default() += 1;
        }
        let is_plain =
            |v: &&Value| !["null", "object", "array"].contains(&type_of(v));
        let example = values.iter().map(|v| v.1).find(is_plain).cloned();
        let example = match example {
            Some(Value::String(text)) if text.chars().count() > 40 => {
                let start: String = text.chars().take(40).collect();
                json!(start + "...")
            }
            example => json!(example),
        };
        let any = match kind {
            1 if is_map && any != Any::TooMany => Any::Entry,
            1 => Any::TooMany,
            _ => any,
        };
        rows.push(Row {
            any,
            records: records.len(),
            values: values.len(),
            types,
            example,
            path: path.clone(),
        });
        add_rows(known, &path, any, &values, rows);
    }
}

/// Returns the type and subtype of a record.
fn kind(record: &Record<'_>) -> (Option<String>, Option<String>) {
    let name = record.names.first().cloned();
    let subtype = record.object["subtype"].as_str().map(str::to_string);
    let has_subtype = record.names.len() != 1;
    (name, subtype.filter(|_| has_subtype))
}

/// Compares a report with the reference implementation, and returns the number
/// of paths.
pub fn check(report: &Value, records: &[Record<'_>]) -> usize {
    let mut kinds: BTreeMap<_, Vec<(usize, &Value)>> = BTreeMap::new();
    for (number, record) in records.iter().enumerate() {
        let values = kinds.entry(kind(record)).or_default();
        values.push((number, &record.object));
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, values)| std::cmp::Reverse(values.len()));
    assert_eq!(report["records"], records.len());
    assert_eq!(report["left_out"], 0);
    let reported = report["kinds"].as_array().unwrap();
    assert_eq!(reported.len(), kinds.len());
    let mut paths = 0;
    for (reported, ((name, subtype), values)) in reported.iter().zip(kinds) {
        assert_eq!(reported["type"], json!(name));
        assert_eq!(reported["subtype"], json!(subtype));
        assert_eq!(reported["records"], values.len());
        let mut rows = vec![];
        let mut known = Known::default();
        values.iter().for_each(|(at, _)| add_known(&records[*at], &mut known));
        add_rows(&known, "", Any::Nothing, &values, &mut rows);
        let reported = reported["paths"].as_array().unwrap();
        let names = reported.iter().map(|row| row["path"].as_str().unwrap());
        let expected = rows.iter().map(|row| row.path.as_str());
        assert_eq!(names.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        paths += rows.len();
        for (reported, row) in reported.iter().zip(rows) {
            assert_eq!(reported["values"], row.values, "{row:?}");
            assert_eq!(reported["types"], json!(row.types), "{row:?}");
            if row.any == Any::TooMany {
                let records = reported["records"].as_u64().unwrap() as usize;
                let most = row.values.min(values.len());
                assert!((row.records..=most).contains(&records), "{row:?}");
            } else {
                assert_eq!(reported["records"], row.records, "{row:?}");
            }
            // The reference does not know the order of a map's entries.
            if row.any == Any::Nothing {
                assert_eq!(reported["example"], row.example, "{row:?}");
            }
        }
    }
    paths
}
