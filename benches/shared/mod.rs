//! What the benches share: the data, and the engines that run on it.
#![allow(dead_code)] // each bench uses a part of this

pub mod data;
pub mod decode;
pub mod split;
