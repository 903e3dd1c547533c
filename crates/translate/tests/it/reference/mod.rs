//! Reference implementations of the translators. They split text into words,
//! search all earlier lines, and share no code with the library.

mod events;
mod frames;
mod lines;
mod mentions;
mod progress;
mod words;

pub use events::naive_events;
pub use frames::naive_frames;
pub use lines::blocks;
pub use mentions::naive_mentions;
pub use progress::naive_progress;
