//! `select --skim` and `stats --skim`.

use serde_json::{Value, json};

use crate::support::{document, linetape, logs, text};

/// A line that is torn behind its type, and one with two types.
const LOG: &[u8] = br#"{"type":"user","message":{"content":"a
{"type":"assistant","type":"user"}
{"type":"result","subtype":"success"}
{"n":[1,"type":"user"}
"#;

#[test]
fn select_reads_up_to_the_type() {
    let skimmed = linetape(&["select", "--skim", "--type", "user", "-"], LOG);
    let torn = "{\"type\":\"user\",\"message\":{\"content\":\"a\n";
    assert_eq!(text(&skimmed.stdout), torn);
    // The bracket that is not closed before the type is an error.
    assert_eq!(skimmed.status.code(), Some(1));
    assert_eq!(text(&skimmed.stderr).lines().count(), 1);

    let peeked = linetape(&["select", "--type", "user", "-"], LOG);
    assert_eq!(text(&peeked.stdout), "");
    assert_eq!(text(&peeked.stderr).lines().count(), 3);

    let others = linetape(
        &["select", "--skim", "--type", "user", "--invert", "--count", "-"],
        LOG,
    );
    assert_eq!(text(&others.stdout), "2\n");
}

#[test]
fn stats_count_kinds_alone() {
    let skimmed = linetape(&["stats", "--skim", "--json", "-"], LOG);
    let skimmed = document(&skimmed);
    let kinds: Vec<_> = skimmed["kinds"].as_array().unwrap().iter().collect();
    let names: Vec<_> =
        kinds.iter().map(|kind| (&kind["type"], &kind["records"])).collect();
    let one = json!(1);
    assert_eq!(
        names,
        [
            (&json!("assistant"), &one),
            (&json!("result"), &one),
            (&json!("user"), &one)
        ]
    );
    assert_eq!(skimmed["errors"]["total"], 1);
    assert!(skimmed.get("usage").is_none(), "{skimmed}");
    let printed = linetape(&["stats", "--skim", "-"], LOG);
    assert!(!text(&printed.stdout).contains("sessions"));
    let both = linetape(&["stats", "--skim", "--peek", "-"], LOG);
    assert_eq!(both.status.code(), Some(2));
}

/// On logs without damage, all levels count the same kinds.
#[test]
fn stats_are_those_of_the_other_levels() {
    for log in logs() {
        let log = log.to_str().unwrap();
        let whole = document(&linetape(&["stats", "--json", log], b""));
        if whole["errors"]["total"] != 0 {
            continue;
        }
        let skimmed =
            document(&linetape(&["stats", "--skim", "--json", log], b""));
        for key in ["bytes", "lines", "blank", "records", "errors"] {
            assert_eq!(skimmed[key], whole[key], "{key} of {log}");
        }
        let of_journals = |kind: &Value| kind.get("of").is_some();
        let kinds = whole["kinds"].as_array().unwrap();
        // Skimming does not tell the results in a journal from others.
        if !kinds.iter().any(of_journals) {
            assert_eq!(skimmed["kinds"], whole["kinds"], "{log}");
        }
    }
}

/// A line that is not closed was copied, since the text was found in it before
/// the line was checked.
#[test]
fn a_line_that_is_searched_is_checked() {
    let log = b"{\"type\":\"user\",\"a\":\"hello\",\"b\":[\n";
    for needle in ["hello", "goodbye"] {
        let arguments = ["select", "--contains", needle, "-"];
        let plain = linetape(&arguments, log);
        let skimmed = linetape(&[&arguments[..], &["--skim"]].concat(), log);
        assert_eq!(plain, skimmed, "{needle}");
        assert_eq!(skimmed.status.code(), Some(1));
    }
}

/// A line with a subtype that its type does not have in the schema matched or
/// not, depending on the order of its keys.
#[test]
fn a_subtype_is_found_in_either_order() {
    let log = b"{\"type\":\"user\",\"subtype\":\"x\"}
{\"subtype\":\"x\",\"type\":\"user\"}
{\"type\":\"user\"}
{\"type\":\"system\",\"subtype\":\"x\"}
";
    for (pattern, count) in [("user/x", 2), ("user", 3), ("system/x", 1)] {
        let arguments = ["select", "--type", pattern, "--count", "-"];
        for skim in [&[][..], &["--skim"]] {
            let output = linetape(&[&arguments[..], skim].concat(), log);
            assert_eq!(
                text(&output.stdout),
                format!("{count}\n"),
                "{pattern}"
            );
        }
    }
}
