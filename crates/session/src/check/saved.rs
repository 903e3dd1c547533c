use linetape::Error;

use crate::{
    check::Checker,
    state::{self, Sort, codec::saved},
};

saved! {
    Checker {
        dialect, names, session, links, pairs, ordered, findings;
        parts
    }
}

impl Checker {
    /// Returns the state of the checker. [`load`](Checker::load) it later, and
    /// add the lines that were appended to the log since then.
    ///
    /// The state contains the dialect that was
    /// [given](Checker::with_dialect), and the findings so far. To report
    /// before the end of a log, clone the checker and
    /// [finish](Checker::finish) the clone.
    ///
    /// # Costs
    ///
    /// Time and size are in proportion to the number of messages and tool
    /// calls.
    ///
    /// # Example
    ///
    /// This shows a parent that is in the part before the state was saved.
    ///
    /// ```
    /// use linetape::{Position, lines};
    /// use linetape_session::check::Checker;
    ///
    /// let first = br#"{"type":"user","uuid":"a","parentUuid":null,"message":"Hi"}"#;
    /// let second = br#"{"type":"user","uuid":"b","parentUuid":"a","message":"Ho"}"#;
    ///
    /// let mut checker = Checker::new();
    /// let mut before = lines(first);
    /// while let Some(line) = before.next_line() {
    ///     checker.add(line?.checked()?, Position::new(1, 0));
    /// }
    /// let state: Vec<u8> = checker.save();
    ///
    /// let mut checker = Checker::load(&state)?;
    /// let mut after = lines(second);
    /// while let Some(line) = after.next_line() {
    ///     checker.add(line?.checked()?, Position::new(2, 60));
    /// }
    /// let findings = checker.finish();
    /// assert!(findings.iter().all(|f| f.rule.as_str() != "missing_parent"));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn save(&self) -> Vec<u8> {
        state::save(Sort::Checker, self)
    }

    /// Returns the checker that was [saved](Checker::save).
    ///
    /// Adding the rest of a log to it gives the same findings as adding the
    /// whole log to a new one.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind
    /// [`ErrorKind::InvalidInput`](linetape::ErrorKind::InvalidInput) if the
    /// bytes are not a state of a `Checker`, have another version of the
    /// format, or are damaged. A checksum detects damage.
    pub fn load(state: &[u8]) -> Result<Checker, Error> {
        state::load(Sort::Checker, state)
    }
}
