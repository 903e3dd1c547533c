/*!
The saved state of [`UsageTotals`].

The header (see `state/mod.rs`) is followed by three tables, and then by
everything else:

| content | size |
|---|---|
| the lengths of the three tables, eight bytes each | 24 bytes |
| the table of messages, see `packed.rs` | 24 bytes for each message |
| its order, see `table/order.rs` | 3 bytes for each message, 2 up to 65,536 messages |
| the table of copies, see `copies.rs` | 12 bytes for each message and session that the rows do not say |
| its order | 2 to 4 bytes for each |
| the table of tool calls, see `calls.rs` | 13 bytes for each call |
| its order | 3 bytes for each call, 2 up to 65,536 calls |
| names, runs and costs, projects, classes, wide and crowded messages, copies, ends of streamed messages, turns of agent servers, tools, early failures | by their number |

The tables are the same in memory and in the state. Loading a state verifies the
checksum and decodes what follows the tables. The size of that part depends mostly
on the number of sessions, not of messages, unless a stream and its transcript have
both been added, or each message states its cost.

# Why a message has 26 or 27 bytes

- The key (10 bytes) finds the lines of a message and its copies, see `key.rs`: 48 bits
  of a hash of the message id, and 30 of a hash of both ids. So messages with different ids
  differ in 78 bits, and those with one id in 30. Two messages in one session share the
  48 bits with a probability of 1/500 if the session has a million messages, and that
  changes a result only if one of them may be a copy. With 32 bits, about a hundred would.
- The time (27 bits) decides which line of a message is the last one: a copy of a log that
  ends earlier can be read later. The class of the message has the day.
- The length of the text (13 bits, as a rule) shows a count of output tokens that cannot be
  true.
- The other 72 bits are the class, the tokens and how many bits each of them has.
- The order (2 or 3 bytes) makes it possible to search the table where it lies.

# What was tried

Measured on a generated transcript of 456 MB with 28,818 messages and 31,493 calls, where the
order has two bytes:

| design | a message | a call | the state |
|---|---|---|---|
| rows of 32 bytes by both ids, a second table of 12 bytes by message id and session, each with slots of four bytes of which 4/5 are taken | 54 bytes | 21 bytes | 2,267,527 bytes |
| rows of 24 bytes and an order, with the second table | 40 bytes | 15 bytes | 1,677,726 bytes |
| this one | 26 bytes | 15 bytes | 1,274,274 bytes |

In all of them, loading the state, adding a line and asking for the total takes 0.3 to 0.4
ms. Reading the log takes the same time with the first and the last. Not built were:

- Slots of which 4/5 are taken, instead of the order: 3.75 bytes for each message instead of 3.
- 22 instead of 30 bits for both ids, with rows of 23 bytes: of 100,000 messages with one id
  that are added to a state, one would be lost with a probability of 1/5.
- Rows that are sorted by hash, so that the first bits of the hash follow from the place. Such
  a row needs its number in order of appearance, which is what the order has, so it would
  have one or two bytes less. But a message would have another number after each save,
  and calls, copies and turns refer to it.
*/

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use linetape::Error;

use crate::{
    UsageTotals,
    ids::Names,
    state::{
        self, HEADER,
        codec::{Cursor, Saved, inconsistent},
    },
    usage::{calls::Calls, messages::Messages},
};

/// The beginning of the table of messages.
const TABLES: usize = HEADER + 24;

