//! The `use` lines of `src/` have no cycles: each file uses only files below
//! it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The code of each module, by its path: `show` is `show/mod.rs`, and
/// `show::calls` is `show/calls.rs`.
type Modules = BTreeMap<String, String>;

#[test]
fn modules_do_not_use_each_other_in_cycles() {
    let src = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let mut modules = Modules::new();
    add_modules(src, "", &mut modules);
    assert!(used_by("show", &modules).contains("show::conversation"));
    assert!(used_by("files", &modules).contains("output"));
    assert_eq!(cycles(&modules), BTreeSet::new());
}

/// The test above would pass if it could not see the `use` lines.
#[test]
fn a_cycle_is_found() {
    let module = |name: &str, code: &str| (name.into(), code.into());
    let modules = Modules::from([
        module("main", "\nuse a::A;\n"),
        module("a", "\nmod b;\n\npub use b::{\n    B,\n};\n"),
        module("a::b", "\nuse crate::{c::{self, C}, d::D};\n"),
        module("c", "\nuse std::io;\n\nuse crate::a::A;\n"),
        module("d", "\n#[cfg(test)]\nmod tests {\nuse crate::a::A;\n}\n"),
    ]);
    // `main` only leads to the cycle.
    let expected = ["main", "a", "a::b", "c"].map(str::to_string);
    assert_eq!(cycles(&modules), expected.into());
}

/// Returns the modules that are in a cycle, or use one that is: those that
/// have no place in a topological order.
fn cycles(modules: &Modules) -> BTreeSet<String> {
    let mut left: BTreeMap<&str, BTreeSet<&str>> =
        modules.keys().map(|name| (&**name, used_by(name, modules))).collect();
    loop {
        let rest: BTreeSet<&str> = left.keys().copied().collect();
        left.retain(|_, used| used.iter().any(|name| rest.contains(name)));
        if left.len() == rest.len() {
            return rest.into_iter().map(str::to_string).collect();
        }
    }
}

fn add_modules(folder: &Path, parent: &str, modules: &mut Modules) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let name = match (parent, name) {
            (parent, "mod") => parent.to_string(),
            ("", name) => name.to_string(),
            (parent, name) => format!("{parent}::{name}"),
        };
        match path.is_dir() {
            true => add_modules(&path, &name, modules),
            false => {
                modules.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
}

/// Returns the modules that a module imports from, without its tests.
fn used_by<'m>(name: &str, modules: &'m Modules) -> BTreeSet<&'m str> {
    let code = modules[name].replace("\npub use ", "\nuse ");
    let code = code.split("\n#[cfg(test)]\nmod tests").next().unwrap();
    let mut used = BTreeSet::new();
    for tree in code.split("\nuse ").skip(1) {
        let tree = tree.split(';').next().unwrap();
        let tree: String = tree.split_whitespace().collect();
        for path in paths(&tree) {
            let path = match path.strip_prefix("crate::") {
                Some(path) => path.to_string(),
                // A child of this module, or another crate.
                None if name == "main" => path,
                None => format!("{name}::{path}"),
            };
            used.extend(module_of(&path, modules).filter(|m| *m != name));
        }
    }
    used
}

/// Expands `a::{b, c::d}` to `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let Some((prefix, rest)) = tree.split_once('{') else {
        return vec![tree.to_string()];
    };
    let (mut depth, mut items) = (0, vec![String::new()]);
    for character in rest.strip_suffix('}').unwrap().chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match (character, items.last_mut()) {
            (',', _) if depth == 0 => items.push(String::new()),
            (_, Some(item)) => item.push(character),
            (_, None) => {}
        }
    }
    let items = items.iter().filter(|item| !item.is_empty());
    let items = items.flat_map(|item| paths(item));
    items.map(|path| format!("{prefix}{path}")).collect()
}

/// Returns the module that a path is in: its longest prefix that is one.
fn module_of<'m>(path: &str, modules: &'m Modules) -> Option<&'m str> {
    let mut prefix = path;
    loop {
        if let Some((name, _)) = modules.get_key_value(prefix) {
            return Some(name);
        }
        prefix = prefix.rsplit_once("::")?.0;
    }
}
