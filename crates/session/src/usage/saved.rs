/*!
The saved state of [`UsageTotals`].

After the header that all states have come two tables, and then everything
else:

| content | size |
|---|---|
| the lengths of the two tables, eight bytes each | 16 bytes |
| the table of messages, see `rows.rs` | 32 bytes for each message |
| its slots, see `table.rs` | 5 to 11 bytes for each message |
| the table of tool calls, see `calls.rs` | 16 bytes for each call |
| its slots | 5 to 11 bytes for each call |
| names, runs and costs, projects, classes and wide messages, turns of agent servers, early failures | by their number |

The tables are the same in memory and in the state. To load a state is to
verify its checksum, to copy the table of calls, and to read what is behind the
tables, which grows with the number of sessions and not of messages.
*/

use std::collections::{BTreeMap, HashMap};

use linetape::Error;

use crate::{
    UsageTotals,
    ids::Names,
    state::{
        self, HEADER, Sort,
        codec::{Cursor, Saved, inconsistent},
    },
    usage::{calls::Calls, messages::Messages},
};

/// The beginning of the table of messages.
const TABLES: usize = HEADER + 16;

impl UsageTotals {
    /// Returns the state of the totals, to [load](UsageTotals::load) it later
    /// and to go on with the lines that were appended to the log.
    ///
    /// The state has about 40 bytes for each message and 24 for each tool
    /// call. It contains no ids of messages and calls, but hashes of 64 bits.
    ///
    /// # Costs
    ///
    /// Copies the state once.
    ///
    /// # Example
    ///
    /// This shows a log that grows between two reports. The new line belongs
    /// to a message that is in the state.
    ///
    /// ```
    /// use linetape::lines;
    /// use linetape_session::UsageTotals;
    ///
    /// let log = br#"{"type":"assistant","message":{"id":"m1","usage":{"output_tokens":1}}}
    /// {"type":"assistant","message":{"id":"m2","usage":{"output_tokens":5}}}
    /// "#;
    /// let mut totals = UsageTotals::new();
    /// let mut lines = lines(log);
    /// while let Some(line) = lines.next_line() {
    ///     totals.add(line?.checked()?);
    /// }
    /// let state: Vec<u8> = totals.save();
    ///
    /// let appended = br#"{"type":"assistant","message":{"id":"m1","usage":{"output_tokens":9}}}"#;
    /// let mut totals = UsageTotals::load(state)?;
    /// let mut lines = linetape::lines(appended);
    /// while let Some(line) = lines.next_line() {
    ///     totals.add(line?.checked()?);
    /// }
    /// assert_eq!(totals.total().messages, 2);
    /// assert_eq!(totals.total().tokens.output_tokens, 14);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn save(&self) -> Vec<u8> {
        let lengths = [self.messages.table_len(), self.calls.table_len()];
        let mut to = state::begin();
        to.reserve(16 + lengths.iter().sum::<usize>() + 4096);
        lengths.iter().for_each(|length| length.save(&mut to));
        self.messages.save_table(&mut to);
        self.calls.save_table(&mut to);
        self.names.save(&mut to);
        self.runs.save(&mut to);
        self.projects.save(&mut to);
        self.messages.save_rest(&mut to);
        self.calls.save_rest(&mut to);
        state::finish(Sort::Usage, to)
    }

    /// Returns the totals that were [saved](UsageTotals::save).
    ///
    /// Adding the rest of a log to them gives the same totals as adding the
    /// whole log to new ones.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidInput`](linetape::ErrorKind::InvalidInput) if the
    /// bytes are not a state of `UsageTotals`, were written by another version
    /// of linetape with another format, or are damaged. There is a checksum.
    ///
    /// # Costs
    ///
    /// The bytes are used in place: nothing is allocated for a message or a
    /// call. The time is that of the checksum, about as long as copying the
    /// state, and grows with the number of sessions.
    ///
    /// # Example
    ///
    /// This shows a state that was truncated.
    ///
    /// ```
    /// use linetape::ErrorKind;
    /// use linetape_session::UsageTotals;
    ///
    /// let mut state = UsageTotals::new().save();
    /// state.pop();
    /// let error = UsageTotals::load(state).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::InvalidInput);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "invalid saved state: it is truncated or too long"
    /// );
    /// ```
    pub fn load(state: Vec<u8>) -> Result<UsageTotals, Error> {
        state::check(Sort::Usage, &state)?;
        let mut lengths = Cursor::new(state.get(HEADER..).unwrap_or_default());
        let messages = usize::load(&mut lengths)?;
        let calls = usize::load(&mut lengths)?;
        let end = |start: usize, length: usize| {
            let end = start.checked_add(length);
            end.filter(|end| *end <= state.len()).ok_or_else(inconsistent)
        };
        let messages_end = end(TABLES, messages)?;
        let calls_end = end(messages_end, calls)?;

        let mut tables = state;
        let rest = tables.split_off(calls_end);
        let calls = tables.split_off(messages_end);
        let mut rest = Cursor::new(&rest);
        let names = Names::load(&mut rest)?;
        let runs = BTreeMap::load(&mut rest)?;
        let projects = HashMap::load(&mut rest)?;
        let messages = Messages::load(tables, TABLES, &mut rest)?;
        let calls = Calls::load(calls, &mut rest)?;
        rest.end()?;
        Ok(UsageTotals { names, messages, calls, runs, projects })
    }
}
