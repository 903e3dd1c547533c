//! Code that tests share. Each file has one subject.

pub mod counting;
#[cfg(feature = "owned")]
pub mod differences;
pub mod framing;
pub mod json;
pub mod logs;
pub mod refused;
pub mod stack;
pub mod streams;
pub mod texts;
