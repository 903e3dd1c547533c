//! What the parts of a page need.

use linetape_session::conversation::Session;

use super::data::Data;
use crate::{log::Log, overview::Overview};

/// How a page is written.
///
/// # Example
///
/// See [`write_session`](crate::write_session).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {
    /// Whether texts of more than 200 KB are written to their end.
    pub full: bool,
    /// The address of the index, for a link to it. It must not come from a
    /// log.
    pub index: Option<String>,
    /// What the page was made from, such as a hash of the log. It is written
    /// to the page, and [`source_of`](crate::source_of) finds it again.
    pub source: String,
}

/// What the parts of a page need.
pub(crate) struct Page<'p> {
    pub(crate) log: &'p Log,
    pub(crate) overview: &'p Overview,
    pub(crate) session: Session<'p>,
    pub(crate) options: &'p Options,
    pub(crate) data: Data,
}
