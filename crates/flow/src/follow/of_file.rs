use std::{
    fs::File,
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
        Ok(Checkpoint { path, id, progress, gone: None })
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
