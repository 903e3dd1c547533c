use std::{collections::HashMap, sync::Arc};

use linetape::message::{Message, SessionId};

/// Strings that come again and again, each kept once and known by a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    numbers: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
}

impl Names {
    /// The number of a name, which is new if the name is.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let name: Arc<str> = name.into();
        self.numbers.insert(name.clone(), number);
        self.names.push(name);
        number
    }

    /// The number of a name, if it has one.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of a message's session.
    pub(crate) fn session(&mut self, message: Message<'_>) -> Option<u32> {
        Some(match message.session_id()? {
            SessionId::Str(id) => self.number(id),
            SessionId::Int(id) => self.number(&id.to_string()),
        })
    }

    /// All names, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    pub(crate) fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(|name| &**name)
    }
}
