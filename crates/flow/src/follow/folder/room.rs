use crate::follow::{
    folder::{
        Folders,
        entry::{Entry, State},
    },
    settings::Settings,
};

/// How many files are closed at once when the process can open no more. Some
/// are needed to list folders.
const SPARE: usize = 8;

impl Folders {
    /// Closes files until another one can be opened. A file in the middle of a
    /// long line is kept if possible, since the line would be read again.
    pub(crate) fn make_room(&mut self, limit: usize) {
        let limit = limit.min(self.limit).max(1);
        self.close(limit, |entry| match &entry.state {
            State::Open(opened) => !opened.is_in_long_line(),
            State::Closed(_) => true,
        });
        // One such file may always stay. Otherwise, two of them would be read
        // again and again.
        self.close(limit.max(2), |_| true);
    }

    /// Closes files that may be closed, until fewer than `limit` are open.
    fn close(&mut self, limit: usize, may_close: impl Fn(&Entry) -> bool) {
        let excess = (self.open.len() + 1).saturating_sub(limit);
        let mut closed = vec![];
        for (stamp, path) in &self.open {
            if closed.len() == excess {
                break;
            }
            let close = |entry: &mut Entry| may_close(entry) && entry.close();
            if self.files.get_mut(path).is_none_or(close) {
                closed.push(*stamp);
            }
        }
        for stamp in closed {
            self.open.remove(&stamp);
        }
    }

    /// Closes some files, and keeps fewer open from now on, since the process
    /// can open no more. Returns whether there are fewer now.
    pub(crate) fn spare(&mut self, settings: &Settings) -> bool {
        if self.leaving.close(settings) {
            return true;
        }
        let count = self.open.len();
        self.limit = count.saturating_sub(SPARE).max(1);
        self.make_room(self.limit);
        self.open.len() < count
    }
}
