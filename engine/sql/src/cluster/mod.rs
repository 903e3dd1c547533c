//! Queries on a cluster of [Apache Ballista](https://datafusion.apache.org/ballista).
//!
//! A query is planned by [`connect`]'s context, sent to a scheduler, and run by
//! executors. The scheduler lists the files, and the executors read them: both
//! need every path of the query, with the same name. [`LogLogicalCodec`] is
//! how a table travels, and [`LogPhysicalCodec`] how a scan does. The scheduler
//! and the executors of linetape-cluster have both.

mod client;
mod empty;
mod joins;
mod logical;
mod loss;
mod physical;
mod refuse;
mod repeat;
mod wait;
mod wire;

use std::sync::Arc;

use datafusion::{
    common::{Result, not_impl_err},
    execution::{FunctionRegistry, SessionState, SessionStateBuilder},
    logical_expr::{AggregateUDF, ScalarUDF},
};

use crate::{aggregates::aggregates, arithmetic::functions, sum::sum};

use joins::Joins;

pub use client::{MAX_MESSAGE, connect, problems};
pub use logical::LogLogicalCodec;
pub use loss::is_loss;
pub use physical::LogPhysicalCodec;
pub use wait::cancelled;

/// The reason with which a scheduler cancels a query that it cannot continue, because an
/// executor was lost. A client sends such a query again.
pub const EXECUTOR_LOST: &str =
    "an executor was lost with rows that are needed";

/// Registers the functions of this crate with the state of a client or a scheduler.
/// Both plan a query, and must do so with the same functions.
///
/// # Errors
///
/// Returns an error if the state refuses one.
pub fn register_functions(state: &mut dyn FunctionRegistry) -> Result<()> {
    state.register_udaf(Arc::new(sum()))?;
    for function in aggregates() {
        state.register_udaf(Arc::new(function))?;
    }
    for function in functions() {
        state.register_udf(Arc::new(function))?;
    }
    Ok(())
}

/// Returns the state with which a scheduler plans queries: it has the functions of this
/// crate, and its plans are such that executors can run them.
///
/// # Errors
///
/// Returns an error if the state refuses a function.
pub fn of_scheduler(state: SessionState) -> Result<SessionState> {
    let rule = Arc::new(Joins);
    let state = SessionStateBuilder::new_from_existing(state);
    let mut state = state.with_physical_optimizer_rule(rule).build();
    register_functions(&mut state)?;
    Ok(state)
}

/// Returns a function of this crate. An executor has not registered them.
fn function(name: &str) -> Result<Arc<ScalarUDF>> {
    match functions().find(|function| function.name() == name) {
        Some(function) => Ok(Arc::new(function)),
        None => not_impl_err!("the function `{name}` is not known here"),
    }
}

/// Returns an aggregate function of this crate. `sum` is not needed: an
/// executor uses the function of DataFusion.
fn aggregate(name: &str) -> Result<Arc<AggregateUDF>> {
    match aggregates().find(|function| function.name() == name) {
        Some(function) => Ok(Arc::new(function)),
        None => not_impl_err!("the function `{name}` is not known here"),
    }
}
