//! Queries on a cluster of [Apache Ballista](https://datafusion.apache.org/ballista).
//!
//! A query is planned by [`connect`]'s context, sent to a scheduler, and run by
//! executors. The scheduler lists the files, and the executors read them: both
//! need every path of the query, with the same name. [`LogLogicalCodec`] is
//! how a table travels, and [`LogPhysicalCodec`] how a scan does. The scheduler
//! and the executors of linetape-cluster have both.

mod client;
mod logical;
mod physical;
mod wire;

pub use client::{MAX_MESSAGE, bad_lines, connect};
pub use logical::LogLogicalCodec;
pub use physical::LogPhysicalCodec;
