use linetape_session::{NameId, Names};

/// Maps the session names of agents to the session numbers of agent servers,
/// and back.
///
/// Sessions are numbered from 1, in order of appearance. A session keeps its
/// number.
///
/// # Example
///
/// This shows both directions.
///
/// ```
/// use linetape_translate::Sessions;
///
/// let mut sessions = Sessions::new();
/// assert_eq!(sessions.number("s-a"), 1);
/// assert_eq!(sessions.number("s-b"), 2);
/// assert_eq!(sessions.number("s-a"), 1);
/// assert_eq!(sessions.find("s-b"), Some(2));
/// assert_eq!(sessions.find("s-c"), None);
/// assert_eq!(sessions.name(2), Some("s-b"));
/// assert_eq!(sessions.name(3), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sessions(Names);

impl Sessions {
    /// Creates an empty list.
    pub fn new() -> Sessions {
        Sessions::default()
    }

    /// Returns the number of a session, and adds the session if it is new.
    pub fn number(&mut self, name: &str) -> i64 {
        number(self.0.intern(name))
    }

    /// Returns the number of a session, if it is in the list.
    pub fn find(&self, name: &str) -> Option<i64> {
        self.0.find(name).map(number)
    }

    /// Returns the name of the session with a number.
    pub fn name(&self, number: i64) -> Option<&str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.0.nth(index)
    }
}

/// Returns the number of a session, from 1. The number 0 is for messages
/// without a session.
fn number(id: NameId) -> i64 {
    i64::try_from(id.get()).map_or(i64::MAX, |index| index.saturating_add(1))
}
