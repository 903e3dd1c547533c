//! The tests of linetape-sql.

mod aggregates;
mod calls;
mod changes;
mod command;
mod copies;
mod ignored;
mod messages;
mod patterns;
mod plans;
mod scans;
mod spills;
mod sums;
mod support;
mod tables;
mod targets;
mod trouble;
mod usage;
mod views;
