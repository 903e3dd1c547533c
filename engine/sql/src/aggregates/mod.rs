//! The aggregate functions that the views need.

mod by;
mod column;
mod entry;
mod keys;
mod lists;
mod ranks;
mod single;

use datafusion::{
    arrow::datatypes::{DataType, TimeUnit},
    common::{Result, plan_err},
    logical_expr::AggregateUDF,
};

/// Returns the aggregate functions of this crate, except `sum`.
pub(crate) fn aggregates() -> impl Iterator<Item = AggregateUDF> {
    by::functions()
        .chain(lists::functions())
        .chain([keys::key_set(), ranks::count_by_rank()])
}

pub(crate) use lists::is_list_of_messages;

/// Returns the type that a value is kept as: all texts have one, and the others are
/// kept as integers of 64 bits, so that they must not lose anything.
fn kept_as(function: &str, value: Option<&DataType>) -> Result<DataType> {
    match value {
        Some(kind) if kind.is_string() => Ok(DataType::Utf8),
        Some(
            kind @ (DataType::Int64
            | DataType::Boolean
            | DataType::Timestamp(TimeUnit::Millisecond, _)),
        ) => Ok(kind.clone()),
        kind => plan_err!(
            "{function} takes texts, integers of 64 bits, truth values and \
             times in milliseconds, and not {}",
            kind.map_or_else(|| "nothing".to_string(), DataType::to_string)
        ),
    }
}
