/*!
Streamed messages whose complete message is missing.
*/

use linetape::Decoder;

use crate::{
    Assembled, Facts,
    conversation::{Conversation, Place, StepKind},
};

impl Conversation {
    /// Adds the complete streamed messages that `ends` returns `true` for.
    pub(super) fn end_streamed(&mut self, ends: impl Fn(&Assembled) -> bool) {
        if self.streamed.is_empty() {
            return;
        }
        let all = std::mem::take(&mut self.streamed);
        let (ended, rest) = all.into_iter().partition(ends);
        self.streamed = rest;
        let ended: Vec<Assembled> = ended;
        for streamed in ended {
            self.add_streamed(&streamed);
        }
    }

    /// Adds a streamed message, unless the log has the complete message.
    pub(super) fn add_streamed(&mut self, streamed: &Assembled) {
        let id = streamed.id.as_deref();
        if id.is_some_and(|id| self.lineage.has_said(id)) {
            return;
        }
        let line = streamed.to_line();
        let place = Place {
            source: Place::ASSEMBLED,
            byte: self.assembled.len() as u64,
            line: 0,
            len: u32::try_from(line.len()).unwrap_or(u32::MAX),
            nth: 0,
        };
        let mut decoder = Decoder::new();
        if let Ok(record) = decoder.decode(line.as_bytes()) {
            let facts = Facts::of(record.message());
            self.visit(&facts, place, &mut 0);
            if !streamed.is_finished {
                let here = self.here(&facts, place, None);
                self.push(here, StepKind::Truncated, 0);
            }
        }
        self.assembled.push(line);
    }
}
