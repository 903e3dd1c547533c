use std::{borrow::Cow, collections::HashMap, sync::Arc};

use linetape::message::{Message, SessionId};

/// Maps names of sessions to numbers, and back: agents use names, agent
/// servers use numbers.
///
/// The first session has the number 1, the next one 2, and so on. A session
/// keeps its number.
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
pub struct Sessions {
    numbers: HashMap<Arc<str>, i64>,
    names: Vec<Arc<str>>,
}

impl Sessions {
    /// Creates an empty list.
    pub fn new() -> Sessions {
        Sessions::default()
    }

    /// Returns the number of a session, and adds the session if it is new.
    pub fn number(&mut self, name: &str) -> i64 {
        if let Some(number) = self.find(name) {
            return number;
        }
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        let number = i64::try_from(self.names.len()).unwrap_or(i64::MAX);
        self.numbers.insert(name, number);
        number
    }

    /// Returns the number of a session, if it is in the list.
    pub fn find(&self, name: &str) -> Option<i64> {
        self.numbers.get(name).copied()
    }

    /// Returns the name of the session with this number.
    pub fn name(&self, number: i64) -> Option<&str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.names.get(index).map(|name| &**name)
    }
}

/// The last session that a message named.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastNamed(Option<Box<str>>);

impl LastNamed {
    /// Returns the session that a message names, or else the last one that
    /// was named.
    pub(crate) fn session_of<'a>(
        &mut self,
        message: Message<'a>,
    ) -> Option<Cow<'a, str>> {
        let own = match message.session_id() {
            Some(SessionId::Str(id)) => Cow::Borrowed(id),
            Some(SessionId::Int(id)) => Cow::Owned(id.to_string()),
            None => return self.0.as_deref().map(|id| id.to_owned().into()),
        };
        if self.0.as_deref() != Some(&*own) {
            self.0 = Some(own.as_ref().into());
        }
        Some(own)
    }
}
