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

/// Implements `Debug` for a view, by some of its methods.
macro_rules! debug {
    ($($view:ident: $($method:ident)+;)*) => {$(
        impl fmt::Debug for $view<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($view))
                    $(.field(stringify!($method), &self.$method()))+
                    .finish_non_exhaustive()
            }
        }
    )*};
}
debug! {
    Session: index id;
    Turn: index;
    Step: index kind place;
    Call: index id name;
    Agent: index id;
}

impl<R> fmt::Debug for Recall<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Recall");
        shown.field("sources", &self.sources());
        shown.finish_non_exhaustive()
    }
}
