//! Code that tests share. Each file has one subject.

pub mod counting;
pub mod diff;
#[cfg(feature = "messages")]
pub mod differences;
pub mod fields;
pub mod framing;
pub mod golden;
pub mod json;
pub mod logs;
pub mod refused;
pub mod shown;
pub mod stack;
pub mod streams;
pub mod texts;
