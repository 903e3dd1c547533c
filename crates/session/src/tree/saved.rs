use linetape::Error;

use crate::{
    Tree,
    state::{self, Sort, codec::saved},
};

saved! {
    Tree { graph, duplicates, cycles, newest, newest_said }
}

impl Tree {
    /// Returns the state of the tree. [`load`](Tree::load) it later, and add
    /// the lines that were appended to the log since then.
    ///
    /// # Costs
    ///
    /// Time and size are in proportion to the number of messages: about 200
    /// bytes for each, with its ids.
    ///
    /// # Example
    ///
    /// This shows a log that grows.
    ///
    /// ```
    /// use linetape::{Position, lines};
    /// use linetape_session::Tree;
    ///
    /// let mut tree = Tree::new();
    /// let mut before = lines(b"{\"uuid\":\"a\"}\n");
    /// while let Some(line) = before.next_line() {
    ///     let line = line?;
    ///     tree.add(line.checked()?, line.position());
    /// }
    /// let state: Vec<u8> = tree.save();
    ///
    /// let mut tree = Tree::load(&state)?;
    /// let mut after = lines(b"{\"uuid\":\"b\",\"parentUuid\":\"a\"}\n");
    /// while let Some(line) = after.next_line() {
    ///     let line = line?;
    ///     // The position in the whole log.
    ///     let position = line.position().moved_by(1, 13);
    ///     tree.add(line.checked()?, position);
    /// }
    /// let b = tree.find("b").unwrap();
    /// assert_eq!(b.parent().map(|a| a.uuid()), Some("a"));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn save(&self) -> Vec<u8> {
        state::save(Sort::Tree, self)
    }

    /// Returns the tree that was [saved](Tree::save).
    ///
    /// Adding the rest of a log to it gives the same tree as adding the whole
    /// log to a new one. Ids of its nodes stay valid.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind
    /// [`ErrorKind::InvalidInput`](linetape::ErrorKind::InvalidInput) if the
    /// bytes are not a state of a `Tree`, have another version of the format,
    /// or are damaged. A checksum detects damage.
    pub fn load(state: &[u8]) -> Result<Tree, Error> {
        state::load(Sort::Tree, state)
    }
}
