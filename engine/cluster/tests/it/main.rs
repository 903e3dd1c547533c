//! Tests of the cluster.

mod codecs;
mod commands;
mod joins;
mod lost;
mod queries;
mod support;
