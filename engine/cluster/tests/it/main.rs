//! Tests of the cluster.

mod codecs;
mod commands;
mod folders;
mod joins;
mod last;
mod lost;
mod ports;
mod queries;
mod support;
mod suspended;
