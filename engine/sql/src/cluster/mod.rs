//! Queries on a cluster of [Apache Ballista](https://datafusion.apache.org/ballista).
//!
//! A query is planned by [`connect`]'s context, sent to a scheduler, and run by
//! executors. The scheduler lists the files, and the executors read them: both
//! need every path of the query, with the same name. [`LogLogicalCodec`] is
//! how a table travels, and [`LogPhysicalCodec`] how a scan does. The scheduler
//! and the executors of linetape-cluster have both.

mod cancel;
mod client;
mod empty;
mod joins;
mod logical;
mod loss;
mod physical;
mod refuse;
mod repeat;
mod wire;

use std::sync::Arc;

use datafusion::{
    common::{Result, not_impl_err},
    execution::{SessionState, SessionStateBuilder},
    logical_expr::AggregateUDF,
};

use crate::usage::usage_messages;

use joins::Joins;

pub use cancel::cancelled;
pub use client::{MAX_MESSAGE, connect, host_and_port, problems};
pub use logical::LogLogicalCodec;
pub use loss::is_loss;
pub use physical::LogPhysicalCodec;

/// The reason with which a scheduler cancels a query that it cannot continue, because an
/// executor was lost. A client sends such a query again.
pub const EXECUTOR_LOST: &str =
    "an executor was lost with rows that are needed";

/// Returns the state with which a scheduler plans queries: its plans are such that
/// executors can run them.
pub fn of_scheduler(state: SessionState) -> SessionState {
    SessionStateBuilder::new_from_existing(state)
        .with_physical_optimizer_rule(Arc::new(Joins))
        .build()
}

/// Returns the function of this crate. Other processes have not registered it.
fn aggregate(name: &str) -> Result<Arc<AggregateUDF>> {
    let function = usage_messages();
    match function.name() == name {
        true => Ok(Arc::new(function)),
        false => not_impl_err!("the function `{name}` is not known here"),
    }
}
