//! Dependencies go one way: a module uses only modules of lower layers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The layers, the highest first. Modules of one layer do not use each other.
const LAYERS: &[&[&str]] = &[
    &["reader"],
    &["chunks", "slice"],
    &["bytes_line", "edit", "framer", "owned_line"],
    &["line"],
    &["skim", "write"],
    &["record", "salvage"],
    &["owned"],
    &["message"],
    &["json"],
    &["lines"],
    &["limits", "error", "idle", "level"],
    &["escape", "scan", "timestamp"],
];

#[test]
fn a_module_uses_only_lower_layers() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let edges = edges(&src);
    let modules: BTreeSet<&str> = edges.keys().map(String::as_str).collect();
    let listed: BTreeSet<&str> = LAYERS.concat().into_iter().collect();
    assert_eq!(modules, listed, "LAYERS lists the modules of src/");

    let wrong = wrong_edges(&edges);
    assert!(wrong.is_empty(), "these go up: {wrong:#?}");
}

/// The test above does not see `super::` paths.
#[test]
fn modules_are_named_from_the_crate_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    for file in rust_files(&src) {
        let code = fs::read_to_string(&file).unwrap();
        let code = code.split("#[cfg(test)]\nmod tests").next().unwrap();
        assert!(!code.contains("super::"), "{}", file.display());
    }
}

/// The first test would pass if it saw no paths at all.
#[test]
fn an_edge_that_goes_up_is_found() {
    let code = "use crate::{error::Error, line::Line};\n\
                fn f() -> crate::reader::Reader<()> { g() }\n\
                /// See [`crate::chunks`].\n\
                // crate::slice\n\
                #[cfg(test)]\nmod tests { use crate::slice::lines; }\n";
    let used = used_modules(code);
    let expected = ["error", "line", "reader"].map(str::to_string);
    assert_eq!(used, expected.into());
    let edges = BTreeMap::from([("lines".to_string(), used)]);
    let wrong = ["lines -> line", "lines -> reader"];
    assert_eq!(wrong_edges(&edges), wrong);
}

fn wrong_edges(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let layer =
        |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
    let mut wrong = vec![];
    for (from, used) in edges {
        for to in used.iter().filter(|to| *to != from) {
            if layer(to).is_none() || layer(to) <= layer(from) {
                wrong.push(format!("{from} -> {to}"));
            }
        }
    }
    wrong
}

/// Returns the modules that each top-level module of `src` uses.
fn edges(src: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut edges = BTreeMap::<String, BTreeSet<String>>::new();
    for file in rust_files(src) {
        let inside = file.strip_prefix(src).unwrap().with_extension("");
        let module = inside.iter().next().unwrap().to_str().unwrap();
        if module != "lib" {
            let code = fs::read_to_string(&file).unwrap();
            let used = used_modules(&code);
            edges.entry(module.to_string()).or_default().extend(used);
        }
    }
    edges
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns the first segment of each `crate::` path, outside of comments and
/// tests.
fn used_modules(code: &str) -> BTreeSet<String> {
    let code = code.split("#[cfg(test)]\nmod tests").next().unwrap();
    // A documentation block is only at the top of a file.
    let code = match code.strip_prefix("/*!") {
        Some(rest) => rest.split_once("*/").unwrap().1,
        None => code,
    };
    let code: String = code
        .lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join(" ");
    let mut used = BTreeSet::new();
    for path in code.split("crate::").skip(1) {
        match path.strip_prefix('{') {
            Some(group) => used.extend(group_heads(group)),
            None => used.extend(head(path)),
        }
    }
    used
}

/// `error::{Error, Kind}, line::Line};` has the heads `error` and `line`.
fn group_heads(group: &str) -> Vec<String> {
    let (mut depth, mut heads, mut start) = (1, vec![], 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => {
                heads.extend(head(&group[start..]));
                start = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            heads.extend(head(&group[start..at]));
            break;
        }
    }
    heads
}

fn head(path: &str) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let path = path.trim_start();
    let end = path.find(|c| !is_name(c)).unwrap_or(path.len());
    Some(path[..end].to_string()).filter(|name| !name.is_empty())
}
