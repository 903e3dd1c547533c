use linetape::{Block, Error, Kind, Value};
use linetape_session::{Facts, MessageKeys};

/// What a row is made from. Columns are functions of it.
pub(crate) struct Row<'r, 'l> {
    pub(crate) place: Place<'l>,
    /// Which of the nested messages of the line this is, from 0 on. `None` for
    /// the line itself.
    pub(crate) nested: Option<i64>,
    pub(crate) of: Of<'r, 'l>,
}

/// Where a line is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place<'l> {
    pub(crate) file: &'l str,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// The number of the line, if it is known.
    pub(crate) number: Option<u64>,
    pub(crate) raw: &'l [u8],
}

pub(crate) enum Of<'r, 'l> {
    /// Only the place is needed.
    Place,
    /// Only the kind is needed.
    Kind(Kind<'l>),
    Message(&'r Facts<'l>),
    Block(&'r Facts<'l>, i64, Block<'l>),
    Usage(&'r Facts<'l>, Told<'l>),
    /// A line of a message that does not report its usage.
    Untold(Part),
    /// The usage of a part of a file, as it is saved.
    Saved(&'r [u8]),
    Error(&'r Error),
}

/// A row of `usage_lines`.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Its number in the line.
    pub(crate) number: i64,
    /// What identifies its message.
    pub(crate) keys: MessageKeys,
}

/// A report of token usage.
#[derive(Clone, Copy)]
pub(crate) struct Told<'l> {
    pub(crate) part: Part,
    /// The object with the counts.
    pub(crate) counts: Value<'l>,
    pub(crate) model: Option<&'l str>,
    /// Whether it is that of an advisor's answer.
    pub(crate) is_advice: bool,
}

impl<'r, 'l> Row<'r, 'l> {
    pub(crate) fn facts(&self) -> Option<&'r Facts<'l>> {
        match self.of {
            Of::Message(facts)
            | Of::Block(facts, ..)
            | Of::Usage(facts, _) => Some(facts),
            Of::Place
            | Of::Kind(_)
            | Of::Untold(_)
            | Of::Saved(_)
            | Of::Error(_) => None,
        }
    }

    pub(crate) fn kind(&self) -> Option<Kind<'l>> {
        match self.of {
            Of::Kind(kind) => Some(kind),
            _ => self.facts().map(|facts| facts.kind()),
        }
    }

    pub(crate) fn error(&self) -> Option<&'r Error> {
        match self.of {
            Of::Error(error) => Some(error),
            _ => None,
        }
    }

    pub(crate) fn block(&self) -> Option<(i64, Block<'l>)> {
        match self.of {
            Of::Block(_, number, block) => Some((number, block)),
            _ => None,
        }
    }

    pub(crate) fn told(&self) -> Option<Told<'l>> {
        match self.of {
            Of::Usage(_, told) => Some(told),
            _ => None,
        }
    }

    pub(crate) fn part(&self) -> Option<Part> {
        match self.of {
            Of::Usage(_, told) => Some(told.part),
            Of::Untold(part) => Some(part),
            _ => None,
        }
    }

    pub(crate) fn saved(&self) -> Option<&'r [u8]> {
        match self.of {
            Of::Saved(saved) => Some(saved),
            _ => None,
        }
    }

    /// Returns the message's own object.
    pub(crate) fn value(&self) -> Option<Value<'l>> {
        Some(self.facts()?.message().value())
    }
}
