//! Reference implementations of the translators. They search all earlier
//! lines, and share no code with the library.

mod events;
mod frames;
mod lines;

pub use events::naive_events;
pub use frames::naive_frames;
pub use lines::blocks;
