//! Removes a file from the followed ones when its path is gone.

use crate::follow::{
    event::Event,
    folder::{
        Folders,
        entry::{Entry, State},
        key::Key,
    },
    settings::Settings,
};

impl Folders {
    /// Removes an open file that has no path any more. All its complete lines
    /// have been returned.
    pub(crate) fn leave(&mut self, path: &Key, settings: &Settings) {
        let Some(entry) = self.files.get_mut(path) else { return };
        if let State::Open(opened) = &mut entry.state {
            let lines = match opened.last_lines(&settings.builder) {
                Ok(lines) => lines,
                Err(error) => vec![Err(error.into())],
            };
            let events = lines.into_iter().map(|line| line.map(Event::Line));
            self.ready.extend(events.map(|event| (path.clone(), event)));
        }
        let is_gone = entry.ending == Some(Event::Gone);
        if let Some(entry) = self.end(path)
            && let State::Open(opened) = entry.state
        {
            self.leaving.add(path.clone(), *opened, is_gone, settings);
        }
    }

    /// Removes a file that has no path any more.
    pub(crate) fn end(&mut self, path: &Key) -> Option<Entry> {
        let mut entry = self.files.remove(path)?;
        self.open.remove(&entry.stamp);
        self.held_bytes = self.held_bytes.saturating_sub(entry.held_bytes);
        let ending = entry.ending.take();
        if ending == Some(Event::Replaced) {
            self.replaced.insert(path.clone());
        } else if let Some(progress) =
            entry.progress().filter(|p| p.is_proof())
        {
            self.gone.add(path, (progress, entry.identity.device_and_inode()));
        }
        self.ready.extend(ending.map(|event| (path.clone(), Ok(event))));
        // Another file may wait for the path.
        self.searched = None;
        Some(entry)
    }
}
