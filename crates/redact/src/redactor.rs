use std::{fmt, io::Write, ops::Range};

use linetape::{Decoder, Error, Limits, Line, Position};

use crate::{
    cleaner::Cleaner,
    event::Event,
    held::{End, Held},
    replacement::Replacement,
    rules::{Rules, Spot, What},
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
/// lines), or over the `TextChunk` lines of an agent server, so they are joined
/// before they are searched. Their lines, and all lines after them, are held
/// until the block ends.
///
/// A block is not waited for any longer if it has more than 1 MiB of text, if
/// more than 64 MiB are held, or if 16,384 lines have followed its last delta.
/// Then the end of its text, in which a secret may begin, and the text of all
/// further deltas are replaced.
///
/// # Costs
///
/// A line is checked, and searched for the literals of the rules, in one pass
/// each. Only strings with a literal are read again. Memory is bounded by the
/// lines that are held, which is at most 64 MiB with the overhead of each line,
/// and by the longest line or [block](Redactor::block): several times its
/// length, if it consists of escapes.
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
        self.cleaner.look(line.as_bytes());
        let end: &[u8] = if line.is_terminated() { b"\n" } else { b"" };
        self.pass(line, &End::Borrowed(end), to)
    }

    /// Looks for the literals of a block, whose lines follow.
    pub(crate) fn look_ahead(&mut self, block: &[u8]) {
        self.cleaner.look_ahead(block);
    }

    /// Returns whether the next line of the block, which is at `place`, is
    /// passed on as it is if it is valid. If not, it is to be
    /// [passed](Redactor::pass) next.
    pub(crate) fn is_quiet(&mut self, place: &Range<usize>) -> bool {
        self.cleaner.next_line(place);
        self.cleaner.spots().is_empty()
            && self.held.is_empty()
            && !self.cleaner.rules().need_all()
    }

    /// Returns whether blank lines have to wait, because the line before them
    /// waits.
    pub(crate) fn waits(&self) -> bool {
        self.held.has_lines()
    }

    /// Adds blank lines after the last line, which waits.
    pub(crate) fn wait_blank<W: Write + ?Sized>(
        &mut self,
        blank: &[u8],
        to: &mut W,
    ) -> Result<(), Error> {
        self.held.add_blank(blank, &mut self.cleaner);
        self.write_held(to)
    }

    /// Redacts a line whose literals are known, and writes it and what follows
    /// it, now or later.
    pub(crate) fn pass<W: Write + ?Sized>(
        &mut self,
        line: &Line<'_>,
        end: &End,
        to: &mut W,
    ) -> Result<(), Error> {
        let spots = self.cleaner.spots();
        // An escape can hide anything.
        let is_event =
            |spot: &Spot| matches!(spot.what, What::Stream | What::Escape);
        let (is_quiet, is_event) =
            (spots.is_empty(), spots.iter().any(is_event));
        if !is_event && self.held.is_empty() {
            if !self.cleaner.rules().need_all() {
                line.check()?;
                if is_quiet || self.cleaner.are_false(line.as_bytes()) {
                    return write(to, line.as_bytes(), end);
                }
            }
            return self.write_clean(line, end, to);
        }
        let event = Event::of(line.checked()?.value());
        // A field is replaced as a whole, and does not wait.
        let event = event.and_then(|event| match event.piece() {
            Some((key, _)) if self.cleaner.rules().is_field(key) => {
                event.without_piece()
            }
            _ => Some(event),
        });
        let is_piece = event.is_some_and(|event| event.piece().is_some());
        if !is_piece && self.held.is_empty() {
            return self.write_clean(line, end, to);
        }
        let waits = self.held.add(line, end, event, &mut self.cleaner);
        // Lines before a bad one may be free now.
        self.write_held(to)?;
        if waits? {
            return Ok(());
        }
        self.write_clean(line, end, to)
    }

    fn write_clean<W: Write + ?Sized>(
        &mut self,
        line: &Line<'_>,
        end: &End,
        to: &mut W,
    ) -> Result<(), Error> {
        match self.cleaner.clean(line, false)? {
            true => write(to, &self.cleaner.line, end),
            false => write(to, line.as_bytes(), end),
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
        self.held.end_all(&mut self.cleaner);
        let written = self.write_held(to);
        // After an error, no line may get into the next log.
        self.held.clear();
        written
    }

    fn write_held<W: Write + ?Sized>(
        &mut self,
        to: &mut W,
    ) -> Result<(), Error> {
        while let Some((line, end)) = self.held.next() {
            write(to, &line, &end)?;
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

    /// Redacts a JSON document of one or several lines. If it is neither an
    /// object nor an array, it is redacted as a [`text`](Redactor::text).
    /// Pointers do not apply to an array.
    ///
    /// # Errors
    ///
    /// Returns an error if the document is neither JSON nor UTF-8.
    pub fn document(&mut self, document: &[u8]) -> Result<Vec<u8>, Error> {
        if document.trim_ascii_start().starts_with(b"[")
            && let Some(clean) = self.array(document)
        {
            return Ok(clean);
        }
        let found = self.cleaner.notes().len();
        let line = self.documents.line(document);
        self.cleaner.look(document);
        let error = match self.cleaner.clean(&line, false) {
            Ok(is_changed) => {
                self.place_notes(found, document, 0);
                return Ok(match is_changed {
                    true => self.cleaner.line.clone(),
                    false => document.to_vec(),
                });
            }
            Err(error) => error,
        };
        match std::str::from_utf8(document) {
            Ok(text) => Ok(self.text(text).as_bytes().to_vec()),
            Err(_) => Err(error),
        }
    }

    /// Redacts an array, as the value of a member.
    fn array(&mut self, array: &[u8]) -> Option<Vec<u8>> {
        const START: &[u8] = b"{\"\":";
        let object = [START, array, b"}"].concat();
        let line = self.documents.line(&object);
        self.cleaner.look(&object);
        let found = self.cleaner.notes().len();
        let clean = match self.cleaner.clean(&line, false) {
            Ok(true) => &self.cleaner.line,
            Ok(false) => &object,
            Err(_) => return None,
        };
        let clean = clean.strip_prefix(START)?.strip_suffix(b"}")?.to_vec();
        self.place_notes(found, array, START.len() as u64);
        Some(clean)
    }

    /// Sets the positions of what was found in a document: it has several
    /// lines, and begins `shift` bytes after the text that was searched.
    fn place_notes(&mut self, found: usize, document: &[u8], shift: u64) {
        let newlines: Vec<u64> =
            memchr::memchr_iter(b'\n', document).map(|at| at as u64).collect();
        for note in self.cleaner.notes().iter_mut().skip(found) {
            let byte = note.position.byte().saturating_sub(shift);
            let line = 1 + newlines.partition_point(|at| *at < byte) as u64;
            note.position = Position::new(line, byte);
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
    end: &[u8],
) -> Result<(), Error> {
    to.write_all(line)?;
    if !end.is_empty() {
        to.write_all(end)?;
    }
    Ok(())
}
