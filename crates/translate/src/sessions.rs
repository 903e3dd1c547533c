use std::{collections::HashMap, sync::Arc};

/// Sessions by name and by number: agents name them, servers count them.
///
/// The first session that comes is 1, the next one 2, and so on. A session
/// keeps its number.
///
/// # Example
///
/// This shows both ways.
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
    /// No session yet.
    pub fn new() -> Sessions {
        Sessions::default()
    }

    /// The number of a session, which is new if the session is.
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

    /// The number of a session that has one.
    pub fn find(&self, name: &str) -> Option<i64> {
        self.numbers.get(name).copied()
    }

    /// The name of the session with this number.
    pub fn name(&self, number: i64) -> Option<&str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.names.get(index).map(|name| &**name)
    }
}
