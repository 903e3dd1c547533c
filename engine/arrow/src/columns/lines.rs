//! The columns of `lines`.

use linetape::{Message, Usage, message::transcript::CostState};

use crate::{
    columns::{
        CWD, Column, FILE, IS_SIDECHAIN, MESSAGE_ID, MODEL, NESTED, OFFSET,
        REQUEST_ID, ROLE, Read, SESSION_ID, TIMESTAMP, UUID, int, join, show,
    },
    row::{Of, Row},
};

pub(crate) const COLUMNS: &[Column] = &[
    FILE,
    OFFSET,
    Column::of_place("length", Read::Int(|row| int(row.place.length)))
        .never_null(),
    Column::of_place("line", Read::Int(|row| int(row.place.number?))),
    NESTED,
    Column::of_kind(
        "error",
        Read::Str(|row| Some(row.error()?.kind().as_str())),
    ),
    Column::of_kind(
        "error_message",
        Read::Text(|row, to| show(row.error().map(|e| e.reason()), to)),
    ),
    Column::of_kind("type", Read::Str(|row| row.kind()?.name())),
    Column::of_kind("subtype", Read::Str(|row| row.kind()?.subtype())),
    Column::of_kind(
        "kind",
        Read::Text(|row, to| {
            show(row.kind().filter(|kind| kind.name().is_some()), to);
        }),
    ),
    ROLE,
    SESSION_ID,
    UUID,
    Column::new("parent_uuid", Read::Str(|row| row.facts()?.parent_uuid())),
    Column::new(
        "logical_parent_uuid",
        Read::Str(|row| row.facts()?.logical_parent_uuid()),
    ),
    TIMESTAMP,
    Column::new("timestamp_text", Read::Str(|row| row.facts()?.timestamp())),
    IS_SIDECHAIN,
    Column::new(
        "is_meta",
        Read::Bool(|row| row.facts()?.message().envelope().is_meta()),
    ),
    Column::new("is_error", Read::Bool(|row| Some(row.facts()?.is_error()))),
    CWD,
    Column::new(
        "git_branch",
        Read::Str(|row| row.facts()?.message().envelope().git_branch()),
    ),
    Column::new(
        "version",
        Read::Str(|row| row.facts()?.message().envelope().version()),
    ),
    Column::new(
        "parent_tool_use_id",
        Read::Str(|row| row.facts()?.parent_tool_use_id()),
    ),
    MESSAGE_ID,
    REQUEST_ID,
    MODEL,
    Column::new(
        "stop_reason",
        Read::Str(|row| {
            let value = row.value()?;
            let inner = value.pointer("/message/stop_reason");
            inner.or_else(|| value.get("stop_reason"))?.as_str()
        }),
    ),
    Column::new(
        "has_usage",
        Read::Bool(|row| Some(row.facts()?.usage().is_some())),
    ),
    Column::new("input_tokens", Read::Count(|row| usage(row)?.input_tokens())),
    Column::new(
        "output_tokens",
        Read::Count(|row| usage(row)?.output_tokens()),
    ),
    Column::new(
        "cache_creation_input_tokens",
        Read::Count(|row| usage(row)?.cache_creation_input_tokens()),
    ),
    Column::new(
        "cache_read_input_tokens",
        Read::Count(|row| usage(row)?.cache_read_input_tokens()),
    ),
    Column::new(
        "ephemeral_5m_input_tokens",
        Read::Count(|row| {
            usage(row)?.cache_creation()?.ephemeral_5m_input_tokens()
        }),
    ),
    Column::new(
        "ephemeral_1h_input_tokens",
        Read::Count(|row| {
            usage(row)?.cache_creation()?.ephemeral_1h_input_tokens()
        }),
    ),
    Column::new(
        "web_search_requests",
        Read::Count(|row| {
            usage(row)?.server_tool_use()?.web_search_requests()
        }),
    ),
    Column::new(
        "web_fetch_requests",
        Read::Count(|row| usage(row)?.server_tool_use()?.web_fetch_requests()),
    ),
    Column::new(
        "total_cost_usd",
        Read::Float(|row| match row.facts()?.message() {
            Message::CostState(state) => cost_of(state),
            _ => row.facts()?.run_result()?.total_cost_usd(),
        }),
    ),
    Column::new(
        "duration_ms",
        Read::Float(|row| match row.facts()?.message() {
            Message::CostState(state) => state.total_duration(),
            message => message.envelope().duration_ms(),
        }),
    ),
    Column::new(
        "num_turns",
        Read::Int(|row| row.facts()?.run_result()?.num_turns()),
    ),
    Column::new(
        "block_count",
        Read::Int(|row| {
            let blocks = row.facts()?.message().content_blocks();
            int(blocks.count() as u64)
        }),
    ),
    Column::new(
        "text",
        Read::Text(|row, to| {
            let text = row.facts().map(|facts| facts.message().text());
            join(text.into_iter().flatten(), to);
        }),
    ),
    Column::new(
        "raw",
        Read::Text(|row, to| match (&row.of, row.nested) {
            // A part of the line.
            (Of::Message(facts), Some(_)) => {
                let span = facts.message().value().span();
                let raw = span.and_then(|span| row.place.raw.get(span));
                to.append_option(raw.map(String::from_utf8_lossy));
            }
            _ => to.append_value(String::from_utf8_lossy(row.place.raw)),
        }),
    ),
];

fn usage<'l>(row: &Row<'_, 'l>) -> Option<Usage<'l>> {
    row.facts()?.usage()
}

/// Returns the cost of a session so far. Without a total, it is that of all
/// models: see `Cost` in linetape-session.
fn cost_of(state: CostState<'_>) -> Option<f64> {
    state.total_cost_usd().or_else(|| {
        let models = state.model_usage().into_iter().flatten();
        let costs = models.filter_map(|(_, model)| model.cost_usd());
        costs.filter(|cost| *cost >= 0.0).reduce(|a, b| a + b)
    })
}
