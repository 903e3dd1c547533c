//! Tests of the cluster.

mod codecs;
mod commands;
mod lost;
mod queries;
mod support;
