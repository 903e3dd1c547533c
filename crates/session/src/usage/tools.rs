/*!
Totals by tool.
*/

use std::cmp::Reverse;

use crate::{Tokens, UsageTotals, usage::calls::CallTotals};

/// The calls of one tool, and the token usage of the messages with these
/// calls.
///
/// # Example
///
/// See [`UsageTotals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ToolTotals<'t> {
    /// The tool's name. `None` for calls without one.
    pub name: Option<&'t str>,
    /// The number of calls. A call that is on several lines counts once.
    pub calls: u64,
    /// The number of calls that failed.
    pub errors: u64,
    /// The number of messages that call the tool.
    pub messages: u64,
    /// The tokens that these messages used. A message that calls several
    /// tools counts for each of them, so the sum over all tools can exceed
    /// the total of the log.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub tokens: Tokens,
}

impl UsageTotals {
    /// Creates empty totals that do not count tool calls:
    /// [`by_tool`](UsageTotals::by_tool) returns nothing. This saves the
    /// memory for calls and results.
    ///
    /// # Example
    ///
    /// This shows that messages are counted, and calls are not.
    ///
    /// ```
    /// use linetape::lines;
    /// use linetape_session::UsageTotals;
    ///
    /// let log = br#"{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Read"}],"usage":{"output_tokens":9}}}"#;
    /// let mut totals = UsageTotals::without_tools();
    /// let mut lines = lines(log);
    /// while let Some(line) = lines.next_line() {
    ///     totals.add(line?.checked()?);
    /// }
    /// assert_eq!(totals.total().messages, 1);
    /// assert!(totals.by_tool().is_empty());
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn without_tools() -> UsageTotals {
        UsageTotals { is_without_tools: true, ..UsageTotals::default() }
    }

    /// Returns the usage by tool, the most called first.
    pub fn by_tool(&self) -> Vec<ToolTotals<'_>> {
        let original = |call: CallTotals| CallTotals {
            message: call.message.map(|at| self.messages.original(at)),
            ..call
        };
        let mut calls: Vec<CallTotals> =
            self.calls.iter().map(original).collect();
        // A message that calls a tool twice counts once.
        calls.sort_by_key(|call| (call.tool, call.message));
        let mut tools: Vec<ToolTotals<'_>> = vec![];
        for of_tool in calls.chunk_by(|a, b| a.tool == b.tool) {
            let tool = of_tool.first().and_then(|call| call.tool);
            let name = tool.and_then(|tool| self.names.name(tool));
            let mut totals = ToolTotals { name, ..ToolTotals::default() };
            for of_message in of_tool.chunk_by(|a, b| a.message == b.message) {
                totals.calls += of_message.len() as u64;
                let failed = of_message.iter().filter(|call| call.failed);
                totals.errors += failed.count() as u64;
                let message = of_message.first().and_then(|call| call.message);
                let spent = message.and_then(|at| self.messages.get(at));
                if let Some(spent) = spent {
                    totals.messages += 1;
                    totals.tokens += spent.tokens();
                }
            }
            tools.push(totals);
        }
        tools.sort_by_key(|tool| (Reverse(tool.calls), tool.name));
        tools
    }
}
