//! What the agent program says: the texts of results, and errors.

use serde_json::{Value, json};

use linetape_session::conversation::Notice;

use crate::conversation::{read, shown};

fn asked(uuid: &str, text: &str) -> Value {
    json!({"type": "user", "session_id": "s", "uuid": uuid,
        "message": {"content": text}})
}

fn said(uuid: &str, text: &str) -> Value {
    json!({"type": "assistant", "session_id": "s", "uuid": uuid,
        "message": {"id": uuid, "content": [{"type": "text", "text": text}]}})
}

fn result(uuid: &str, text: &str) -> Value {
    json!({"type": "result", "subtype": "success", "session_id": "s",
        "uuid": uuid, "result": text})
}

fn count(shown: &[String], step: &str) -> usize {
    shown.iter().filter(|one| one.trim() == step).count()
}

/// The last answer was there twice: only the last text was kept, and the first
/// result took it.
#[test]
fn an_answer_is_there_once_if_the_transcript_is_read_before_the_stream() {
    let turns = [
        asked("u1", "1"),
        said("a1", "one"),
        asked("u2", "2"),
        said("a2", "two"),
    ];
    let mut stream = turns.to_vec();
    stream.insert(2, result("r1", "one"));
    stream.push(result("r2", "two"));
    let shown = shown(&[turns.to_vec(), stream]);
    assert_eq!(count(&shown, "Text one"), 1, "{shown:#?}");
    assert_eq!(count(&shown, "Text two"), 1, "{shown:#?}");
}

/// A text excuses one result only.
#[test]
fn a_result_without_a_message_has_its_text() {
    let log = vec![
        asked("u1", "1"),
        said("a1", "Done."),
        result("r1", "Done."),
        asked("u2", "2"),
        result("r2", "Done."),
    ];
    let shown = shown(&[log]);
    assert_eq!(count(&shown, "Text Done."), 2, "{shown:#?}");
}

/// It was not shown if the model had said anything since the last result.
#[test]
fn a_result_with_another_text_than_the_last_message_is_shown_once() {
    let log = vec![
        asked("u1", "1"),
        said("a1", "Let me see."),
        said("a2", "Almost."),
        result("r1", "It is done."),
        asked("u2", "2"),
        said("a3", "Yes."),
        result("r2", " Yes.\n"),
    ];
    let shown = shown(&[log.clone(), log]);
    for text in ["Let me see.", "Almost.", "It is done.", "Yes."] {
        let step = format!("Text {text}");
        assert_eq!(count(&shown, &step), 1, "{text}: {shown:#?}");
    }
}

/// The answer was shown again, as the text of the result.
#[test]
fn a_result_with_all_texts_of_a_message_is_not_shown() {
    for text in ["One.Two.", "One.\nTwo.", "One.\n\nTwo.", "Two."] {
        let mut message = said("a1", "");
        message["message"]["content"] = json!([
            {"type": "text", "text": "One."}, {"type": "text", "text": "Two."},
        ]);
        let log = vec![asked("u1", "1"), message, result("r1", text)];
        let shown = shown(&[log]);
        let texts = shown.iter().filter(|step| step.contains("Text "));
        assert_eq!(texts.count(), 2, "{text}: {shown:#?}");
    }
}

/// The text was a step, and was printed again below the result.
#[test]
fn an_error_in_the_list_of_errors_is_no_step() {
    let mut failed = result("r1", "API Error: 500");
    failed["subtype"] = json!("error_during_execution");
    failed["is_error"] = json!(true);
    let log = |failed: &Value| {
        shown(&[vec![asked("u1", "1"), said("a1", "Hm."), failed.clone()]])
    };
    assert_eq!(count(&log(&failed), "Error API Error: 500"), 1);
    failed["errors"] = json!(["API Error: 500"]);
    assert_eq!(count(&log(&failed), "Error API Error: 500"), 0);
}

/// An empty message hid the one inside, and no error was `null`.
#[test]
fn an_error_of_the_api_says_what_it_can() {
    for (error, text) in [
        (json!({"message": "", "error": {"message": "inner"}}), "Error inner"),
        (json!({"message": "outer", "error": {}}), "Error outer"),
        (json!(null), "Error"),
    ] {
        let error = json!({"type": "system", "subtype": "api_error",
            "level": "error", "session_id": "s", "uuid": "e", "error": error});
        let shown = shown(&[vec![asked("u1", "1"), error]]);
        assert_eq!(count(&shown, text), 1, "{shown:#?}");
    }
}

/// Of two notifications in one text, the second was a part of the first.
#[test]
fn each_notification_of_a_text_is_in_words() {
    let text = "<task-notification><summary>Tests done</summary>\
                <result>See </task-notification> here</result>\
                </task-notification>\n<task-notification><status>failed\
                </status><summary>Build done</summary></task-notification>\n\
                Read both.";
    let (conversation, mut recall) = read(&[vec![asked("u1", text)]]);
    let step = conversation.sessions().flat_map(|s| s.turns()).next();
    let step = step.unwrap().steps().next().unwrap();
    let words = recall.step(step, |facts| step.words(facts).into_owned());
    assert_eq!(
        words.unwrap().unwrap(),
        "Tests done [ended]\nSee </task-notification> here\n\
         Build done [failed]\nRead both."
    );
    // A result can quote the words.
    let text = "<task-notification><summary>One</summary><result>\
                </task-notification><task-notification></result>\
                </task-notification> End";
    let notices = Notice::all(text);
    assert_eq!(notices.len(), 1);
    let result = "</task-notification><task-notification>";
    assert_eq!((notices[0].result, notices[0].rest), (Some(result), "End"));
}

/// The text before each of the words was searched again, which took minutes.
#[test]
fn a_result_that_quotes_many_notifications_takes_linear_time() {
    let quoted = "</task-notification><task-notification>".repeat(100_000);
    let text = format!("<task-notification><result>{quoted}");
    let notices = Notice::all(&text);
    assert_eq!(notices.len(), 2);
    let text = format!("<task-notification>{quoted}");
    assert_eq!(Notice::all(&text).len(), 100_001);
}
