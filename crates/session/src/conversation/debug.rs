/*!
`Debug` for a conversation, as counts, and for its views, without the
conversation behind them.
*/

use std::fmt;

use crate::conversation::{
    Agent, Call, Conversation, Recall, Session, Step, Turn,
};

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("sessions", &self.sessions.len())
            .field("turns", &self.turns.len())
            .field("steps", &self.steps.len())
            .field("calls", &self.calls.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Session");
        shown.field("index", &self.index()).field("id", &self.id());
        shown.finish_non_exhaustive()
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Turn");
        shown.field("index", &self.index());
        shown.field("steps", &self.entry.steps.len());
        shown.finish_non_exhaustive()
    }
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Step");
        shown.field("index", &self.index()).field("kind", &self.kind());
        shown.field("place", &self.place());
        shown.finish_non_exhaustive()
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Call");
        shown.field("index", &self.index()).field("id", &self.id());
        shown.field("name", &self.name());
        shown.finish_non_exhaustive()
    }
}

impl fmt::Debug for Agent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Agent");
        shown.field("index", &self.index()).field("id", &self.id());
        shown.finish_non_exhaustive()
    }
}

impl<R> fmt::Debug for Recall<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Recall");
        shown.field("sources", &self.sources());
        shown.finish_non_exhaustive()
    }
}
