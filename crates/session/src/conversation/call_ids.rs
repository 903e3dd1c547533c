/*!
The calls of each session, by their ids.
*/

use std::collections::HashMap;

use crate::ids::{Index, NameId};

/// Maps a session and the id of a call to a call, in 8 bytes for most calls:
/// an id is rarely used in two sessions.
#[derive(Clone, Default)]
pub(crate) struct CallIds {
    /// By the number of the id, the first session with it, and its call.
    first: Vec<Option<(Index, Index)>>,
    others: HashMap<(Index, NameId), Index>,
}

impl CallIds {
    pub(crate) fn get(&self, key: (Index, NameId)) -> Option<Index> {
        match self.first.get(key.1.get()).copied().flatten()? {
            (session, call) if session == key.0 => Some(call),
            _ => self.others.get(&key).copied(),
        }
    }

    pub(crate) fn insert(&mut self, key: (Index, NameId), call: Index) {
        let (session, id) = key;
        if self.first.len() <= id.get() {
            self.first.resize(id.get() + 1, None);
        }
        let Some(first) = self.first.get_mut(id.get()) else { return };
        match first {
            Some((other, _)) if *other != session => {
                self.others.insert(key, call);
            }
            _ => *first = Some((session, call)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Names;

    #[test]
    fn an_id_has_a_call_in_each_session() {
        let mut names = Names::new();
        let (a, b) = (names.intern("a"), names.intern("b"));
        let [one, two, three] = [1, 2, 3].map(|n| Index::new(n).unwrap());
        let mut ids = CallIds::default();
        assert_eq!(ids.get((one, b)), None);
        ids.insert((one, b), one);
        ids.insert((two, b), two);
        ids.insert((one, a), three);
        assert_eq!(ids.get((one, b)), Some(one));
        assert_eq!(ids.get((two, b)), Some(two));
        assert_eq!(ids.get((three, b)), None);
        assert_eq!(ids.get((one, a)), Some(three));
        ids.insert((one, b), three);
        ids.insert((two, b), one);
        assert_eq!(ids.get((one, b)), Some(three));
        assert_eq!(ids.get((two, b)), Some(one));
        assert_eq!(size_of::<Option<(Index, Index)>>(), 8);
    }
}
