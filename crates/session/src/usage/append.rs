use crate::{UsageTotals, usage::calls::CallTotals};

impl UsageTotals {
    /// Merges the totals of a later part of the log into these totals.
    ///
    /// The result is the same as if all messages had been added to `self`, so
    /// the parts of a log can be summed on several threads and then be merged
    /// in log order. Takes time in proportion to the number of messages and
    /// calls of `later`.
    ///
    /// # Example
    ///
    /// This shows how to sum two files in parallel. One message has a line in
    /// each of them.
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
        self.append_indexed(later);
    }

    /// Like [`append`](UsageTotals::append), and returns the new
    /// [`index`](crate::MessageTotals::index) of each message of `later`, by its
    /// old one.
    pub fn append_indexed(&mut self, later: UsageTotals) -> Vec<usize> {
        let UsageTotals { names, messages, calls, runs, projects, .. } = later;
        let copied_projects = later.copied_projects;
        let renaming = self.names.append(&names);
        let mut end = self.messages.len();
        let indexes = self.messages.append(messages, &renaming, &self.names);
        // The number of messages after each of the later ones.
        let mut ends = vec![end];
        ends.extend(indexes.iter().map(|index| {
            end = end.max(index.saturating_add(1));
            end
        }));
        let end_of = |at: usize| ends.get(at).copied().unwrap_or(end);
        if !self.is_without_tools {
            self.calls.append(calls, |call| CallTotals {
                tool: renaming.get(call.tool),
                message: call.message.and_then(|at| indexes.get(at).copied()),
                ..call
            });
        }
        for (session, folder) in projects {
            let session = renaming.get(session);
            if let Some(folder) = renaming.get(Some(folder)) {
                self.projects.entry(session).or_insert(folder);
            }
        }
        for (session, folder) in copied_projects {
            if let Some(folder) = renaming.get(Some(folder)) {
                self.add_copied_project(renaming.get(session), folder);
            }
        }
        for (session, runs) in runs {
            let ours = self.runs.entry(renaming.get(session)).or_default();
            ours.append(runs, &renaming, end_of);
        }
        indexes
    }
}
