//! Who answers whom: small sessions with the tree that they make, a slow
//! twin, real logs, and trees of bad shapes.

#[allow(dead_code)] // this binary uses a part of it
#[path = "support/mod.rs"]
mod shared;

use shared::{logs, stack, texts};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
};

use linetape::{
    lines,
    session::{Node, Tree},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use stack::on_a_small_stack;
use texts::cases;

// ---- trees of small sessions -----------------------------------------------

/// The tree of a log, by peeking and by decoding alike.
fn tree(log: &str) -> Tree {
    let (mut peeked, mut decoded) = (Tree::new(), Tree::new());
    let mut reader = lines(log.as_bytes());
    while let Some(line) = reader.next_line() {
        let line = line.unwrap();
        peeked.add(line.peek().unwrap(), line.position());
    }
    let mut reader = lines(log.as_bytes());
    while let Some(record) = reader.next_record() {
        let record = record.unwrap();
        decoded.add(record.message(), record.position());
    }
    assert_eq!(digest(&peeked), digest(&decoded));
    peeked
}

/// Everything that a tree tells.
fn digest(tree: &Tree) -> String {
    let mut out = format!("{tree:?} {:?}\n", names(tree.active_branch()));
    for (depth, node) in tree.depth_first() {
        let links = [node.parent(), node.logical_parent()];
        let links = links.map(|link| link.map(Node::uuid));
        let named =
            [node.parent_uuid(), node.logical_parent_uuid(), node.call()];
        let (side, cut) = (node.is_sidechain(), node.is_boundary());
        let at = node.position();
        writeln!(
            out,
            "{depth} {node:?} {at} {links:?} {named:?} {side} {cut}"
        )
        .unwrap();
    }
    let missing: Vec<_> = tree.missing().collect();
    let lists = [names(tree.roots()), names(tree.branch_points()), side(tree)];
    let more = [names(tree.boundaries()), names(tree.cycles())];
    write!(out, "{missing:?} {lists:?} {more:?}").unwrap();
    out
}

fn names<'t>(nodes: impl IntoIterator<Item = Node<'t>>) -> String {
    let names: Vec<_> = nodes.into_iter().map(Node::uuid).collect();
    names.join(" ")
}

/// The sidechains, each as `first<parent`.
fn side(tree: &Tree) -> String {
    let sides = tree.sidechains().map(|(first, parent)| {
        format!("{}<{}", first.uuid(), parent.map_or("?", Node::uuid))
    });
    sides.collect::<Vec<_>>().join(" ")
}

/// The tree as `a(b c(d))`.
fn shape(tree: &Tree) -> String {
    let (mut out, mut before) = (String::new(), 0);
    for (at, (depth, node)) in tree.depth_first().enumerate() {
        match depth > before {
            true => {
                assert_eq!(depth, before + 1);
                out.push('(');
            }
            false => {
                out += &")".repeat(before - depth);
                out += if at == 0 { "" } else { " " };
            }
        }
        out += node.uuid();
        before = depth;
    }
    out + &")".repeat(before)
}

/// A line of a transcript: the model or the user speaks.
fn said(kind: &str, uuid: &str, parent: &str) -> String {
    line(kind, uuid, parent, r#""message":{"content":"Hm"}"#)
}

/// A line of a transcript. `-` is no parent.
fn line(kind: &str, uuid: &str, parent: &str, more: &str) -> String {
    let parent = match parent {
        "-" => "null".to_string(),
        parent => format!("\"{parent}\""),
    };
    let more = if more.is_empty() { "\"n\":1" } else { more };
    format!(
        "{{\"parentUuid\":{parent},\"type\":\"{kind}\",{more},\
         \"uuid\":\"{uuid}\"}}\n"
    )
}

/// What calls a tool.
fn calls(ids: &[&str]) -> String {
    let block = |id: &&str| {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"T","input":{{}}}}"#)
    };
    let blocks: Vec<_> = ids.iter().map(block).collect();
    format!(r#""message":{{"content":[{}]}}"#, blocks.join(","))
}

/// What a tool gave back.
fn result(id: &str) -> String {
    let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}"}}"#);
    format!(r#""message":{{"content":[{block}]}}"#)
}

