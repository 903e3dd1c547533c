use crate::{
    error::{ErrorKind, LineError, Position},
    limits::Limits,
    lines::{Document, Stats},
    scan::skip_line_whitespace,
};

/// Decides whether a line is returned, skipped or refused, and counts the
/// lines that are not returned.
///
/// All readers use it, so the rules about the first bytes of a line are in one
/// place.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    max_line: u64,
    /// The number of lines before the first one.
    lines_before: u64,
    /// The offset of the first line.
    start: u64,
    /// Whether to skip lines that do not begin with a brace.
    skip_noise: bool,
    /// Whether to skip the lines of a document after its first one.
    pub(crate) skip_documents: bool,
    /// Whether the line before is an opening brace.
    is_after_brace: bool,
    document: Document,
    blank: u64,
    noise: u64,
    document_lines: u64,
    longest_line: u64,
}

/// The decision about a line.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Return the line.
    Deliver,
    /// Skip the line: it is blank or noise.
    Skip,
    /// Report the line as an error.
    Refuse(LineError),
}

impl Gate {
    pub(crate) fn new(limits: Limits) -> Gate {
        Gate {
            max_line: limits.line_cap() as u64,
            lines_before: 0,
            start: 0,
            skip_noise: false,
            skip_documents: false,
            is_after_brace: false,
            document: Document::default(),
            blank: 0,
            noise: 0,
            document_lines: 0,
            longest_line: 0,
        }
    }

    pub(crate) fn skipping_noise(self, skip_noise: bool) -> Gate {
        Gate { skip_noise, ..self }
    }

    pub(crate) fn starting_at(self, start: Position) -> Gate {
        let lines_before = start.line().saturating_sub(1);
        Gate { lines_before, start: start.byte(), ..self }
    }

    /// Sets the offset of the first line, after bytes that belong to none.
    pub(crate) fn move_start(&mut self, byte: u64) {
        self.start = byte;
    }

    /// Counts a line that begins with a brace, and so is returned.
    #[inline]
    pub(crate) fn count_length(&mut self, length: usize) {
        self.longest_line = self.longest_line.max(length as u64);
        self.is_after_brace = length == 1;
    }

    /// Returns whether a document has begun, so that each line needs a
    /// decision.
    #[inline]
    pub(crate) fn is_in_document(&self) -> bool {
        self.document.is_open()
    }

    /// Decides about a line, given without its terminator.
    #[inline]
    pub(crate) fn admit(&mut self, line: &[u8], at: Position) -> Verdict {
        if self.is_after_brace && self.skip_documents {
            self.document.follow(b"{");
        }
        self.count_length(line.len());
        // Fast path: nearly every line begins with a brace.
        match line {
            [b'{', ..] if !self.is_in_document() => Verdict::Deliver,
            _ => self.admit_odd(line, at),
        }
    }

    #[cold]
    fn admit_odd(&mut self, line: &[u8], at: Position) -> Verdict {
        let first = line.get(skip_line_whitespace(line, 0));
        self.is_after_brace = false;
        if first.is_none() {
            self.blank += 1;
            return Verdict::Skip;
        }
        let utf16 = matches!(line, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
        if utf16 && at == Position::START {
            let error = LineError::new(ErrorKind::Encoding, at);
            return Verdict::Refuse(error.with_snippet(line));
        }
        // A line that is an object by itself, and is not indented, may be a
        // record.
        let is_object = line.first() == Some(&b'{')
            && line.trim_ascii_end().ends_with(b"}");
        if !self.skip_documents {
            self.document = Document::default();
        } else if self.document.follow(line) && !is_object {
            self.document_lines += 1;
            return Verdict::Skip;
        }
        if self.skip_noise && first != Some(&b'{') {
            self.count_noise();
            return Verdict::Skip;
        }
        Verdict::Deliver
    }

    /// Creates the error for a line of `length` bytes, which exceeds the
    /// limit.
    #[cold]
    pub(crate) fn too_long(&mut self, length: u64, at: Position) -> LineError {
        self.longest_line = self.longest_line.max(length);
        (self.document, self.is_after_brace) = (Document::default(), false);
        let kind = ErrorKind::LineTooLong;
        LineError::over_limit(kind, at, self.max_line, length)
    }

    /// Counts a line as noise.
    pub(crate) fn count_noise(&mut self) {
        self.noise += 1;
    }

    /// Returns the line counts of a stream of which `lines` lines have ended.
    /// The next one is at the offset `next`.
    pub(crate) fn stats(&self, lines: u64, next: u64) -> Stats {
        Stats {
            lines: lines.saturating_sub(self.lines_before),
            bytes: next.saturating_sub(self.start),
            blank: self.blank,
            noise: self.noise,
            document_lines: self.document_lines,
            longest_line: self.longest_line,
            ..Stats::default()
        }
    }
}
