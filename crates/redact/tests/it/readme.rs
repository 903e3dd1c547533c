//! The table of rules in the README is that of the code.

use std::{env, fs};

use linetape_redact::{RuleLevel, builtin};

use crate::diff::diff;

const START: &str = "<!-- rules -->\n";
const END: &str = "<!-- end of rules -->\n";

/// Writes the table.
const BLESS: &str =
    "LINETAPE_BLESS=1 cargo test -p linetape-redact --test it readme";

#[test]
fn the_readme_lists_all_rules() {
    let mut table = "| rule | covers of gitleaks |\n|---|---|\n".to_string();
    for rule in builtin().iter().filter(|r| r.level() == RuleLevel::Secrets) {
        let theirs: Vec<String> =
            rule.gitleaks().iter().map(|id| format!("`{id}`")).collect();
        let theirs = theirs.join(", ");
        table += &format!("| `{}` | {theirs} |\n", rule.name());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    let (before, rest) = readme.split_once(START).unwrap();
    let (ours, after) = rest.split_once(END).unwrap();
    if env::var_os("LINETAPE_BLESS").is_some() {
        let new = format!("{before}{START}{table}{END}{after}");
        fs::write(path, new).unwrap();
    } else {
        let diff = diff(ours, &table);
        assert!(
            diff.is_empty(),
            "the README differs from the rules\n{diff}\n\
             If the rules are what they should be: {BLESS}\n"
        );
    }
}
