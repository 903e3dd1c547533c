use crate::{
    error::Position, level::Level, limits::Limits, lines::LineRange,
    scan::Scanner,
};

/// The settings of a reader, from its builder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) limits: Limits,
    pub(crate) skip_noise: bool,
    pub(crate) skip_documents: bool,
    pub(crate) skip_bad_lines: bool,
    pub(crate) salvage: bool,
    pub(crate) keep_raw: bool,
    pub(crate) reject_duplicate_keys: bool,
    pub(crate) level: Level,
    pub(crate) start: Position,
    /// The range to read. If it is not the whole stream, `start` is not used.
    pub(crate) range: LineRange,
    /// The number of the first line of a range that begins after byte 0; 0
    /// means that it is unknown.
    pub(crate) first_number: u64,
    /// `None` means the best one that the CPU supports.
    pub(crate) scanner: Option<Scanner>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            limits: Limits::default(),
            skip_noise: false,
            skip_documents: false,
            skip_bad_lines: false,
            salvage: false,
            keep_raw: false,
            reject_duplicate_keys: false,
            level: Level::Line,
            start: Position::START,
            range: LineRange::WHOLE,
            first_number: 0,
            scanner: None,
        }
    }
}

impl Settings {
    /// Returns the position of the first byte that is read.
    pub(crate) fn first_position(&self) -> Position {
        match self.range {
            LineRange::WHOLE => self.start,
            range if range.is_from_the_start() => Position::START,
            range => Position::new(self.first_number, range.first_byte()),
        }
    }
}
