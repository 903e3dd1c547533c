//! Many messages with one id: they share a group of rows, up to a limit.

use linetape_session::UsageTotals;
use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::{Value, json};

use super::{
    log,
    reference::{Summary, naive},
    said,
    saved::{add, again, everything},
    totals,
};
use crate::texts;

/// Generates lines with two ids and more request ids than a group has rows, in
/// three sessions: of the main conversation, of forks, and of sub-agents.
fn any_line(ids: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let id = prop::sample::select(ids);
    let request = prop_oneof![1 => Just(None), 9 => (0..14u8).prop_map(Some)];
    let session = prop::sample::select(vec!["s", "t", "u", ""]);
    let tokens = prop::sample::select(vec![0, 0, 1, 2, 300]);
    let flags = any::<[bool; 3]>();
    (id, request, session, tokens, flags, 0..4u8).prop_map(
        |(id, request, session, tokens, [side, fork, usage], second)| {
            let mut line = said(id, tokens, json!({"isSidechain": side}));
            if let Some(request) = request {
                line["requestId"] = json!(format!("req_{request}"));
            }
            if !session.is_empty() {
                line["sessionId"] = json!(session);
            }
            if fork {
                line["forkedFrom"] = json!({"sessionId": "s"});
            }
            if !usage {
                line["timestamp"] =
                    json!(format!("2026-01-31T10:00:0{second}Z"));
                line["message"]["model"] = json!("opus");
                line["message"]["content"] = json!([{
                    "type": "tool_use", "id": format!("t{tokens}{second}"),
                    "name": "Read",
                }]);
            }
            if tokens == 2 && second == 0 {
                line["message"].as_object_mut().unwrap().remove("usage");
            }
            line
        },
    )
}

proptest! {
    #![proptest_config(texts::cases(192))]

    /// However many messages have one id, and wherever they are saved and
    /// loaded, the totals are those of the reference.
    #[test]
    fn messages_with_one_id_agree_with_the_reference(
        lines in vec(any_line(&["msg_a", "msg_a", "msg_b", "gen-a"]), 0..60),
        cut in any::<Index>(),
    ) {
        let whole = totals(&log(&lines));
        prop_assert_eq!(Summary::of(&whole), naive(&log(&lines)));
        let (before, after) = lines.split_at(cut.index(lines.len() + 1));
        let mut loaded = again(&totals(&log(before)));
        add(&mut loaded, log(after).as_bytes());
        prop_assert_eq!(everything(&loaded), everything(&whole));
    }

    /// The same, if they are read, saved and merged in parts.
    #[test]
    fn messages_with_one_id_can_be_merged(
        lines in vec(any_line(&["msg_a", "msg_a", "msg_b"]), 0..60),
        cuts in any::<[Index; 3]>(),
        is_saved in any::<[bool; 4]>(),
    ) {
        let mut cuts = cuts.map(|cut| cut.index(lines.len() + 1));
        cuts.sort_unstable();
        let [a, b, c] = cuts;
        let parts = [&lines[..a], &lines[a..b], &lines[b..c], &lines[c..]];
        let mut merged = UsageTotals::new();
        for (part, is_saved) in parts.into_iter().zip(is_saved) {
            let part = totals(&log(part));
            if is_saved {
                merged = again(&merged);
                merged.append(again(&part));
            } else {
                merged.append(part);
            }
        }
        let whole = totals(&log(&lines));
        prop_assert_eq!(everything(&merged), everything(&whole));
    }
}

/// The session of a line without usage was ignored: a line of a gateway, whose
/// ids are valid in one session only, was a part of another message.
#[test]
fn a_line_without_usage_belongs_to_the_message_of_its_session() {
    let call = |id: &str, name: &str| json!([{"type": "tool_use", "id": id, "name": name}]);
    let mut first = said("gen-1", 2, json!({"sessionId": "s"}));
    first["message"]["content"] = call("t1", "Read");
    let second = json!({"type": "assistant", "sessionId": "s",
        "message": {"id": "gen-1", "content": call("t2", "Bash")}});
    let totals = totals(&log(&[first, second]));
    let tools = totals.by_tool();
    let used: Vec<_> = tools
        .iter()
        .map(|tool| (tool.name, tool.messages, tool.tokens.output_tokens))
        .collect();
    assert_eq!(used, [(Some("Bash"), 1, 2), (Some("Read"), 1, 2)]);
}

/// A part of a log noted only the first of two messages of the main
/// conversation that have lines in one session. In the whole log, the other
/// one may be the first, and the calls of copies are its calls.
#[test]
fn calls_of_a_copy_belong_to_the_first_message_of_merged_parts() {
    let line = |request: &str, session: &str, tokens| {
        let more = json!({"requestId": request, "sessionId": session});
        said("msg_a", tokens, more)
    };
    let mut copy = line("r3", "t", 7);
    copy["isSidechain"] = json!(true);
    copy["message"]["content"] =
        json!([{"type": "tool_use", "id": "t1", "name": "Read"}]);
    let before = [line("r1", "s", 300)];
    let after = [
        line("r2", "v", 1),
        line("r2", "t", 1),
        line("r1", "u", 300),
        line("r1", "t", 300),
        copy,
    ];
    let whole = totals(&log(&[&before[..], &after].concat()));
    let mut merged = totals(&log(&before));
    merged.append(totals(&log(&after)));
    assert_eq!(merged.by_tool()[0].tokens.output_tokens, 300);
    assert_eq!(everything(&merged), everything(&whole));
}

/// A gateway may write one id on every message, with request ids. Finding one
/// among them takes no more steps than among others: with a search through
/// all of them, this test would take minutes.
#[test]
fn many_messages_with_one_id_are_two_by_two_different() {
    let count = 2_000;
    let lines: Vec<Value> = (0..count)
        .map(|n| {
            let more = json!({"sessionId": "s", "requestId": format!("r{n}")});
            said("msg_same", 3, more)
        })
        .collect();
    let (first, second) = lines.split_at(count / 2);
    let mut merged = totals(&log(first));
    merged.append(again(&totals(&log(second))));
    // All of them once more, in a state that was loaded.
    let mut merged = again(&merged);
    merged.append(totals(&log(&lines)));
    let total = merged.total();
    assert_eq!((total.messages, total.tokens.output_tokens), (2_000, 6_000));
}
