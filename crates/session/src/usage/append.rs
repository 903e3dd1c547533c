use crate::{UsageTotals, usage::calls::Call};

impl UsageTotals {
    /// Adds what was added to `later`, as if it had been added to these totals
    /// now. So the parts of a log can be added up each on its own, on several
    /// threads, and then put together in their order.
    ///
    /// # Example
    ///
    /// This shows how to add up two files at the same time. A message of the
    /// first goes on in the second.
    ///
    /// ```
    /// use linetape::lines;
    /// use linetape_session::UsageTotals;
    ///
    /// let files = [
    ///     r#"{"type":"assistant","message":{"id":"m1","usage":{"output_tokens":1}}}"#,
    ///     r#"{"type":"assistant","message":{"id":"m1","usage":{"output_tokens":9}}}"#,
    /// ];
    /// let add_up = |file: &str| {
    ///     let mut totals = UsageTotals::new();
    ///     let mut lines = lines(file.as_bytes());
    ///     while let Some(Ok(record)) = lines.next_record() {
    ///         totals.add(record.message());
    ///     }
    ///     totals
    /// };
    /// let mut totals = UsageTotals::new();
    /// std::thread::scope(|scope| {
    ///     let parts = files.map(|file| scope.spawn(move || add_up(file)));
    ///     for part in parts {
    ///         totals.append(part.join().unwrap());
    ///     }
    /// });
    /// assert_eq!(totals.total().messages, 1);
    /// assert_eq!(totals.total().tokens.output_tokens, 9);
    /// ```
    pub fn append(&mut self, later: UsageTotals) {
        let UsageTotals { names, messages, calls, runs } = later;
        let numbers: Vec<u32> =
            names.iter().map(|name| self.names.number(name)).collect();
        let rename = |name: Option<u32>| numbers.get(name? as usize).copied();

        let places = self.messages.append(messages, rename);
        self.calls.append(calls, |call| Call {
            tool: rename(call.tool),
            spent: call.spent.and_then(|at| places.get(at).copied()),
            ..call
        });
        for (session, runs) in runs {
            let ours = self.runs.entry(rename(session)).or_default();
            ours.append(runs, rename);
        }
    }
}
