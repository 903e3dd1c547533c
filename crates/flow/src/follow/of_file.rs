use std::{
    fs::{File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use crate::follow::{
    checkpoint::{Checkpoint, Fingerprint, Progress, WINDOW},
    identity::Identity,
};

/// Checkpoints for callers that do not read a file with
/// [`Follow`](crate::Follow), but for example on several threads.
impl Checkpoint {
    /// Creates a checkpoint of the file at `path`, after its first `offset`
    /// bytes. The number of the next line is unknown: see
    /// [`with_line`](Checkpoint::with_line).
    ///
    /// Call it before you read the file. If the file is replaced in the
    /// meantime, [`is_of`](Checkpoint::is_of) later returns false.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or has fewer than `offset`
    /// bytes.
    ///
    /// # Example
    ///
    /// This shows a file that grows, and then is truncated.
    ///
    /// ```
    /// use linetape_flow::Checkpoint;
    /// use std::fs;
    ///
    /// # let path = std::env::temp_dir()
    /// #     .join(format!("linetape-of-file-{}", std::process::id()));
    /// fs::write(&path, "{}\n")?;
    /// let checkpoint = Checkpoint::of_file(&path, 3)?.with_line(2);
    /// fs::write(&path, "{}\n{}\n")?;
    /// assert!(checkpoint.is_of(&path)?);
    /// assert_eq!((checkpoint.offset(), checkpoint.line()), (3, 2));
    /// fs::write(&path, "")?;
    /// assert!(!checkpoint.is_of(&path)?);
    /// # fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn of_file(
        path: impl AsRef<Path>,
        offset: u64,
    ) -> io::Result<Checkpoint> {
        let path = path.as_ref().to_path_buf();
        let mut file = File::open(&path)?;
        let facts = file.metadata()?;
        let Some((head, tail)) = fingerprints(&mut file, offset)? else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let (line, size) = (0, facts.len());
        let progress = Progress { offset, line, size, head, tail };
        let id = Identity::of(&facts).device_and_inode();
        Ok(Checkpoint { path, id, progress, end: None, gone: None })
    }

    /// Creates a checkpoint of a file whose plain text has been read by the
    /// caller, such as a compressed file. `head` are the first bytes of the
    /// text, and `tail` the last bytes before `offset`; both at most 4,096.
    /// `facts` are those of the open file: another one may be at `path` when
    /// the text has been read.
    ///
    /// # Errors
    ///
    /// Returns an error if a length is wrong.
    pub fn of_text(
        path: impl AsRef<Path>,
        facts: &Metadata,
        offset: u64,
        head: &[u8],
        tail: &[u8],
    ) -> io::Result<Checkpoint> {
        let path = path.as_ref().to_path_buf();
        let length = offset.min(WINDOW as u64);
        if [head.len() as u64, tail.len() as u64] != [length; 2] {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let id = Identity::of(facts).device_and_inode();
        let size = facts.len();
        let (head, tail) = (Fingerprint::of(head), Fingerprint::of(tail));
        let progress = Progress { offset, line: 0, size, head, tail };
        Ok(Checkpoint { path, id, progress, end: None, gone: None })
    }

    /// Returns the size that the file had.
    pub fn size(&self) -> u64 {
        self.progress.size
    }

    /// Returns whether a plain text matches this checkpoint, such as the text
    /// of a compressed copy of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the text cannot be read.
    ///
    /// # Costs
    ///
    /// Reads the text up to the offset, unless its start differs.
    ///
    /// # Example
    ///
    /// This shows that a checkpoint is of a text, whatever file has it.
    ///
    /// ```
    /// use linetape_flow::Checkpoint;
    /// use std::fs;
    ///
    /// # let path = std::env::temp_dir()
    /// #     .join(format!("linetape-of-text-{}", std::process::id()));
    /// fs::write(&path, "{}\n")?;
    /// let checkpoint = Checkpoint::of_file(&path, 3)?;
    /// assert!(checkpoint.is_of_text(&b"{}\n{\"more\":1}\n"[..])?);
    /// assert!(!checkpoint.is_of_text(&b"[]\n"[..])?);
    /// # fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn is_of_text(&self, mut text: impl Read) -> io::Result<bool> {
        let Progress { offset, head, tail, .. } = self.progress;
        let mut first = vec![];
        text.by_ref().take(head.length).read_to_end(&mut first)?;
        if Fingerprint::of(&first) != head {
            return Ok(false);
        }
        let mut last = first;
        let mut read = head.length;
        let middle = (offset - read.min(offset)).saturating_sub(tail.length);
        if middle > 0 {
            let source = &mut text.by_ref().take(middle);
            read += io::copy(source, &mut io::sink())?;
            last.clear();
        }
        text.take(offset - read.min(offset)).read_to_end(&mut last)?;
        let length = usize::try_from(tail.length).unwrap_or(usize::MAX);
        let from = last.len().saturating_sub(length);
        Ok(Fingerprint::of(last.get(from..).unwrap_or_default()) == tail)
    }

    /// Returns whether a plain text begins like that of this checkpoint, by at
    /// most 4,096 bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the text cannot be read.
    pub fn begins_like(&self, text: impl Read) -> io::Result<bool> {
        let head = self.progress.head;
        let mut first = vec![];
        text.take(head.length).read_to_end(&mut first)?;
        Ok(Fingerprint::of(&first) == head)
    }

    /// Sets the number of the next line.
    #[must_use]
    pub fn with_line(mut self, line: u64) -> Checkpoint {
        self.progress.line = line;
        self
    }

    /// Returns whether the content of the file at `path` matches this
    /// checkpoint: the file was not truncated, rewritten or replaced. It may
    /// have grown, and may have another path than the checkpoint.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn is_of(&self, path: impl AsRef<Path>) -> io::Result<bool> {
        self.is_of_open(&mut File::open(path)?)
    }

    /// Like [`is_of`](Checkpoint::is_of), for a file that is open. Another file
    /// may be at its path by now. Moves the position in the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn is_of_open(&self, file: &mut File) -> io::Result<bool> {
        let fingerprints = fingerprints(file, self.progress.offset)?;
        Ok(fingerprints == Some((self.progress.head, self.progress.tail)))
    }
}

/// Returns the fingerprints of the first bytes of a file and of those before an
/// offset. `None` if the file is shorter.
fn fingerprints(
    file: &mut File,
    offset: u64,
) -> io::Result<Option<(Fingerprint, Fingerprint)>> {
    let length = offset.min(WINDOW as u64);
    let mut fingerprint = |from: u64| {
        let mut bytes = vec![];
        file.seek(SeekFrom::Start(from))?;
        file.take(length).read_to_end(&mut bytes)?;
        let is_whole = bytes.len() as u64 == length;
        Ok::<_, io::Error>(is_whole.then(|| Fingerprint::of(&bytes)))
    };
    let (head, tail) = (fingerprint(0)?, fingerprint(offset - length)?);
    Ok(head.zip(tail))
}
