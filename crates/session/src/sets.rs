/*!
Disjoint sets of indexes: union-find with path halving.
*/

use crate::ids::Index;

/// Disjoint sets. An index that was never united is a set of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sets {
    /// For each index, another one of its set. `None` for the root of a set.
    above: Vec<Option<Index>>,
}

impl Sets {
    /// Returns the root of the set of an index.
    pub(crate) fn root(&mut self, mut at: Index) -> Index {
        while let Some(next) = self.above(at) {
            // Path halving.
            let further = self.above(next).unwrap_or(next);
            self.set(at, further);
            at = further;
        }
        at
    }

    /// Merges the sets of two indexes. Returns `false` if both are in one set
    /// already.
    pub(crate) fn unite(&mut self, one: Index, other: Index) -> bool {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.set(one, other);
        }
        one != other
    }

    fn above(&self, at: Index) -> Option<Index> {
        self.above.get(at.get()).copied().flatten()
    }

    fn set(&mut self, at: Index, above: Index) {
        if self.above.len() <= at.get() {
            self.above.resize(at.get() + 1, None);
        }
        if let Some(slot) = self.above.get_mut(at.get()) {
            *slot = Some(above);
        }
    }
}