#[test]
fn a_line_of_talk() {
    let log = said("user", "a", "-")
        + &said("assistant", "b", "a")
        + "{\"type\":\"summary\",\"leafUuid\":\"b\"}\n"
        + &said("user", "c", "b");
    let tree = tree(&log);
    assert_eq!(shape(&tree), "a(b(c))");
    assert_eq!(names(tree.active_branch()), "a b c");
    assert_eq!(
        (tree.len(), tree.is_empty(), tree.duplicates()),
        (3, false, 0)
    );
    assert_eq!(names(tree.nodes()), "a b c");
    assert_eq!(names(tree.branch_points()), "");
    assert_eq!((side(&tree), tree.missing().count()), (String::new(), 0));

    let c = tree.find("c").unwrap();
    assert_eq!(names(c.ancestors()), "b a");
    assert_eq!(c.position().line(), 4);
    assert_eq!((c.kind().to_string(), c.id().index()), ("user".into(), 2));
    assert_eq!(tree.get(c.id()).unwrap().uuid(), "c");
    assert!(tree.find("d").is_none() && Tree::new().get(c.id()).is_none());
}

#[test]
fn nothing() {
    let tree = tree("{\"type\":\"summary\",\"parentUuid\":\"a\"}\n");
    assert!(tree.is_empty() && tree.active_branch().is_empty());
    assert_eq!((shape(&tree), tree.missing().count()), (String::new(), 0));
}

#[test]
fn a_message_without_a_uuid_has_no_id() {
    let mut tree = Tree::new();
    let log = b"{\"type\":\"summary\"}\n{\"uuid\":7}\n{\"uuid\":\"a\"}\n\
                {\"uuid\":\"b\"}\n{\"uuid\":\"a\"}\n";
    let mut reader = lines(log);
    let mut ids = vec![];
    while let Some(line) = reader.next_line() {
        let line = line.unwrap();
        let id = tree.add(line.peek().unwrap(), line.position());
        ids.push(id.map(|id| id.index()));
    }
    assert_eq!(ids, [None, None, Some(0), Some(1), Some(0)]);
    assert_eq!(tree.duplicates(), 1);
}

/// Not every stream has uuids. What is said has a place all the same.
#[test]
fn a_sub_agent_in_a_stream_without_uuids() {
    let log = "{\"type\":\"assistant\",\"message\":{\"content\":[\
               {\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Task\"}]}}\n\
               {\"type\":\"user\",\"parent_tool_use_id\":\"t\"}\n\
               {\"type\":\"assistant\",\"parent_tool_use_id\":\"t\"}\n\
               {\"type\":\"keep_alive\"}\n";
    let tree = tree(log);
    assert_eq!((tree.len(), tree.roots().count()), (3, 1));
    let mut sidechains = tree.sidechains();
    let (first, parent) = sidechains.next().unwrap();
    assert!(sidechains.next().is_none());
    assert_eq!((first.position().line(), first.uuid()), (2, ""));
    assert_eq!(parent.unwrap().position().line(), 1);
    assert_eq!(parent.unwrap().children().count(), 2);
}

/// News of progress stands beside the result. That is no edit, and does not
/// lead the branch astray when it comes late.
#[test]
fn a_tool() {
    let log = said("user", "a", "-")
        + &line("assistant", "b", "a", &calls(&["t"]))
        + &line("progress", "p", "b", "")
        + &line("user", "r", "b", &result("t"))
        + &line("progress", "p2", "p", "");
    let with_answer = log.clone() + &said("assistant", "c", "r");
    let tail = line("system", "s", "c", "\"subtype\":\"turn_duration\"");
    assert_eq!(shape(&tree(&log)), "a(b(p(p2) r))");
    assert_eq!(names(tree(&log).active_branch()), "a b r");
    let tree = tree(&(with_answer + &tail));
    assert_eq!(shape(&tree), "a(b(p(p2) r(c(s))))");
    assert_eq!(names(tree.active_branch()), "a b r c s");
    assert_eq!(names(tree.branch_points()), "");
    let kind = tree.find("s").unwrap().kind();
    assert_eq!(kind.to_string(), "system/turn_duration");
}

/// The calls are a chain, and each result hangs from its call.
#[test]
fn tools_at_once() {
    let log = said("user", "a", "-")
        + &line("assistant", "b1", "a", &calls(&["t1"]))
        + &line("assistant", "b2", "b1", &calls(&["t2"]))
        + &line("user", "r2", "b2", &result("t2"))
        + &line("user", "r1", "b1", &result("t1"))
        + &said("assistant", "c", "r1");
    let tree = tree(&log);
    assert_eq!(shape(&tree), "a(b1(b2(r2) r1(c)))");
    assert_eq!(names(tree.active_branch()), "a b1 r1 c");
    assert_eq!(names(tree.branch_points()), "");
}

