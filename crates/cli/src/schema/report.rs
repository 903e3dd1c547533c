//! The report of `linetape schema`, as text and as JSON.

use std::{cmp::Reverse, fmt};

use linetape::{Escaped, value::JsonType};
use serde_json::{Map, Value, json};

use crate::{
    fit::folded,
    owner::label,
    schema::{
        contents::{Contents, Kind, Name},
        counts::{Counts, Doubt},
        path,
        tree::{Id, MAX_PATHS, MAX_TEXT, Step, Tree},
    },
    table::{Cell, Table, grouped},
};

const LONGEST_PATH: usize = 100;

pub struct Report<'c> {
    contents: &'c Contents,
    /// The kinds, by number of records, the largest first.
    kinds: Vec<(&'c Name, &'c Kind)>,
}

impl<'c> Report<'c> {
    pub fn new(contents: &'c Contents) -> Report<'c> {
        let mut kinds: Vec<_> = contents.kinds.iter().collect();
        let tree = &contents.tree;
        kinds.sort_by_key(|(name, kind)| {
            (Reverse(tree.counts(kind.root).records), *name)
        });
        Report { contents, kinds }
    }

    /// Returns the report as JSON, which takes a few times the memory of the
    /// tree.
    pub fn to_json(&self) -> Value {
        let tree = &self.contents.tree;
        let kind = |(name, kind): &(&Name, &Kind)| {
            let paths = rows(tree, kind.root).into_iter();
            let mut object = json!({
                "type": name.0,
                "subtype": name.1,
                "records": tree.counts(kind.root).records,
                "known": kind.unknown == 0,
                "paths": paths.map(to_json).collect::<Value>(),
            });
            if let Some(of) = name.2 {
                object["of"] = of.into();
            }
            object
        };
        json!({
            "records": self.contents.records,
            "kinds": self.kinds.iter().map(kind).collect::<Value>(),
            "left_out": tree.left_out,
        })
    }
}

/// A path, and its counts.
type Row<'t> = (String, &'t Counts);

/// Returns all paths below a node, each before its extensions.
fn rows(tree: &Tree, root: Id) -> Vec<Row<'_>> {
    let mut rows = vec![];
    add_rows(tree, root, "", &mut rows);
    rows
}

fn add_rows<'t>(tree: &'t Tree, id: Id, path: &str, rows: &mut Vec<Row<'t>>) {
    for (step, id) in tree.below(id) {
        let path = match step {
            Step::Item => path::item(path),
            Step::Any => path::any(path),
            Step::Key(key) => path::member(path, key),
        };
        rows.push((path.clone(), tree.counts(id)));
        add_rows(tree, id, &path, rows);
    }
}

fn to_json((path, counts): Row<'_>) -> Value {
    let types = JsonType::ALL.iter().zip(counts.types);
    let types = types.filter(|(_, count)| *count > 0);
    let types = types.map(|(t, count)| (t.as_str().to_string(), count.into()));
    let doubts = Doubt::ALL.iter().zip(counts.doubts);
    let doubts = doubts.filter(|(_, count)| *count > 0);
    let doubts =
        doubts.map(|(d, count)| (d.words().0.to_string(), count.into()));
    let doubts: Map<String, Value> = doubts.collect();
    json!({
        "path": path,
        "records": counts.records,
        "values": counts.values(),
        "types": types.collect::<Map<String, Value>>(),
        "example": counts.example,
        "known": doubts.is_empty(),
        "doubts": doubts,
    })
}

impl Doubt {
    /// Returns the name in JSON, the flag in text, and what it means.
    fn words(self) -> (&'static str, char, &'static str) {
        match self {
            Doubt::Key => ("unknown_key", '?', "unknown key or type"),
            Doubt::Type => ("other_type", '!', "unexpected JSON type"),
            Doubt::Text => ("unknown_text", '~', "unknown string value"),
            Doubt::Hidden => {
                let meaning = "ignored: another member takes precedence";
                ("hidden", '=', meaning)
            }
        }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tree = &self.contents.tree;
        let mut used = [false; Doubt::ALL.len()];
        if self.kinds.is_empty() {
            writeln!(f, "No records.")?;
        }
        for (at, ((name, subtype, of), kind)) in self.kinds.iter().enumerate()
        {
            let unknown = kind.unknown > 0;
            used[Doubt::Key as usize] |= unknown;
            let flag = if unknown { "? " } else { "" };
            let name = label(name.as_deref(), subtype.as_deref(), *of);
            let name = folded(&name, LONGEST_PATH);
            let records = tree.counts(kind.root).records;
            let noun = if records == 1 { "record" } else { "records" };
            let gap = if at > 0 { "\n" } else { "" };
            writeln!(f, "{gap}{flag}{name}, {} {noun}", grouped(records))?;
            write_table(f, &rows(tree, kind.root), &mut used)?;
        }
        if tree.left_out > 0 {
            let (count, most) =
                (grouped(tree.left_out), grouped(MAX_PATHS as u64));
            writeln!(
                f,
                "\n{count} values are left out: the limit is {most} paths, \
                 {} MiB in total.",
                MAX_TEXT >> 20
            )?;
        }
        if used.contains(&true) {
            writeln!(f)?;
        }
        for doubt in Doubt::ALL {
            if used[doubt as usize] {
                let (_, flag, meaning) = doubt.words();
                writeln!(f, "{flag} {meaning}")?;
            }
        }
        Ok(())
    }
}

/// Writes the paths of one kind, and records which flags are used.
fn write_table(
    f: &mut fmt::Formatter<'_>,
    rows: &[Row<'_>],
    used: &mut [bool; Doubt::ALL.len()],
) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let mut table =
        Table::new(&["  path", "records", "values", "types", "example"])
            .with_text_at_the_end();
    for (path, counts) in rows {
        // The most serious doubt is shown.
        let doubt =
            Doubt::ALL.into_iter().find(|d| counts.doubts[*d as usize] > 0);
        let flag = doubt.map_or(' ', |doubt| doubt.words().1);
        if let Some(doubt) = doubt {
            used[doubt as usize] = true;
        }
        let example = counts.example.as_ref().map(ToString::to_string);
        let example = example.unwrap_or_default();
        table.row([
            Cell::Text(format!("{flag} {}", folded(path, LONGEST_PATH))),
            counts.records.into(),
            counts.values().into(),
            types(counts).into(),
            Escaped::new(&example).to_string().into(),
        ]);
    }
    write!(f, "{table}")
}

/// Returns the types of the values, with counts if there are several.
fn types(counts: &Counts) -> String {
    let seen = JsonType::ALL.iter().zip(counts.types);
    let seen: Vec<_> = seen.filter(|(_, count)| *count > 0).collect();
    if let [(only, _)] = seen[..] {
        return only.as_str().to_string();
    }
    let seen =
        seen.iter().map(|(t, n)| format!("{} {}", t.as_str(), grouped(*n)));
    seen.collect::<Vec<_>>().join(", ")
}
