//! The aggregate functions that the views need.

mod by;
mod column;
mod entry;
mod keys;
mod lists;
mod ranks;

use datafusion::logical_expr::AggregateUDF;

/// Returns the aggregate functions of this crate, except `sum`.
pub(crate) fn aggregates() -> impl Iterator<Item = AggregateUDF> {
    by::functions()
        .chain(lists::functions())
        .chain([keys::key_set(), ranks::count_by_rank()])
}

pub(crate) use lists::is_list_of_messages;