#[test]
fn a_sidechain_in_a_transcript() {
    let side_line = |kind, uuid, parent| {
        let more = r#""isSidechain":true,"message":{"content":"Hm"}"#;
        line(kind, uuid, parent, more)
    };
    let log = said("user", "a", "-")
        + &line("assistant", "b", "a", &calls(&["t"]))
        + &side_line("user", "x", "b")
        + &side_line("assistant", "y", "x")
        + &side_line("user", "lost", "-")
        + &side_line("user", "lost2", "lost")
        + &line("user", "r", "b", &result("t"))
        + &side_line("assistant", "z", "y");
    let tree = tree(&log);
    assert_eq!(shape(&tree), "a(b(x(y(z)) r)) lost(lost2)");
    assert_eq!(side(&tree), "x<b lost<?");
    assert_eq!(names(tree.active_branch()), "a b r");
    // A sidechain beside the talk is no edit.
    let tree = self::tree(&(log + &said("user", "r2", "b")));
    assert_eq!(names(tree.branch_points()), "");
}

/// A sub-agent that has a file of its own is found by its name, which the
/// result of the call tells.
#[test]
fn a_sidechain_by_its_agent() {
    let agent = |uuid, parent, agent| {
        let more = format!(r#""isSidechain":true,"agentId":"{agent}""#);
        line("user", uuid, parent, &more)
    };
    let done = |call, agent| {
        let more = r#""toolUseResult":{"agentId":""#;
        format!("{},{more}{agent}\"}}", result(call))
    };
    let main = said("user", "a", "-")
        + &line("assistant", "b", "a", &calls(&["t", "u"]))
        + &line("user", "r", "b", &done("t", "f1"))
        + &line("user", "s", "r", &done("u", "f2"));
    let second = agent("v", "-", "f2") + &agent("w", "v", "f2");
    let first = agent("x", "-", "f1") + &agent("y", "x", "f1");
    let other = agent("z", "-", "f3");
    let all = [&main, &second, &first, &other].map(String::as_str).concat();
    let tree = tree(&all);
    assert_eq!(shape(&tree), "a(b(x(y) v(w) r(s))) z");
    assert_eq!(side(&tree), "v<b x<b z<?");
    assert_eq!(names(tree.active_branch()), "a b r s");
    let all = [&other, &first, &second, &main].map(String::as_str).concat();
    let tree = self::tree(&all);
    assert_eq!(shape(&tree), "z a(b(x(y) v(w) r(s)))");
    // Of two results in a line, the first has the agent.
    let two = r#""message":{"content":[
        {"type":"tool_result","tool_use_id":"t"},
        {"type":"tool_result","tool_use_id":"k"}]},
        "toolUseResult":{"agentId":"f1"}"#;
    let log = line("assistant", "b", "-", &calls(&["t"]))
        + &line("assistant", "k", "b", &calls(&["k"]))
        + &line("user", "r", "k", &two.replace('\n', ""))
        + &first;
    assert_eq!(shape(&self::tree(&log)), "b(x(y) k(r))");
    // Who is not of a sidechain may have an agent's name as well.
    let tree =
        self::tree(&(main + &line("user", "m", "-", r#""agentId":"f1""#)));
    assert_eq!(shape(&tree), "a(b(r(s))) m");
}

fn streamed(kind: &str, uuid: &str, call: &str, more: &str) -> String {
    format!(
        "{{\"type\":\"{kind}\",{more},\"parent_tool_use_id\":{call},\
         \"uuid\":\"{uuid}\"}}\n"
    )
}

/// In a stream, only a tool call is named: for two calls at once, for a
/// sub-agent's own sub-agent, and for a call that nobody saw.
#[test]
fn sidechains_in_a_stream() {
    let text = r#""message":{"content":"Hm"}"#;
    let log = streamed("user", "a", "null", text)
        + &streamed("assistant", "b", "null", &calls(&["t1", "t2"]))
        + &streamed("user", "x", "\"t2\"", text)
        + &streamed("user", "p", "\"t1\"", text)
        + &streamed("assistant", "y", "\"t2\"", &calls(&["t3"]))
        + &streamed("assistant", "q", "\"t1\"", text)
        + &streamed("user", "deep", "\"t3\"", text)
        + &streamed("user", "lost", "\"t9\"", text)
        + &streamed("assistant", "lost2", "\"t9\"", text)
        + &streamed("user", "r", "null", &result("t1"));
    let tree = tree(&log);
    assert_eq!(shape(&tree), "a b(p q x y(deep)) lost lost2 r");
    assert_eq!(side(&tree), "x<b p<b deep<y lost<?");
    assert_eq!(names(tree.active_branch()), "r");
    assert_eq!(tree.find("deep").unwrap().call(), Some("t3"));
    assert_eq!(tree.missing().count(), 0);
}

/// A uuid may look like a call.
#[test]
fn names_of_a_kind_are_kept_apart() {
    let log = line("assistant", "t", "-", &calls(&["a"]))
        + &streamed("user", "a", "\"t\"", "\"n\":1")
        + &streamed("user", "b", "\"a\"", "\"n\":1")
        + &said("user", "c", "a");
    assert_eq!(shape(&tree(&log)), "t(b) a(c)");
}

/// Errors and retries are links like all others.
#[test]
fn an_error_and_its_recovery() {
    let error = r#""subtype":"api_error","retryAttempt":1"#;
    let failed = r#""isApiErrorMessage":true,"message":{"content":"Oh"}"#;
    let log = said("user", "a", "-")
        + &line("system", "e1", "a", error)
        + &line("system", "e2", "e1", error)
        + &line("assistant", "f", "e2", failed)
        + &said("user", "b", "f")
        + &said("assistant", "c", "b");
    let tree = tree(&log);
    assert_eq!(shape(&tree), "a(e1(e2(f(b(c)))))");
    assert_eq!(names(tree.active_branch()), "a e1 e2 f b c");
}

/// A boundary has no parent, but a logical one.
#[test]
fn compaction() {
    let cut = |at| {
        let more = r#""subtype":"compact_boundary","logicalParentUuid":"#;
        format!("{more}\"{at}\"")
    };
    let log = said("user", "a", "-")
        + &said("assistant", "b", "a")
        + &line("system", "cut", "-", &cut("b"))
        + &said("user", "c", "cut")
        + &line(
            "system",
            "micro",
            "c",
            r#""subtype":"microcompact_boundary""#,
        )
        + &said("assistant", "d", "micro");
    let tree = tree(&log);
    assert_eq!(shape(&tree), "a(b(cut(c(micro(d)))))");
    assert_eq!(names(tree.boundaries()), "cut");
    assert_eq!(names(tree.active_branch()), "a b cut c micro d");
    let cut_node = tree.find("cut").unwrap();
    assert_eq!(cut_node.logical_parent().map(Node::uuid), Some("b"));
    assert_eq!((cut_node.parent_uuid(), cut_node.is_boundary()), (None, true));

    // What was compacted may be in another file.
    let log = line("system", "cut", "-", &cut("gone"))
        + &said("user", "c", "cut")
        + "{\"type\":\"system\",\"subtype\":\"compact_boundary\",\
           \"logical_parent_uuid\":\"c\",\"uuid\":\"cut2\"}\n";
    let tree = self::tree(&log);
    assert_eq!(shape(&tree), "cut(c(cut2))");
    assert_eq!(names(tree.boundaries()), "cut cut2");
    assert_eq!(tree.missing().collect::<Vec<_>>(), ["gone"]);
    let cut_node = tree.find("cut").unwrap();
    assert_eq!(cut_node.logical_parent_uuid(), Some("gone"));
    assert!(cut_node.logical_parent().is_none());

    // With both, the plain parent counts.
    let log = said("user", "a", "-")
        + &said("assistant", "b", "a")
        + &line("system", "cut", "b", &cut("a"));
    let tree = self::tree(&log);
    assert_eq!(shape(&tree), "a(b(cut))");
    let cut_node = tree.find("cut").unwrap();
    assert_eq!(cut_node.logical_parent().map(Node::uuid), Some("a"));
}

/// The older way: a message for each step.
#[test]
fn compaction_in_steps() {
    let log = include_str!("data/seed_001.jsonl");
    let tree = tree(log);
    assert_eq!(names(tree.boundaries()), "m-10");
    assert!(tree.find("m-10").unwrap().kind().is("compact_system"));
}

#[test]
fn a_prompt_that_was_edited_twice_and_an_answer_once() {
    let log = said("user", "a", "-")
        + &said("assistant", "b", "a")
        + &said("user", "c1", "b")
        + &said("assistant", "d1", "c1")
        + &said("user", "c2", "b")
        + &said("user", "c3", "b")
        + &said("assistant", "d2", "c3")
        + &said("assistant", "d3", "c3");
    let tree = tree(&log);
    assert_eq!(shape(&tree), "a(b(c1(d1) c2 c3(d2 d3)))");
    assert_eq!(names(tree.branch_points()), "b c3");
    assert_eq!(names(tree.active_branch()), "a b c3 d3");
    let b = tree.find("b").unwrap();
    assert_eq!(names(b.children()), "c1 c2 c3");
    assert_eq!(names(tree.find("d1").unwrap().children()), "");
}

/// What is there already keeps its place and its links.
#[test]
fn a_file_that_was_resumed() {
    let log = said("user", "a", "-")
        + &said("assistant", "b", "a")
        + &said("user", "c", "b");
    let again = log.clone() + &log + &said("assistant", "d", "c");
    let tree = tree(&(again + &said("user", "b", "-")));
    assert_eq!(shape(&tree), "a(b(c(d)))");
    assert_eq!((tree.len(), tree.duplicates()), (4, 4));
    assert_eq!(tree.find("b").unwrap().position().line(), 2);
    assert_eq!(tree.find("b").unwrap().kind().to_string(), "assistant");
    assert_eq!(names(tree.active_branch()), "a b c d");
    assert_eq!(names(tree.branch_points()), "");
    // To see old lines again does not make them the newest.
    let log = said("user", "a", "-")
        + &said("user", "b1", "a")
        + &said("user", "b2", "a")
        + &said("user", "b1", "a");
    let tree = self::tree(&log);
    assert_eq!(names(tree.active_branch()), "a b2");
    assert_eq!(shape(&tree), "a(b1 b2)");
}

#[test]
fn parents_that_are_missing() {
    let log = said("user", "a", "x")
        + &said("user", "b", "y")
        + &said("user", "c", "a")
        + &said("user", "d", "x");
    let tree = tree(&log);
    assert_eq!(shape(&tree), "a(c) b d");
    assert_eq!(names(tree.roots()), "a b d");
    assert_eq!(tree.missing().collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!(tree.find("d").unwrap().parent_uuid(), Some("x"));
    assert!(tree.find("x").is_none());
}

#[test]
fn circles() {
    let log = said("user", "a", "c")
        + &said("user", "b", "a")
        + &said("user", "c", "b")
        + &said("user", "d", "c");
    let tree = tree(&log);
    assert_eq!(shape(&tree), "c(a(b) d)");
    assert_eq!(names(tree.cycles()), "c");
    assert_eq!(tree.find("c").unwrap().parent_uuid(), Some("b"));
    assert_eq!(names(tree.active_branch()), "c d");
    assert_eq!(tree.missing().count(), 0);

    let tree = self::tree(&(said("user", "a", "a") + &said("user", "b", "a")));
    assert_eq!(shape(&tree), "a(b)");
    assert_eq!(names(tree.cycles()), "a");
}

/// A sub-agent that calls itself, and two that call each other.
#[test]
fn circles_of_calls() {
    let log = streamed("assistant", "a", "\"t\"", &calls(&["t", "t"]));
    let tree = tree(&log);
    assert_eq!((shape(&tree), side(&tree)), ("a".into(), "a<?".into()));
    assert_eq!(names(tree.cycles()), "a");

    let log = streamed("assistant", "a", "\"t\"", &calls(&["u"]))
        + &streamed("assistant", "b", "\"u\"", &calls(&["t"]))
        + &streamed("user", "c", "\"t\"", "\"n\":1");
    let tree = self::tree(&log);
    assert_eq!(shape(&tree), "a(b) c");
    assert_eq!(names(tree.cycles()), "b");
}

#[test]
fn children_before_their_parents() {
    let log = said("user", "d", "b")
        + &said("assistant", "c", "b")
        + &said("assistant", "b", "a")
        + &said("user", "a", "-");
    let tree = tree(&log);
    assert_eq!(shape(&tree), "a(b(d c))");
    assert_eq!(names(tree.active_branch()), "a b c");
    assert_eq!(names(tree.branch_points()), "b");
    assert_eq!(tree.missing().count(), 0);

    let log = streamed("user", "x", "\"t\"", "\"n\":1")
        + &said("user", "c", "b")
        + &line("assistant", "b", "-", &calls(&["t"]));
    let tree = self::tree(&log);
    assert_eq!((shape(&tree), side(&tree)), ("b(x c)".into(), "x<b".into()));
}

// ---- a slow twin -----------------------------------------------------------

/// A message, as little of it as makes a tree.
#[derive(Clone, Debug)]
struct Note {
    kind: &'static str,
    uuid: u8,
    parent: Option<u8>,
    logical: Option<u8>,
    is_sidechain: bool,
    call: Option<u8>,
    agent: Option<u8>,
    calls: Vec<u8>,
    answers: Option<(u8, u8)>,
}

impl Note {
    fn is_side(&self) -> bool {
        self.is_sidechain || self.call.is_some()
    }

    fn line(&self) -> String {
        let mut blocks: Vec<_> = self
            .calls
            .iter()
            .map(|call| format!(r#"{{"type":"tool_use","id":"{call}"}}"#))
            .collect();
        let mut more = String::new();
        if let Some((call, agent)) = self.answers {
            let result = r#"{"type":"tool_result","tool_use_id":"#;
            blocks.push(format!("{result}\"{call}\"}}"));
            more = format!(r#","toolUseResult":{{"agentId":"{agent}"}}"#);
        }
        let mut add = |key, value: Option<u8>| {
            if let Some(value) = value {
                write!(more, ",\"{key}\":\"{value}\"").unwrap();
            }
        };
        add("parentUuid", self.parent);
        add("logicalParentUuid", self.logical);
        add("parent_tool_use_id", self.call);
        add("agentId", self.agent);
        add("uuid", Some(self.uuid));
        format!(
            "{{\"type\":\"{}\",\"isSidechain\":{},\
             \"message\":{{\"content\":[{}]}}{more}}}\n",
            self.kind,
            self.is_sidechain,
            blocks.join(","),
        )
    }
}

fn note() -> impl Strategy<Value = Note> {
    let kinds = vec!["user", "assistant", "progress", "system"];
    let who = (select(kinds), 0u8..20, any::<bool>(), any::<bool>());
    let rare = |range| option::weighted(0.2, range);
    let links = (option::weighted(0.8, 0u8..23), rare(0u8..23));
    let more = (rare(0u8..4), option::of(0u8..3), vec(0u8..4, 0..3));
    let answers = option::weighted(0.3, (0u8..4, 0u8..3));
    (who, links, more, answers).prop_map(|(who, links, more, answers)| {
        let (kind, uuid, one, other) = who;
        let (parent, logical) = links;
        let (call, agent, calls) = more;
        // Blocks are looked for in what is said, results with the user.
        let speaks = matches!(kind, "user" | "assistant");
        let answers = answers.filter(|_| kind == "user");
        let calls = if speaks { calls } else { vec![] };
        let is_sidechain = one && other;
        Note {
            kind,
            uuid,
            parent,
            logical,
            is_sidechain,
            call,
            agent,
            calls,
            answers,
        }
    })
}

/// The same tree, by looking everything up in lists again and again.
#[derive(Default)]
struct Twin {
    notes: Vec<Note>,
    /// From what hangs to what it hangs from, in order of appearance.
    links: Vec<(String, String)>,
    cycles: Vec<u8>,
    duplicates: u64,
}

impl Twin {
    fn new(notes: &[Note]) -> Twin {
        let mut twin = Twin::default();
        for note in notes {
            if twin.notes.iter().any(|other| other.uuid == note.uuid) {
                twin.duplicates += 1;
                continue;
            }
            twin.notes.push(note.clone());
            let me = format!("uuid {}", note.uuid);
            let agent = note.agent.filter(|_| note.is_side());
            let up = note.parent.or(note.logical);
            let up = up.map(|uuid| format!("uuid {uuid}"));
            let up = up.or(note.call.map(|call| format!("call {call}")));
            let up = up.or(agent.map(|agent| format!("agent {agent}")));
            let mut good = up.is_none_or(|up| twin.link(&me, &up));
            for call in &note.calls {
                good &= twin.link(&format!("call {call}"), &me);
            }
            if let Some((call, agent)) = note.answers {
                let call = format!("call {call}");
                good &= twin.link(&format!("agent {agent}"), &call);
            }
            if !good {
                twin.cycles.push(note.uuid);
            }
        }
        twin
    }

    fn up(&self, from: &str) -> Option<&str> {
        let link = self.links.iter().find(|(below, _)| below == from);
        link.map(|(_, up)| up.as_str())
    }

    /// Whether there is no circle.
    fn link(&mut self, from: &str, to: &str) -> bool {
        if self.up(from).is_some() {
            return true;
        }
        let mut at = Some(to);
        while let Some(here) = at {
            if here == from {
                return false;
            }
            at = self.up(here);
        }
        self.links.push((from.into(), to.into()));
        true
    }

    fn note(&self, name: &str) -> Option<&Note> {
        let uuid = name.strip_prefix("uuid ")?;
        self.notes.iter().find(|note| note.uuid.to_string() == uuid)
    }

    fn parent(&self, note: &Note) -> Option<&Note> {
        let mut at = self.up(&format!("uuid {}", note.uuid));
        while let Some(here) = at {
            if let Some(note) = self.note(here) {
                return Some(note);
            }
            at = self.up(here);
        }
        None
    }

    fn roots(&self) -> Vec<&Note> {
        let roots = self.notes.iter();
        roots.filter(|note| self.parent(note).is_none()).collect()
    }

    fn below(&self, name: &str) -> Vec<&Note> {
        let below = self.links.iter().filter(|(_, up)| up == name);
        let below = below.map(|(below, _)| below.as_str());
        let (uuids, others): (Vec<_>, Vec<_>) =
            below.partition(|name| name.starts_with("uuid"));
        let mut notes: Vec<_> =
            others.into_iter().flat_map(|name| self.below(name)).collect();
        notes.extend(uuids.into_iter().filter_map(|name| self.note(name)));
        notes
    }

    fn children(&self, note: &Note) -> Vec<&Note> {
        self.below(&format!("uuid {}", note.uuid))
    }

    fn depth_first(&self, depth: usize, note: &Note, out: &mut Vec<String>) {
        out.push(format!("{depth} {}", note.uuid));
        for child in self.children(note) {
            self.depth_first(depth + 1, child, out);
        }
    }

    fn active_branch(&self) -> Vec<&Note> {
        let main = || self.notes.iter().rev().filter(|n| !n.is_side());
        let said = |n: &&Note| matches!(n.kind, "user" | "assistant");
        let last = main().find(said).or_else(|| main().next());
        let Some(last) = last else { return vec![] };
        let mut branch = vec![last];
        while let Some(parent) = self.parent(branch[0]) {
            branch.insert(0, parent);
        }
        let newest = |note: &Note| {
            let mut children = self.children(note);
            children.retain(|child| !child.is_side());
            children.pop()
        };
        while let Some(child) = newest(branch[branch.len() - 1]) {
            branch.push(child);
        }
        branch
    }

    fn branch_points(&self) -> Vec<&Note> {
        let is_turn = |note: &&&Note| {
            !note.is_side()
                && matches!(note.kind, "user" | "assistant")
                && note.answers.is_none()
        };
        let points = self.notes.iter();
        points
            .filter(|n| self.children(n).iter().filter(is_turn).count() > 1)
            .collect()
    }

    fn sidechains(&self) -> String {
        let mut seen = BTreeSet::new();
        let mut sides = vec![];
        for note in self.notes.iter().filter(|note| note.is_side()) {
            let parent = self.parent(note);
            let up = self.up(&format!("uuid {}", note.uuid));
            let starts = match up {
                Some(up) if !up.starts_with("uuid") => seen.insert(up),
                _ => parent.is_none_or(|parent| !parent.is_side()),
            };
            if starts {
                let parent = parent.map(|parent| parent.uuid.to_string());
                let parent = parent.unwrap_or("?".into());
                sides.push(format!("{}<{parent}", note.uuid));
            }
        }
        sides.join(" ")
    }

    fn missing(&self) -> BTreeSet<String> {
        let named = self.notes.iter().flat_map(|n| [n.parent, n.logical]);
        let named = named.flatten().map(|uuid| uuid.to_string());
        named
            .filter(|uuid| self.note(&format!("uuid {uuid}")).is_none())
            .collect()
    }
}

fn listed(notes: Vec<&Note>) -> String {
    let names: Vec<_> = notes.iter().map(|n| n.uuid.to_string()).collect();
    names.join(" ")
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn a_tree_is_like_its_slow_twin(notes in vec(note(), 0..30)) {
        let log: String = notes.iter().map(Note::line).collect();
        let (tree, twin) = (tree(&log), Twin::new(&notes));
        prop_assert_eq!(tree.len(), twin.notes.len());
        prop_assert_eq!(tree.duplicates(), twin.duplicates);
        prop_assert_eq!(names(tree.roots()), listed(twin.roots()));
        for note in &twin.notes {
            let node = tree.find(&note.uuid.to_string()).unwrap();
            let children = listed(twin.children(note));
            prop_assert_eq!(names(node.children()), children);
            let parent = twin.parent(note).map(|n| n.uuid.to_string());
            prop_assert_eq!(node.parent().map(Node::uuid), parent.as_deref());
            prop_assert_eq!(node.is_sidechain(), note.is_side());
        }
        let mut expected = vec![];
        for root in twin.roots() {
            twin.depth_first(0, root, &mut expected);
        }
        let walked: Vec<_> = tree.depth_first()
            .map(|(depth, node)| format!("{depth} {}", node.uuid()))
            .collect();
        prop_assert_eq!(&walked, &expected);
        let met = tree.depth_first().map(|(_, node)| node.id());
        let met: BTreeSet<_> = met.collect();
        prop_assert_eq!((walked.len(), met.len()), (tree.len(), tree.len()));

        let branch = tree.active_branch();
        prop_assert_eq!(names(branch), listed(twin.active_branch()));
        let points = names(tree.branch_points());
        prop_assert_eq!(points, listed(twin.branch_points()));
        prop_assert_eq!(side(&tree), twin.sidechains());
        let cycles: Vec<_> = twin.cycles.iter().map(u8::to_string).collect();
        prop_assert_eq!(names(tree.cycles()), cycles.join(" "));
        let missing = tree.missing().map(str::to_string);
        prop_assert_eq!(missing.collect::<BTreeSet<_>>(), twin.missing());
    }

    /// Without circles and repeated lines, all orders make the same links.
    #[test]
    fn the_order_of_lines_does_not_matter_for_links(
        (lines, shuffled) in vec(any::<u16>(), 0..40).prop_map(|parents| {
            parents.iter().enumerate().map(|(at, parent)| {
                let parent = match at {
                    0 => "-".to_string(),
                    _ => (*parent as usize % at).to_string(),
                };
                said("user", &at.to_string(), &parent)
            }).collect::<Vec<_>>()
        }).prop_flat_map(|lines| {
            (Just(lines.clone()), Just(lines).prop_shuffle())
        }),
    ) {
        let links = |lines: &[String]| {
            let tree = tree(&lines.concat());
            let link = |n: Node<'_>| {
                let parent = n.parent().map(|up| up.uuid().to_string());
                let mut below: Vec<_> =
                    n.children().map(|c| c.uuid().to_string()).collect();
                below.sort();
                (n.uuid().to_string(), (parent, below))
            };
            assert_eq!(tree.cycles().count(), 0);
            tree.nodes().map(link).collect::<BTreeMap<_, _>>()
        };
        prop_assert_eq!(links(&lines), links(&shuffled));
    }
}

// ---- real logs -------------------------------------------------------------

#[test]
fn real_logs() {
    let Some(folder) = logs::corpus() else { return };
    let mut files = vec![];
    for part in ["transcripts", "stream-json"] {
        let entries = fs::read_dir(folder.join(part)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let log = fs::read(&file).unwrap();
        let log = String::from_utf8_lossy(&log);
        // A line that holds two records, or none, is not for the tree.
        let is_whole = |line: &&str| {
            serde_json::from_str::<serde_json::Value>(line).is_ok()
        };
        let whole: Vec<&str> = log.lines().filter(is_whole).collect();
        let log = whole.join("\n");
        let tree = tree(&log);
        let mut uuids = BTreeSet::new();
        for line in log.lines().filter(|line| !line.trim().is_empty()) {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(uuid) = line["uuid"].as_str() {
                uuids.insert(uuid.to_string());
            }
        }
        let mut walked: Vec<_> =
            tree.depth_first().map(|(_, n)| n.uuid().to_string()).collect();
        walked.sort();
        let uuids: Vec<_> = uuids.into_iter().collect();
        assert_eq!(walked, uuids, "{file:?}");
        let orphans = tree
            .roots()
            .filter(|n| n.parent_uuid().or(n.logical_parent_uuid()).is_some())
            .count();
        let hung = tree.sidechains().filter(|(_, up)| up.is_some()).count();
        println!(
            "{}: {} nodes, {} roots, {orphans} orphans, {} missing, \
             {} branch points, {} sidechains ({hung} hung), \
             {} boundaries, {} in the active branch, {} again, {} cycles",
            file.file_name().unwrap().display(),
            tree.len(),
            tree.roots().count(),
            tree.missing().count(),
            tree.branch_points().count(),
            tree.sidechains().count(),
            tree.boundaries().count(),
            tree.active_branch().len(),
            tree.duplicates(),
            tree.cycles().count(),
        );
    }
}

// ---- bad shapes ------------------------------------------------------------

/// Adds messages whose links a function tells.
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

/// If one of these were quadratic, it would not end.
#[test]
fn shapes_that_would_break_a_careless_tree() {
    on_a_small_stack(|| {
        for count in [100_000, 200_000] {
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
            // A circle, both ways around.
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
            // Each its own parent; and one message again and again.
            let tree = grown(count, |at| (at, at));
            assert_eq!(tree.cycles().count(), count);
            assert_eq!(tree.roots().count(), count);
            let tree = grown(count, |at| (0, at));
            assert_eq!((tree.len(), tree.duplicates()), (1, count as u64 - 1));
        }
    });
}

/// One message with many calls, and many sub-agents under one call.
#[test]
fn many_calls() {
    on_a_small_stack(|| {
        let count = 100_000;
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
fn a_tree_goes_to_other_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Tree>();
}
