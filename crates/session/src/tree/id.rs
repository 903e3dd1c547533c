use crate::ids::Index;

/// The id of a message in a [`Tree`](crate::Tree). It stays valid while the
/// tree grows.
///
/// # Example
///
/// This shows that ids are assigned in order of appearance.
///
/// ```
/// use linetape::lines;
/// use linetape_session::Tree;
///
/// let mut lines = lines(b"{\"uuid\":\"a\"}\n{\"uuid\":\"b\"}\n");
/// let mut tree = Tree::new();
/// while let Some(line) = lines.next_line() {
///     let line = line?;
///     tree.add(line.checked()?, line.position());
/// }
/// let b = tree.find("b").unwrap().id();
/// assert_eq!(b.index(), 1);
/// assert_eq!(tree.get(b).unwrap().uuid(), "b");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) Index);

impl NodeId {
    /// Returns the index of the message in the tree, in order of appearance.
    pub fn index(self) -> usize {
        self.0.get()
    }
}
