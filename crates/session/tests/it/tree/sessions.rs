//! The trees of small sessions.

use super::*;

#[test]
fn a_linear_conversation_is_a_chain() {
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
fn a_log_without_nodes_is_an_empty_tree() {
    let tree = tree("{\"type\":\"summary\",\"parentUuid\":\"a\"}\n");
    assert!(tree.is_empty() && tree.active_branch().is_empty());
    assert_eq!((shape(&tree), tree.missing().count()), (String::new(), 0));
}

#[test]
fn add_returns_no_id_for_a_message_without_a_uuid() {
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

/// In a stream without uuids, messages of the user and the model are nodes.
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

/// Progress lines are siblings of the tool result. They are not an edited
/// prompt, and a late one does not change the active branch.
#[test]
fn progress_lines_and_tool_results_are_not_branches() {
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

#[test]
fn parallel_tool_calls_are_a_chain_with_results_as_children() {
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

/// A tool call in a line of the message `message`.
fn call_of(message: &str, call: &str) -> String {
    format!(
        r#""message":{{"id":"{message}","content":[{{"type":"tool_use","id":"{call}","name":"Read"}}]}}"#
    )
}

/// The branch had one result of several parallel calls, and lost the others.
#[test]
fn the_branch_has_all_results_of_parallel_calls() {
    let calls = said("user", "a", "-")
        + &line("assistant", "b1", "a", &call_of("m", "t1"))
        + &line("assistant", "b2", "b1", &call_of("m", "t2"))
        + &line("assistant", "b3", "b2", &call_of("m", "t3"));
    // The next message follows the result of the first call.
    let log = calls.clone()
        + &line("user", "r3", "b3", &result("t3"))
        + &line("user", "r2", "b2", &result("t2"))
        + &line("user", "r1", "b1", &result("t1"))
        + &said("assistant", "c", "r1");
    let branch = names(tree(&log).active_branch());
    assert_eq!(branch, "a b1 b2 b3 r2 r3 r1 c");
    // Results in order of time.
    let timed = |uuid, parent, call, second: u8| {
        let time = format!(r#""timestamp":"2026-01-01T00:00:0{second}Z","#);
        line("user", uuid, parent, &(time + &result(call)))
    };
    let log = calls.clone()
        + &timed("r3", "b3", "t3", 1)
        + &timed("r2", "b2", "t2", 2)
        + &timed("r1", "b1", "t1", 3)
        + &said("assistant", "c", "r1");
    let branch = names(tree(&log).active_branch());
    assert_eq!(branch, "a b1 b2 b3 r3 r2 r1 c");
    // A result whose parent is a line of another message belongs to its call
    // by the source that it names, unless the call has a result.
    let stray = |uuid, call| {
        let source = r#""sourceToolAssistantUUID":"b2","#.to_string();
        line("user", uuid, "lost", &(source + &result(call)))
    };
    let log = calls.clone()
        + &stray("x2", "t2")
        + &stray("x1", "t1")
        + &line("user", "r1", "b1", &result("t1"))
        + &said("assistant", "c", "r1");
    let tree = tree(&log);
    assert_eq!(names(tree.active_branch()), "a b1 b2 b3 x2 r1 c");
    assert_eq!(tree.missing().collect::<Vec<_>>(), ["lost"]);
}

/// Another message with the same call, or another agent, has no part in it.
#[test]
fn results_of_other_agents_are_not_in_the_branch() {
    let side = r#""isSidechain":true,"agentId":"f","#.to_string();
    let log = said("user", "a", "-")
        + &line("assistant", "b1", "a", &call_of("m", "t1"))
        + &line("assistant", "b2", "b1", &call_of("m", "t2"))
        + &line("user", "x", "lost", &(side + &result("t2")))
        + &line("user", "r1", "b1", &result("t1"));
    let branch = names(tree(&log).active_branch());
    assert_eq!(branch, "a b1 b2 r1");
}

#[test]
fn preserved_messages_come_after_the_compaction() {
    let kept = r#""subtype":"compact_boundary","logicalParentUuid":"d","compactMetadata":{"preservedMessages":{"anchorUuid":"sum","uuids":["c","d"]}}"#;
    let log = said("user", "a", "-")
        + &said("assistant", "b", "a")
        + &said("user", "c", "b")
        + &said("assistant", "d", "c")
        + &line("system", "cut", "-", kept)
        + &said("user", "sum", "cut")
        + &said("user", "e", "d");
    assert_eq!(names(tree(&log).active_branch()), "a b cut sum c d e");
    // Without an anchor, nothing is relinked.
    let log = log.replace(r#""anchorUuid":"sum","#, "");
    assert_eq!(names(tree(&log).active_branch()), "a b c d e");
}

/// Messages after the summary came before the preserved ones, a branch that
/// ends with the summary had none of them after it, a list with a message
/// that is missing was followed, and a segment was not.
#[test]
fn messages_after_a_summary_follow_the_preserved_ones() {
    let before = said("user", "a", "-")
        + &said("assistant", "b", "a")
        + &said("user", "c", "b")
        + &said("assistant", "d", "c");
    let compacted = |kept: &str| {
        let cut = r#""subtype":"compact_boundary","logicalParentUuid":"d","#;
        let cut = format!(r#"{cut}"compactMetadata":{{{kept}}}"#);
        before.clone()
            + &line("system", "cut", "-", &cut)
            + &said("user", "sum", "cut")
    };
    let branch = |log: &str| names(tree(log).active_branch());
    let list = |uuids: &str| {
        format!(
            r#""preservedMessages":{{"anchorUuid":"sum","uuids":{uuids}}}"#
        )
    };
    let kept = compacted(&list(r#"["c","d"]"#));
    assert_eq!(branch(&kept), "a b cut sum c d");
    let next = kept.clone() + &said("user", "e", "sum");
    assert_eq!(branch(&next), "a b cut sum c d e");
    let next = next + &said("assistant", "f", "e");
    assert_eq!(branch(&next), "a b cut sum c d e f");
    // One of them is missing, or there are none.
    for uuids in [r#"["c","lost"]"#, "[]"] {
        let log = compacted(&list(uuids)) + &said("user", "e", "sum");
        assert_eq!(branch(&log), "a b c d cut sum e");
    }
    // Not all messages between the ends are listed.
    let segment = r#""preservedSegment":{"headUuid":"c","tailUuid":"d","anchorUuid":"sum"}"#;
    let log = compacted(segment) + &said("user", "e", "sum");
    assert_eq!(branch(&log), "a b cut sum c d e");
    // The list replaces the segment.
    let log = compacted(&format!("{},{segment}", list(r#"["d"]"#)));
    assert_eq!(branch(&log), "a b c cut sum d");
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
    // A sidechain is not an edited prompt.
    let tree = self::tree(&(log + &said("user", "r2", "b")));
    assert_eq!(names(tree.branch_points()), "");
}

/// The result of the call contains the `agentId` of the sub-agent.
#[test]
fn a_sidechain_in_its_own_file_is_linked_by_agent_id() {
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
    // Of two results in a line, the first one started the agent.
    let two = r#""message":{"content":[
        {"type":"tool_result","tool_use_id":"t"},
        {"type":"tool_result","tool_use_id":"k"}]},
        "toolUseResult":{"agentId":"f1"}"#;
    let log = line("assistant", "b", "-", &calls(&["t"]))
        + &line("assistant", "k", "b", &calls(&["k"]))
        + &line("user", "r", "k", &two.replace('\n', ""))
        + &first;
    assert_eq!(shape(&self::tree(&log)), "b(x(y) k(r))");
    // Outside of sidechains, `agentId` is ignored.
    let tree =
        self::tree(&(main + &line("user", "m", "-", r#""agentId":"f1""#)));
    assert_eq!(shape(&tree), "a(b(r(s))) m");
}

/// Covers parallel calls, a sub-agent of a sub-agent, and a missing call.
#[test]
fn sidechains_in_a_stream_are_linked_by_tool_call_id() {
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

/// A uuid and a call id may be equal.
#[test]
fn uuids_and_call_ids_are_separate_namespaces() {
    let log = line("assistant", "t", "-", &calls(&["a"]))
        + &streamed("user", "a", "\"t\"", "\"n\":1")
        + &streamed("user", "b", "\"a\"", "\"n\":1")
        + &said("user", "c", "a");
    assert_eq!(shape(&tree(&log)), "t(b) a(c)");
}

#[test]
fn api_errors_are_nodes_of_the_branch() {
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

#[test]
fn compact_boundaries_are_linked_by_logical_parent() {
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

    // The logical parent may be in another file.
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

    // If a message has both, `parentUuid` takes precedence.
    let log = said("user", "a", "-")
        + &said("assistant", "b", "a")
        + &line("system", "cut", "b", &cut("a"));
    let tree = self::tree(&log);
    assert_eq!(shape(&tree), "a(b(cut))");
    let cut_node = tree.find("cut").unwrap();
    assert_eq!(cut_node.logical_parent().map(Node::uuid), Some("a"));
}

/// The older format has a `compact_system` line for each step.
#[test]
fn compact_system_lines_are_boundaries() {
    let log = include_str!("../../../../../tests/data/transcript.jsonl");
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

/// A resumed session repeats lines. The first copies keep their position and
/// links.
#[test]
fn repeated_lines_are_duplicates_and_keep_the_first_node() {
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
    // A repeated line does not become the newest message.
    let log = said("user", "a", "-")
        + &said("user", "b1", "a")
        + &said("user", "b2", "a")
        + &said("user", "b1", "a");
    let tree = self::tree(&log);
    assert_eq!(names(tree.active_branch()), "a b2");
    assert_eq!(shape(&tree), "a(b1 b2)");
}

#[test]
fn missing_parents_are_listed_and_their_children_are_roots() {
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
fn parent_cycles_are_cut_and_listed() {
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
fn cycles_of_sub_agent_calls_are_cut_and_listed() {
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
fn children_may_come_before_their_parents() {
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
