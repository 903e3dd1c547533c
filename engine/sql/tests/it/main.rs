//! The tests of linetape-sql.

mod changes;
mod command;
mod copies;
mod messages;
mod patterns;
mod plans;
mod scans;
mod spills;
mod support;
mod tables;
mod targets;
mod trouble;
mod usage;
mod views;
