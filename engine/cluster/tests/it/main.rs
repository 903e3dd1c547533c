//! Tests of the cluster.

mod codecs;
mod commands;
mod joins;
mod lost;
mod ports;
mod queries;
mod support;
mod suspended;
