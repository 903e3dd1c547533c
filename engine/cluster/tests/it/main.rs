//! Tests of the cluster.

mod again;
mod codecs;
mod commands;
mod folders;
mod interrupted;
mod joins;
mod last;
mod losses;
mod lost;
mod midstream;
mod ports;
mod queries;
mod signals;
mod support;
mod suspended;
