//! What the filters of a query say about lines.

use std::sync::Arc;

use datafusion::{
    arrow::datatypes::{DataType, SchemaRef, TimeUnit},
    common::ScalarValue,
    logical_expr::Operator,
    physical_expr::expressions::{
        BinaryExpr, CastExpr, Column, InListExpr, IsNullExpr, LikeExpr,
        Literal,
    },
    physical_plan::PhysicalExpr,
};
use linetape_arrow::Wanted;

/// Narrows `wanted` by a filter. A filter that says nothing about lines, or
/// that is not understood, changes nothing. Adding a filter twice is the same
/// as adding it once.
pub(crate) fn add(
    wanted: &mut Wanted,
    filter: &Arc<dyn PhysicalExpr>,
    schema: &SchemaRef,
) {
    if let Some(binary) = filter.downcast_ref::<BinaryExpr>()
        && *binary.op() == Operator::And
    {
        add(wanted, binary.left(), schema);
        add(wanted, binary.right(), schema);
        return;
    }
    if let Some((column, values)) = one_of(filter, schema) {
        let list = match (column.as_str(), values.as_slice()) {
            ("type", _) => &mut wanted.types,
            ("kind", _) => &mut wanted.kinds,
            ("session_id", _) => &mut wanted.sessions,
            ("block_type", _) => &mut wanted.block_types,
            (column, [value]) if COPIED.contains(&column) => {
                return add_phrase(wanted, value);
            }
            _ => return,
        };
        narrow(list, values);
    } else if let Some(pattern) = like(filter, schema) {
        // What stands between `%` and `_` is in the text.
        pattern.split(['%', '_', '\\']).for_each(|p| add_phrase(wanted, p));
    } else if let Some(is_null) = filter.downcast_ref::<IsNullExpr>() {
        let name = column(is_null.arg(), schema);
        wanted.without_nested |= name.is_some_and(|name| name == "nested");
    } else if let Some((operator, time)) = time(filter, schema) {
        let (since, until) = match operator {
            Operator::Eq => (Some(time.0), Some(time.1)),
            Operator::Gt | Operator::GtEq => (Some(time.0), None),
            Operator::Lt | Operator::LtEq => (None, Some(time.1)),
            _ => (None, None),
        };
        wanted.since = wanted.since.max(since);
        wanted.until = match (wanted.until, until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

/// Columns whose values are copied from the line.
const COPIED: [&str; 8] = [
    "model",
    "message_id",
    "parent_uuid",
    "raw",
    "request_id",
    "text",
    "tool_use_id",
    "uuid",
];

fn add_phrase(wanted: &mut Wanted, phrase: &str) {
    // A few letters are in almost every line.
    if phrase.len() >= 3 && !wanted.phrases.iter().any(|p| p == phrase) {
        wanted.phrases.push(phrase.to_string());
    }
}

/// Reads `column LIKE pattern` of a column that is copied from the line.
fn like(filter: &Arc<dyn PhysicalExpr>, schema: &SchemaRef) -> Option<String> {
    let like = filter.downcast_ref::<LikeExpr>()?;
    let column = column(like.expr(), schema)?;
    let pattern = text(like.pattern())?;
    let is_plain = !like.negated() && !like.case_insensitive();
    (is_plain && COPIED.contains(&column.as_str())).then_some(pattern)
}

fn narrow(list: &mut Option<Vec<String>>, values: Vec<String>) {
    match list {
        Some(list) => list.retain(|value| values.contains(value)),
        None => *list = Some(values),
    }
}

/// Reads `column = text`, `column IN (text, ...)`, or several of them with one
/// column, joined by `OR`.
fn one_of(
    filter: &Arc<dyn PhysicalExpr>,
    schema: &SchemaRef,
) -> Option<(String, Vec<String>)> {
    if let Some(list) = filter.downcast_ref::<InListExpr>() {
        let column = column(list.expr(), schema)?;
        let values = list.list().iter().map(text).collect::<Option<_>>()?;
        return (!list.negated()).then_some((column, values));
    }
    let binary = filter.downcast_ref::<BinaryExpr>()?;
    let (left, right) = (binary.left(), binary.right());
    match binary.op() {
        Operator::Eq => {
            let found = column(left, schema).zip(text(right));
            let found =
                found.or_else(|| column(right, schema).zip(text(left)));
            found.map(|(column, value)| (column, vec![value]))
        }
        Operator::Or => {
            let (column, mut values) = one_of(left, schema)?;
            let (other, more) = one_of(right, schema)?;
            values.extend(more);
            (column == other).then_some((column, values))
        }
        _ => None,
    }
}

/// Reads a comparison of `timestamp` with a time: the operator as if the column
/// were on the left, and the time in milliseconds, rounded down and up.
fn time(
    filter: &Arc<dyn PhysicalExpr>,
    schema: &SchemaRef,
) -> Option<(Operator, (i64, i64))> {
    let binary = filter.downcast_ref::<BinaryExpr>()?;
    let is_time = |expr: &Arc<dyn PhysicalExpr>| {
        let inner = match expr.downcast_ref::<CastExpr>() {
            Some(cast) if is_exact(cast.cast_type()) => cast.expr(),
            Some(_) => return false,
            None => expr,
        };
        column(inner, schema).as_deref() == Some("timestamp")
    };
    if is_time(binary.left()) {
        Some((*binary.op(), milliseconds(binary.right())?))
    } else if is_time(binary.right()) {
        Some((binary.op().swap()?, milliseconds(binary.left())?))
    } else {
        None
    }
}

/// Returns whether a cast of `timestamp` to this type keeps the time. Without a
/// time zone, a cast moves it; and a cast to seconds rounds it.
fn is_exact(kind: &DataType) -> bool {
    match kind {
        DataType::Timestamp(unit, Some(_)) => *unit != TimeUnit::Second,
        _ => false,
    }
}

fn column(expr: &Arc<dyn PhysicalExpr>, schema: &SchemaRef) -> Option<String> {
    let column = expr.downcast_ref::<Column>()?;
    let field = schema.fields().get(column.index())?;
    (field.name() == column.name()).then(|| column.name().to_string())
}

fn literal(expr: &Arc<dyn PhysicalExpr>) -> Option<&ScalarValue> {
    Some(expr.downcast_ref::<Literal>()?.value())
}

fn text(expr: &Arc<dyn PhysicalExpr>) -> Option<String> {
    literal(expr)?.try_as_str().flatten().map(str::to_string)
}

/// Returns a time in milliseconds, rounded down and up.
fn milliseconds(expr: &Arc<dyn PhysicalExpr>) -> Option<(i64, i64)> {
    let rounded = |value: i64, unit: i64| {
        let down = value.div_euclid(unit);
        (down, if value.rem_euclid(unit) == 0 { down } else { down + 1 })
    };
    Some(match literal(expr)? {
        ScalarValue::TimestampSecond(Some(time), Some(_)) => {
            let time = time.checked_mul(1000)?;
            (time, time)
        }
        ScalarValue::TimestampMillisecond(Some(time), Some(_)) => {
            (*time, *time)
        }
        ScalarValue::TimestampMicrosecond(Some(time), Some(_)) => {
            rounded(*time, 1000)
        }
        ScalarValue::TimestampNanosecond(Some(time), Some(_)) => {
            rounded(*time, 1_000_000)
        }
        _ => return None,
    })
}
