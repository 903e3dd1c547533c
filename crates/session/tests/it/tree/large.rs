//! Real logs, and trees with a pathological shape.

use std::collections::BTreeSet;

use super::*;
use crate::{logs, stack::on_a_small_stack, usage_reference};

#[test]
fn trees_of_real_logs_contain_every_uuid() {
    for (file, log) in logs::corpus_of("") {
        let log = String::from_utf8_lossy(&log);
        // Skips lines that are not exactly one JSON value.
        let is_whole = |line: &&str| {
            serde_json::from_str::<serde_json::Value>(line).is_ok()
        };
        let whole: Vec<&str> = log.lines().filter(is_whole).collect();
        let log = whole.join("\n");
        let tree = tree(&log);
        let mut uuids = BTreeSet::new();
        for line in log.lines().filter(|line| !line.trim().is_empty()) {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let nested = usage_reference::subagent_message(&line);
            let nested = nested.map(|message| &message["uuid"]);
            let all = [Some(&line["uuid"]), nested].into_iter().flatten();
            uuids.extend(all.filter_map(|id| id.as_str().map(String::from)));
        }
        let mut walked: Vec<_> =
            tree.depth_first().map(|(_, n)| n.uuid().to_string()).collect();
        walked.sort();
        let uuids: Vec<_> = uuids.into_iter().collect();
        assert_eq!(walked, uuids, "{file:?}");
    }
}

// ---- pathological shapes ---------------------------------------------------

/// Returns a tree of `count` messages. `link` returns the uuid and the parent
/// of each.
fn grown(count: usize, link: impl Fn(usize) -> (usize, usize)) -> Tree {
    let mut log = String::new();
    for at in 0..count {
        let (uuid, parent) = link(at);
        writeln!(
            log,
            "{{\"type\":\"user\",\"uuid\":\"{uuid}\",\
             \"parentUuid\":\"{parent}\"}}"
        )
        .unwrap();
    }
    let mut tree = Tree::new();
    let mut reader = lines(log.as_bytes());
    while let Some(line) = reader.next_line() {
        let line = line.unwrap();
        tree.add(line.peek().unwrap(), line.position());
    }
    tree
}

/// A quadratic algorithm would take far too long here.
#[test]
fn deep_and_wide_trees_take_linear_time() {
    on_a_small_stack(|| {
        let count = 20_000;
        // A chain, forwards and backwards. The first parent is missing.
        let forth = grown(count, |at| (at + 1, at));
        let back = grown(count, |at| (count - at, count - at - 1));
        for tree in [forth, back] {
            assert_eq!(tree.depth_first().count(), count);
            let deepest = tree.depth_first().map(|(depth, _)| depth);
            assert_eq!(deepest.max(), Some(count - 1));
            assert_eq!(tree.roots().count(), 1);
            assert_eq!(tree.active_branch().len(), count);
            assert_eq!(tree.missing().collect::<Vec<_>>(), ["0"]);
            let last = tree.find(&count.to_string()).unwrap();
            assert_eq!(last.ancestors().count(), count - 1);
        }
        // A cycle, in both directions.
        let forth = grown(count, |at| (at, (at + 1) % count));
        let back = grown(count, |at| (at, (at + count - 1) % count));
        for tree in [forth, back] {
            assert_eq!(tree.depth_first().count(), count);
            assert_eq!(tree.roots().count(), 1);
            assert_eq!(tree.cycles().count(), 1);
            assert_eq!(tree.active_branch().len(), count);
        }
        // A fan.
        let tree = grown(count, |at| (at + 1, usize::from(at > 0)));
        let root = tree.find("1").unwrap();
        assert_eq!(root.children().count(), count - 1);
        assert_eq!(tree.depth_first().count(), count);
        assert_eq!(tree.active_branch().len(), 2);
        // Messages that are their own parents; and one repeated message.
        let tree = grown(count, |at| (at, at));
        assert_eq!(tree.cycles().count(), count);
        assert_eq!(tree.roots().count(), count);
        let tree = grown(count, |at| (0, at));
        assert_eq!((tree.len(), tree.duplicates()), (1, count as u64 - 1));
    });
}

/// One message with many calls, and many sub-agents under one call.
#[test]
fn many_calls_and_sub_agents_take_linear_time() {
    on_a_small_stack(|| {
        let count = 10_000;
        let ids: Vec<_> = (0..count).map(|id| format!("t{id}")).collect();
        let ids: Vec<_> = ids.iter().map(String::as_str).collect();
        let mut log = line("assistant", "a", "-", &calls(&ids));
        for at in 0..count {
            let call = format!("\"t{}\"", at / 2);
            log += &streamed("user", &at.to_string(), &call, "\"n\":1");
        }
        let tree = tree(&log);
        assert_eq!(tree.find("a").unwrap().children().count(), count);
        assert_eq!(tree.sidechains().count(), count / 2);
        assert_eq!(tree.roots().count(), 1);
    });
}

#[test]
fn a_tree_is_send_and_sync() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Tree>();
}
