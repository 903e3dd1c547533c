//! The token usage of a part of the logs, which can be saved and merged.

use linetape::{Error, ErrorKind, Message};
use linetape_session::{Facts, MessageTotals, UsageTotals};

/// The token usage of a part of the logs: [`UsageTotals`], and what these do not
/// keep of each message. [`Table::UsageParts`](crate::Table::UsageParts) has them
/// as rows.
///
/// # Example
///
/// This shows how two parts of a log are merged. One message has a line in each.
///
/// ```
/// use linetape_arrow::UsagePart;
/// use linetape_session::Facts;
///
/// let part = |line: &str| {
///     let mut part = UsagePart::new("a.jsonl");
///     let mut decoder = linetape::Decoder::new();
///     let record = decoder.decode(line.as_bytes())?;
///     part.add(&Facts::of(record.message()));
///     UsagePart::load(&part.save())
/// };
/// let mut all = part(
///     r#"{"type":"assistant","message":{"id":"m","usage":{"output_tokens":1}}}"#,
/// )?;
/// all.append(part(
///     r#"{"type":"assistant","message":{"id":"m","usage":{"output_tokens":9}}}"#,
/// )?);
/// let messages: Vec<_> = all.messages().collect();
/// assert_eq!(messages.len(), 1);
/// assert_eq!(messages[0].message_id, Some("m"));
/// assert_eq!(messages[0].totals.tokens.output_tokens, 9);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Debug)]
pub struct UsagePart {
    totals: UsageTotals,
    files: Vec<Box<str>>,
    /// By the index of the message in the totals.
    labels: Vec<Label>,
}

/// What the first line of a message says of it.
#[derive(Debug)]
struct Label {
    /// An index in `files`.
    file: u32,
    message_id: Option<Box<str>>,
    request_id: Option<Box<str>>,
}

/// A message of the model, with its tokens.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct UsageMessage<'p> {
    /// Its session, model, time and tokens.
    pub totals: MessageTotals<'p>,
    /// The file with its first line.
    pub file: &'p str,
    /// Its id.
    pub message_id: Option<&'p str>,
    /// The id of its request.
    pub request_id: Option<&'p str>,
}

impl UsagePart {
    /// Creates an empty part of a file.
    pub fn new(file: &str) -> UsagePart {
        UsagePart {
            totals: UsageTotals::without_tools(),
            files: vec![file.into()],
            labels: vec![],
        }
    }

    /// Adds a message of the file, without those that are nested in it. Some have no
    /// usage, and the working directory of their session.
    pub fn add(&mut self, facts: &Facts<'_>) {
        if !matches!(
            facts.message(),
            Message::Assistant(_)
                | Message::StreamEvent(_)
                | Message::Ui(_)
                | Message::User(_)
                | Message::Attachment(_)
                | Message::System(_)
        ) {
            return;
        }
        self.totals.add_facts(facts);
        // A line with answers of an advisor begins several messages.
        while self.labels.len() < self.totals.next_index() {
            self.labels.push(Label {
                file: 0,
                message_id: facts.message_id().map(Box::from),
                request_id: facts.request_id().map(Box::from),
            });
        }
    }

    /// Appends a later part of the logs.
    pub fn append(&mut self, later: UsagePart) {
        let files = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        self.files.extend(later.files);
        let indexes = self.totals.append_indexed(later.totals);
        for (label, index) in later.labels.into_iter().zip(indexes) {
            // The others have begun in an earlier part.
            if index == self.labels.len() {
                let file = label.file.saturating_add(files);
                self.labels.push(Label { file, ..label });
            }
        }
    }

    /// Returns the messages that count: each once, without copies.
    pub fn messages(&self) -> impl Iterator<Item = UsageMessage<'_>> {
        self.totals.messages().filter_map(|totals| {
            let label = self.labels.get(totals.index)?;
            let file = self.files.get(usize::try_from(label.file).ok()?)?;
            let message_id = label.message_id.as_deref();
            let request_id = label.request_id.as_deref();
            Some(UsageMessage { totals, file, message_id, request_id })
        })
    }

    /// Returns the part as bytes, with the saved form of the totals.
    pub fn save(&self) -> Vec<u8> {
        let mut to = vec![];
        put(&mut to, Some(&self.totals.save()));
        put_number(&mut to, self.files.len());
        self.files.iter().for_each(|file| put(&mut to, Some(file.as_bytes())));
        for label in &self.labels {
            to.extend(label.file.to_le_bytes());
            for id in [&label.message_id, &label.request_id] {
                put(&mut to, id.as_deref().map(str::as_bytes));
            }
        }
        to
    }

    /// Reads a part that was [saved](UsagePart::save).
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not those of a part, or if they are
    /// damaged.
    pub fn load(bytes: &[u8]) -> Result<UsagePart, Error> {
        let mut from = Saved(bytes);
        let totals = from.bytes()?.unwrap_or_default().to_vec();
        let totals = UsageTotals::load(totals)?;
        let mut files = vec![];
        for _ in 0..from.number()? {
            files.push(from.text()?.unwrap_or_default());
        }
        let mut labels = vec![];
        for _ in 0..totals.next_index() {
            let file = from.number()?;
            let (message_id, request_id) = (from.text()?, from.text()?);
            labels.push(Label { file, message_id, request_id });
        }
        match from.0 {
            [] => Ok(UsagePart { totals, files, labels }),
            _ => Err(damaged()),
        }
    }
}

/// What stands for a missing text, in place of its length.
const NONE: u32 = u32::MAX;

fn put_number(to: &mut Vec<u8>, number: usize) {
    // A line has at most gigabytes, and a part has fewer files.
    let number = u32::try_from(number).unwrap_or(NONE - 1);
    to.extend(number.to_le_bytes());
}

/// Appends bytes after their length.
fn put(to: &mut Vec<u8>, bytes: Option<&[u8]>) {
    match bytes {
        Some(bytes) => {
            put_number(to, bytes.len());
            to.extend(bytes);
        }
        None => to.extend(NONE.to_le_bytes()),
    }
}

/// The bytes of a part that are left to read.
struct Saved<'b>(&'b [u8]);

impl<'b> Saved<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], Error> {
        let Some((taken, rest)) = self.0.split_at_checked(count) else {
            return Err(damaged());
        };
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, Error> {
        let number = self.take(size_of::<u32>())?.first_chunk();
        number.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(damaged)
    }

    fn bytes(&mut self) -> Result<Option<&'b [u8]>, Error> {
        match self.number()? {
            NONE => Ok(None),
            length => self.take(length as usize).map(Some),
        }
    }

    fn text(&mut self) -> Result<Option<Box<str>>, Error> {
        let text = self.bytes()?.map(str::from_utf8).transpose();
        Ok(text.map_err(|_| damaged())?.map(Box::from))
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::InvalidInput, "a saved part of the usage is damaged")
}
