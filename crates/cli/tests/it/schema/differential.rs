//! `linetape schema`, compared with the reference implementation.

use std::fs;

use serde_json::json;

use crate::{
    schema::reference::check,
    support::{document, linetape, logs, reference::records},
};

/// Objects that are merged may have had too many keys before, or only after
/// the merge. A record is counted once.
#[test]
fn merged_objects_are_merged_recursively() {
    let members = |name: &str, count: usize, value: &str| {
        let member = |n| format!(r#""{name}{n:02}":{value}"#);
        (0..count).map(member).collect::<Vec<_>>().join(",")
    };
    let many = format!("{{{}}}", members("k", 70, "1"));
    let (few, others) = (r#"{"x":1}"#, members("c", 63, r#"{"y":1}"#));
    let logs = [
        format!(r#"{{"type":"tea","d":{{"a":{few},"b":{many},{others}}}}}"#),
        format!(r#"{{"type":"tea","d":{{"a":{many},"b":{few},{others}}}}}"#),
        format!(
            "{{\"type\":\"tea\",\"d\":{{\"a\":1}}}}\n\
             {{\"type\":\"tea\",\"d\":{many}}}\n"
        ),
    ];
    for log in logs {
        let output = linetape(&["schema", "--json", "-"], log.as_bytes());
        check(&document(&output), &records(log.as_bytes()).0);
    }
}

#[test]
fn logs_are_reported_as_by_the_reference() {
    let logs = logs();
    let mut paths = 0;
    for files in logs.chunks(1).chain([&logs[..]]) {
        let read: Vec<Vec<u8>> =
            files.iter().map(|path| fs::read(path).unwrap()).collect();
        let found: Vec<_> =
            read.iter().flat_map(|log| records(log).0).collect();
        let names = files.iter().map(|path| path.to_str().unwrap());
        let arguments: Vec<&str> =
            ["schema", "--json"].into_iter().chain(names).collect();
        let report = document(&linetape(&arguments, b""));
        paths += check(&report, &found);
    }
    assert!(paths > 1000, "{paths}");
}

/// Different numbers of keys: just below the limit, far above it, and above it
/// only after a merge.
#[test]
fn random_records_are_reported_as_by_the_reference() {
    let mut state = 7_u64;
    let mut below = move |end: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        (state >> 33) as usize % end
    };
    let mut log = String::new();
    for _ in 0..400 {
        let leaf = |below: &mut dyn FnMut(usize) -> usize| match below(6) {
            0 => json!(null),
            1 => json!([1, "two", {"k": 3}]),
            2 => json!(2.5),
            3 => json!({"m": {"n": true}}),
            _ => json!("text"),
        };
        let name = ["tea", "user"][below(2)];
        let mut record = json!({ "type": name });
        for (place, keys) in [("a", 60), ("b", 64), ("c", 70), ("d", 300)] {
            for _ in 0..below(3) {
                let key = format!("k{}", below(keys));
                let inner = format!("n{}", below(keys / 10 + 5));
                let value = leaf(&mut below);
                record[place][&key][inner] = value;
                record[place][&key]["s"] = leaf(&mut below);
            }
        }
        log += &format!("{record}\n");
    }
    let report = linetape(&["schema", "--json", "-"], log.as_bytes());
    let report = document(&report);
    let paths = check(&report, &records(log.as_bytes()).0);
    assert!(paths > 1000, "{paths}");
    let stars = report["kinds"][0]["paths"].as_array().unwrap().iter();
    let stars = stars.map(|row| row["path"].as_str().unwrap());
    let stars: Vec<&str> = stars.filter(|p| p.ends_with('*')).collect();
    assert_eq!(stars, ["c.*", "d.*"]);
}
