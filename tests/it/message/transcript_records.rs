//! The lines of transcripts that are not part of the conversation: titles,
//! snapshots of files, progress, the prompt queue.
#![cfg(feature = "owned")]

use linetape::{Message, Value, message::SessionId};
use serde_json::json;

use super::fixture::{self, Common, check_common, of_kind, reads};

const LOG: &str = include_str!("../../data/transcript_records.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

fn json(value: Option<Value<'_>>) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

reads! {
    summary, [1],
    Message::Summary(summary) => {
        summary.summary() => Some("A map of the roads");
        summary.leaf_uuid() => Some("r-09");
    }

    first_snapshot, [2],
    Message::FileHistorySnapshot(snapshot) => {
        snapshot.message_id() => Some("r-02");
        snapshot.is_snapshot_update() => Some(false);
        json(snapshot.snapshot()) => json!({
            "messageId": "r-02",
            "trackedFileBackups": {
                "maps/roads.svg": {
                    "backupFileName": "c0ffee@v1",
                    "version": 1,
                },
            },
            "timestamp": "2026-03-04T08:00:01.500Z",
        });
    }

    later_snapshot, [3],
    Message::FileHistorySnapshot(snapshot) => {
        snapshot.message_id() => Some("r-04");
        snapshot.is_snapshot_update() => Some(true);
        json(snapshot.snapshot()) =>
            json!({ "messageId": "r-02", "trackedFileBackups": {} });
    }

    progress_of_a_tool, [4],
    Message::Progress(progress) => {
        progress.data().unwrap().kind() => Some("bash_progress");
        progress.tool_use_id() => Some("bash-1");
        progress.parent_call() => Some("call-1");
        progress.agent_id() => None;
        progress.user_type() => Some("external");
        progress.cwd() => Some("/maps");
        progress.version() => Some("2.1.0");
        progress.git_branch() => Some("main");
        progress.slug() => Some("slow-blue-heron");
    }

    progress_of_an_agent, [5],
    Message::Progress(progress) => {
        progress.data().unwrap().kind() => Some("agent_progress");
        progress.tool_use_id() => Some("agent-1");
        progress.parent_call() => Some("call-2");
        progress.agent_id() => Some("a1");
    }

    queued_prompt, [6],
    Message::QueueOperation(queue) => {
        queue.operation() => Some("enqueue");
        queue.content() => Some("And the rivers");
        queue.reason() => None;
        queue.delivery_id() => Some("d-1");
    }

    removed_prompt, [7],
    Message::QueueOperation(queue) => {
        queue.operation() => Some("remove");
        queue.content() => None;
        queue.reason() => Some("cancelled");
        queue.delivery_id() => None;
    }

    attachment, [8],
    Message::Attachment(attachment) => {
        attachment.attachment().unwrap().kind() => Some("file");
        json(attachment.attachment().map(|body| body.value())) => json!({
            "type": "file",
            "filename": "roads.svg",
            "content": "<svg/>",
        });
    }

    pr_link, [9],
    Message::PrLink(link) => {
        link.pr_number() => Some(42);
        link.pr_url() => Some("https://example.org/maps/pull/42");
        link.pr_repository() => Some("hikers/maps");
    }

    title_by_the_model, [10],
    Message::AiTitle(title) => {
        title.ai_title() => Some("Drawing the roads");
    }

    title_by_the_user, [11],
    Message::CustomTitle(title) => {
        title.custom_title() => Some("Roads, at last");
    }

    last_prompt, [12],
    Message::LastPrompt(prompt) => {
        prompt.last_prompt() => Some("And the rivers");
        prompt.leaf_uuid() => Some("r-08");
    }
}

/// A row of the session, without a uuid.
fn of_session(kind: &str) -> Common<'_> {
    Common { session_id: Some(SessionId::Str("hike")), ..of_kind(kind) }
}

#[test]
fn common_accessors() {
    check_common(
        LOG,
        &[
            of_kind("summary"),
            of_kind("file-history-snapshot"),
            of_kind("file-history-snapshot"),
            Common {
                uuid: Some("r-05"),
                parent_uuid: Some("r-04"),
                timestamp: Some("2026-03-04T08:00:04.000Z"),
                ..of_session("progress")
            },
            Common {
                uuid: Some("r-06"),
                parent_uuid: Some("r-05"),
                timestamp: Some("2026-03-04T08:00:05.000Z"),
                is_sidechain: true,
                ..of_session("progress")
            },
            Common {
                timestamp: Some("2026-03-04T08:00:06.000Z"),
                ..of_session("queue-operation")
            },
            Common {
                timestamp: Some("2026-03-04T08:00:07.000Z"),
                ..of_session("queue-operation")
            },
            Common {
                uuid: Some("r-08"),
                parent_uuid: Some("r-06"),
                timestamp: Some("2026-03-04T08:00:08.000Z"),
                ..of_session("attachment")
            },
            Common {
                timestamp: Some("2026-03-04T08:00:09.000Z"),
                ..of_session("pr-link")
            },
            of_session("ai-title"),
            of_session("custom-title"),
            of_session("last-prompt"),
        ],
    );
}
