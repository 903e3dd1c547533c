use std::{fmt, io::Write};

use linetape::{Decoder, Error, Limits, Line, Position};

use crate::{
    cleaner::Cleaner,
    event::{Event, What},
    held::Held,
    replacement::Replacement,
    rules::Rules,
};

/// A match of a rule: the rule and the position, but not the secret.
///
/// # Example
///
/// This shows where something was found.
///
/// ```
/// use linetape_redact::{Redactor, Replacement, Rules};
///
/// let rules = Rules::builder().field("cwd").build()?;
/// let mut redactor = Redactor::new(rules, Replacement::stars());
/// let mut lines = linetape::lines(br#"{"cwd":"/srv"}"#);
/// redactor.line(&lines.next_line().unwrap()?, &mut vec![])?;
/// let finding = redactor.findings().next().unwrap();
/// assert_eq!((finding.rule, finding.position.byte()), ("field", 8));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding<'r> {
    /// The name of the rule.
    pub rule: &'r str,
    /// The position of the match: the line, and the offset of its first byte.
    /// For a match in a streamed block, the start of the line in which the
    /// match begins.
    pub position: Position,
}

/// Redacts the lines of logs, and texts.
///
/// Lines that no rule matches are copied unchanged. In other lines, only the
/// bytes of what was found are replaced, except that base64 data and
/// identifiers are replaced as a whole.
///
/// # Streams
///
/// A secret can be split over the deltas of a streamed block (`stream_event`
/// lines), so the deltas are joined before they are searched. Their lines, and
/// all lines after them, are held until the block ends. If a block has more
/// than 1 MiB of text, the text of all further deltas is replaced.
///
/// # Costs
///
/// A line is checked, and searched for the literals of the rules, in one pass
/// each. Memory is bounded by the longest line, and by the lines that are held:
/// at most 64 MiB, and one line.
///
/// # Example
///
/// This shows how to redact a log.
///
/// ```
/// use linetape_redact::{Redactor, Replacement, Rules};
///
/// let token = format!("ghp_{}", "a1B2".repeat(9));
/// let log = format!("{{\"n\": 1.0}}\n{{\"text\":\"\\ttoken {token}\"}}\n");
/// let mut redactor = Redactor::new(Rules::secrets(), Replacement::stars());
/// let (mut lines, mut out) = (linetape::lines(log.as_bytes()), vec![]);
/// while let Some(line) = lines.next_line() {
///     redactor.line(&line?, &mut out)?;
/// }
/// redactor.finish(&mut out)?;
/// assert_eq!(out, b"{\"n\": 1.0}\n{\"text\":\"\\ttoken ***\"}\n");
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct Redactor {
    cleaner: Cleaner,
    held: Held,
    documents: Decoder,
}

impl Redactor {
    /// Creates a redactor with the default limits.
    pub fn new(rules: Rules, replacement: Replacement) -> Redactor {
        Redactor::with_limits(rules, replacement, Limits::default())
    }

    /// Creates a redactor for lines that were read with these limits.
    pub fn with_limits(
        rules: Rules,
        replacement: Replacement,
        limits: Limits,
    ) -> Redactor {
        Redactor {
            cleaner: Cleaner::new(rules, replacement, limits),
            held: Held::default(),
            documents: Decoder::with_limits(limits),
        }
    }

    /// Redacts a line, and writes it to `to`, with a newline if it had one. A
    /// line that has to wait for the end of a streamed block is written by a
    /// later call.
    ///
    /// # Errors
    ///
    /// If the line is invalid, returns the error that decoding it would return.
    /// The line is not written then. If writing fails, returns an error that is
    /// not recoverable.
    pub fn line<W: Write + ?Sized>(
        &mut self,
        line: &Line<'_>,
        to: &mut W,
    ) -> Result<(), Error> {
        line.check()?;
        let is_quiet = !self.cleaner.rules().may_match(line.as_bytes());
        if is_quiet && self.held.is_empty() {
            return write(to, line.as_bytes(), line.is_terminated());
        }
        let event = Event::of(line.checked()?.value());
        // A field is replaced as a whole, and does not wait.
        let event = event.filter(|event| match event.what {
            What::Piece(key, _) => !self.cleaner.rules().is_field(key),
            _ => true,
        });
        let is_piece = event.is_some_and(|event| event.is_piece());
        if !is_piece && self.held.is_empty() {
            return self.write_clean(line, to);
        }
        let waits = self.held.add(line, event, &mut self.cleaner);
        // Lines before a bad one may be free now.
        self.write_held(to)?;
        if waits? {
            return Ok(());
        }
        self.write_clean(line, to)
    }

    fn write_clean<W: Write + ?Sized>(
        &mut self,
        line: &Line<'_>,
        to: &mut W,
    ) -> Result<(), Error> {
        match self.cleaner.clean(line, false)? {
            true => write(to, &self.cleaner.line, line.is_terminated()),
            false => write(to, line.as_bytes(), line.is_terminated()),
        }
    }

    /// Ends a log: writes the lines that are held.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails. Then the other lines are dropped.
    pub fn finish<W: Write + ?Sized>(
        &mut self,
        to: &mut W,
    ) -> Result<(), Error> {
        let ended = self.held.end_all("", &mut self.cleaner);
        let written = self.write_held(to);
        // After an error, no line may get into the next log.
        while self.held.next().is_some() {}
        written?;
        ended
    }

    fn write_held<W: Write + ?Sized>(
        &mut self,
        to: &mut W,
    ) -> Result<(), Error> {
        while let Some((line, is_terminated)) = self.held.next() {
            write(to, &line, is_terminated)?;
        }
        Ok(())
    }

    /// Redacts a text that is not JSON, such as the output of a tool or the
    /// name of a file.
    ///
    /// JSON inside of the text is searched as well. Rules for fields and
    /// pointers do not apply.
    pub fn text(&mut self, text: &str) -> &str {
        self.cleaner.text(text, Position::new(1, 0))
    }

    /// Redacts a JSON document of one or several lines. If it is not an
    /// object, it is redacted as a [`text`](Redactor::text).
    ///
    /// # Errors
    ///
    /// Returns an error if the document is neither JSON nor UTF-8.
    pub fn document(&mut self, document: &[u8]) -> Result<Vec<u8>, Error> {
        let line = self.documents.line(document);
        let error = match self.cleaner.clean(&line, false) {
            Ok(true) => return Ok(self.cleaner.line.clone()),
            Ok(false) => return Ok(document.to_vec()),
            Err(error) => error,
        };
        match std::str::from_utf8(document) {
            Ok(text) => Ok(self.text(text).as_bytes().to_vec()),
            Err(_) => Err(error),
        }
    }

    /// Returns what was found since the last call of
    /// [`clear_findings`](Redactor::clear_findings).
    pub fn findings(&self) -> impl Iterator<Item = Finding<'_>> {
        let rules = self.cleaner.rules();
        self.cleaner.noted().iter().map(|note| Finding {
            rule: rules.name(note.rule),
            position: note.position,
        })
    }

    /// Forgets what was found.
    pub fn clear_findings(&mut self) {
        self.cleaner.notes().clear();
    }
}

/// Does not show the lines that are held, which may contain secrets.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

fn write<W: Write + ?Sized>(
    to: &mut W,
    line: &[u8],
    is_terminated: bool,
) -> Result<(), Error> {
    to.write_all(line)?;
    if is_terminated {
        to.write_all(b"\n")?;
    }
    Ok(())
}