impl UsageTotals {
    /// Returns the state of the totals. [`load`](UsageTotals::load) it later,
    /// and add the lines that were appended to the log since then.
    ///
    /// The state has about 27 bytes for each message of a transcript and 16 for
    /// each tool call. It contains hashes of the ids of messages and calls, not
    /// the ids themselves. Some messages need more: about 80 bytes if a stream
    /// and the transcript of its session have both been added, 57 for ids of
    /// gateways with request ids, and 220 if each line states its cost.
    ///
    /// # Costs
    ///
    /// The tables of messages and calls are copied once, without encoding
    /// them. If there are new messages or calls, their order is sorted again.
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
        let [messages, copies] = self.messages.table_lens();
        let tables = messages + copies + self.calls.table_len();
        let mut to = state::begin();
        to.reserve(24 + tables + 4096);
        let at = to.len();
        [0u64; 3].save(&mut to);
        // The lengths are those of what was written: a forged state may have
        // tables with another number of rows than they say.
        let mut lengths = vec![];
        let mut note =
            |start: usize, end: usize| (end - start).save(&mut lengths);
        let start = to.len();
        self.messages.save_table(&mut to);
        let copies = to.len();
        note(start, copies);
        self.messages.save_copies(&mut to);
        let calls = to.len();
        note(copies, calls);
        self.calls.save_table(&mut to);
        note(calls, to.len());
        if let Some(room) = to.get_mut(at..at + lengths.len()) {
            room.copy_from_slice(&lengths);
        }
        self.names.save(&mut to);
        self.runs.save(&mut to);
        self.projects.save(&mut to);
        self.copied_projects.save(&mut to);
        self.messages.save_rest(&mut to);
        self.calls.save_rest(&mut to);
        state::finish(to)
    }

    /// Returns the totals that were [saved](UsageTotals::save).
    ///
    /// Adding the rest of a log to them gives the same totals as adding the
    /// whole log to new ones. There is one exception: if a gateway gives one id
    /// to several messages, the tools of a copy may be counted with another of
    /// these messages.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind
    /// [`ErrorKind::InvalidInput`](linetape::ErrorKind::InvalidInput) if the
    /// bytes are not a state of `UsageTotals`, have another version of the
    /// format, or are damaged. A checksum detects damage.
    ///
    /// # Costs
    ///
    /// There is no allocation for a message of a transcript, or for a call: the
    /// tables are used in place. Most of the time is needed for the checksum of
    /// the whole state. Names, sessions, copies, and messages that state their
    /// cost are decoded one by one.
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
        state::check(&state)?;
        UsageTotals::load_content(state)
    }

    /// Like [`load`](UsageTotals::load), but does not verify the checksum. Use
    /// it if the state comes from a file that has one of its own and was
    /// verified, such as a `Checkpoints` of linetape-flow.
    ///
    /// If the state is damaged nevertheless, the totals are wrong, or there is
    /// an error. It does not panic.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`load`](UsageTotals::load), except for those that
    /// only the checksum detects.
    ///
    /// # Example
    ///
    /// This shows a state that is not verified again.
    ///
    /// ```
    /// use linetape_session::UsageTotals;
    ///
    /// let state = UsageTotals::new().save();
    /// let totals = UsageTotals::load_verified(state)?;
    /// assert_eq!(totals.total().messages, 0);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn load_verified(state: Vec<u8>) -> Result<UsageTotals, Error> {
        state::check_header(&state)?;
        UsageTotals::load_content(state)
    }

    /// Takes a state whose header is right.
    fn load_content(state: Vec<u8>) -> Result<UsageTotals, Error> {
        let mut lengths = Cursor::new(state.get(HEADER..).unwrap_or_default());
        let messages = usize::load(&mut lengths)?;
        let copies = usize::load(&mut lengths)?;
        let calls = usize::load(&mut lengths)?;
        let end = |start: usize, length: usize| {
            let end = start.checked_add(length);
            end.filter(|end| *end <= state.len()).ok_or_else(inconsistent)
        };
        let messages_end = end(TABLES, messages)?;
        let copies_end = end(messages_end, copies)?;
        let calls_end = end(copies_end, calls)?;

        // A part of a `BytesMut` is split off without copying it.
        let mut tables = BytesMut::from(Bytes::from(state));
        let rest = tables.split_off(calls_end);
        let calls = tables.split_off(copies_end);
        let copies = tables.split_off(messages_end);
        let messages = tables.split_off(TABLES);
        let mut rest = Cursor::new(&rest);
        let names = Names::load(&mut rest)?;
        let runs = BTreeMap::load(&mut rest)?;
        let projects = BTreeMap::load(&mut rest)?;
        let copied_projects = BTreeMap::load(&mut rest)?;
        let messages = Messages::load(messages, copies, &mut rest)?;
        let calls = Calls::load(calls, &mut rest)?;
        rest.end()?;
        let is_without_tools = false;
        Ok(UsageTotals {
            names,
            messages,
            calls,
            runs,
            projects,
            copied_projects,
            is_without_tools,
        })
    }
}
