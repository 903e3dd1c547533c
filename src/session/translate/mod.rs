/*!
From one dialect to another.
*/

mod frame;
mod mention;
mod progress;
mod wrapper;

pub use frame::{Frame, SubAgentStatus};
pub use wrapper::Wrapper;
