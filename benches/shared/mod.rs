//! What the benches share: the data, and the engines that run on it.

pub mod data;
pub mod split;
