use std::path::{Path, PathBuf};

use linetape::{Decoder, Error, Object, Value, value::Quoted};

use crate::{error::invalid, follow::identity::Identity};

/// How many bytes at the start of a file, and before the offset of a
/// checkpoint, identify the file.
pub(crate) const WINDOW: usize = 4096;

/// The version of the format.
const VERSION: u64 = 1;

/// A position in a log from which reading can be resumed, even by another
/// process.
///
/// A checkpoint has the offset after the last line that was returned, and two
/// hashes: of the first bytes of the file, and of the bytes before the offset,
/// at most 4,096 each. [`Follow::resume`](crate::Follow::resume) continues at
/// the offset only if both hashes match. Otherwise, the file was truncated,
/// rewritten or replaced. A log that was restored or copied has another inode:
/// it is taken for the old one if it begins with exactly the bytes before the
/// offset, and these are at least 64 bytes. With fewer, it is read again. The
/// device does not decide: it can have another number when it is mounted again.
///
/// A checkpoint can be stored as one line of JSON. Store it together with the
/// results of the lines before it, or use
/// [`Checkpoints`](crate::Checkpoints).
///
/// # Example
///
/// This shows a checkpoint as text.
///
/// ```
/// use linetape_flow::Checkpoint;
///
/// let text = r#"{"version":1,"path":"a.jsonl","device":1,"inode":2,
///     "offset":0,"line":1,"size":0,
///     "head":{"length":0,"hash":"cbf29ce484222325"},
///     "tail":{"length":0,"hash":"cbf29ce484222325"}}"#;
/// let checkpoint = Checkpoint::parse(text.replace('\n', "").as_bytes())?;
/// assert_eq!(checkpoint.offset(), 0);
/// let line = checkpoint.to_json()?;
/// assert_eq!(Checkpoint::parse(line.as_bytes())?, checkpoint);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    pub(crate) path: PathBuf,
    /// The device and the inode. They help to find a file that was moved. Then
    /// the content decides whether it is the same.
    pub(crate) id: (u64, u64),
    pub(crate) progress: Progress,
    /// When it was first noticed that the file is gone, in seconds since 1970.
    pub(crate) gone: Option<u64>,
}

/// How far a file was read, and the hashes that identify its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) offset: u64,
    pub(crate) line: u64,
    pub(crate) size: u64,
    pub(crate) head: Fingerprint,
    pub(crate) tail: Fingerprint,
}

/// The minimum number of matching bytes to identify a file that reappears.
/// Fewer can match a new file by chance.
const PROOF: u64 = 64;

impl Progress {
    /// Returns whether a file with the same bytes is surely the same.
    pub(crate) fn is_proof(&self) -> bool {
        self.offset >= PROOF
    }
}

/// The length and the hash of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) length: u64,
    pub(crate) hash: u64,
}

impl Fingerprint {
    /// Returns the fingerprint of some bytes, by FNV-1a with 64 bits. It is the same
    /// in every version and on every platform.
    pub(crate) fn of(bytes: &[u8]) -> Fingerprint {
        let hash = bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        Fingerprint { length: bytes.len() as u64, hash }
    }

    fn to_json(self) -> String {
        let Fingerprint { length, hash } = self;
        format!("{{\"length\":{length},\"hash\":\"{hash:016x}\"}}")
    }

    fn read(object: Object<'_>, name: &str) -> Option<Fingerprint> {
        let fingerprint = object.get(name)?.as_object()?;
        let length = fingerprint.get("length")?.as_u64()?;
        let hash = fingerprint.get("hash")?.as_str()?;
        let hash = u64::from_str_radix(hash, 16).ok()?;
        (length <= WINDOW as u64).then_some(Fingerprint { length, hash })
    }
}

impl Checkpoint {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the offset after the last line that was returned.
    pub fn offset(&self) -> u64 {
        self.progress.offset
    }

    /// Returns the number of the next line, or 0 if it is unknown.
    pub fn line(&self) -> u64 {
        self.progress.line
    }

    /// Returns whether a file has the device and the inode of this checkpoint.
    /// Then it is probably the same file, even at another path:
    /// [`is_of`](Checkpoint::is_of) tells. Elsewhere than on Unix, the time of
    /// creation is compared.
    pub fn has_identity(&self, file: &std::fs::Metadata) -> bool {
        self.id == Identity::of(file).device_and_inode()
    }

    /// Returns the device and the inode, as
    /// [`identity_of`](Checkpoint::identity_of) does.
    pub fn identity(&self) -> (u64, u64) {
        self.id
    }

    /// Returns the device and the inode of a file. Elsewhere than on Unix,
    /// they are 0 and the creation time.
    pub fn identity_of(file: &std::fs::Metadata) -> (u64, u64) {
        Identity::of(file).device_and_inode()
    }

    /// Sets the device and the inode: those of a file with the same content,
    /// such as one that was restored.
    #[must_use]
    pub fn with_identity(mut self, file: &std::fs::Metadata) -> Checkpoint {
        self.id = Identity::of(file).device_and_inode();
        self
    }

    /// Sets the path: that of a file that was moved.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<PathBuf>) -> Checkpoint {
        self.path = path.into();
        self.gone = None;
        self
    }

    /// Returns whether a file with the same bytes before the offset is surely
    /// the same, even at another path: these are at least 64 bytes.
    pub fn is_proof(&self) -> bool {
        self.progress.is_proof()
    }

    /// Returns the checkpoint as one line of JSON, without a newline.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`ErrorKind::Io`](linetape::ErrorKind::Io)
    /// if the path is not Unicode and the platform is not Unix.
    pub fn to_json(&self) -> Result<String, Error> {
        let Progress { offset, line, size, head, tail } = self.progress;
        let id = self.id;
        let gone = self.gone.map(|gone| format!(",\"gone\":{gone}"));
        Ok(format!(
            "{{\"version\":{VERSION},{},\"device\":{},\
             \"inode\":{},\"offset\":{offset},\"line\":{line},\
             \"size\":{size},\"head\":{},\"tail\":{}{}}}",
            path_to_json(&self.path)?,
            id.0,
            id.1,
            head.to_json(),
            tail.to_json(),
            gone.unwrap_or_default(),
        ))
    }

    /// Reads a checkpoint from a line of JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not valid JSON. Returns an error of the
    /// kind [`ErrorKind::InvalidInput`](linetape::ErrorKind::InvalidInput) if
    /// it is not a checkpoint of a known version. The caller can then read the
    /// log from its start.
    pub fn parse(line: &[u8]) -> Result<Checkpoint, Error> {
        let mut decoder = Decoder::new();
        let record = decoder.decode(line)?;
        read(record.value())
            .ok_or_else(|| invalid("not a checkpoint of this version"))
    }
}

fn read(value: Value<'_>) -> Option<Checkpoint> {
    let object = value.as_object()?;
    let number = |name| object.get(name)?.as_u64();
    if number("version")? != VERSION {
        return None;
    }
    let progress = Progress {
        offset: number("offset")?,
        line: number("line")?,
        size: number("size")?,
        head: Fingerprint::read(object, "head")?,
        tail: Fingerprint::read(object, "tail")?,
    };
    // The lengths follow from the offset.
    let length = progress.offset.min(WINDOW as u64);
    if [progress.head.length, progress.tail.length] != [length; 2] {
        return None;
    }
    let id = (number("device")?, number("inode")?);
    let gone = match object.get("gone") {
        Some(_) => Some(number("gone")?),
        None => None,
    };
    Some(Checkpoint { path: read_path(object)?, id, progress, gone })
}

/// Returns the member with the path. A path that is not UTF-8 is written as
/// bytes, in hexadecimal digits.
fn path_to_json(path: &Path) -> Result<String, Error> {
    if let Some(path) = path.to_str() {
        return Ok(format!("\"path\":{}", Quoted(path)));
    }
    #[cfg(unix)]
    {
        use std::{fmt::Write, os::unix::ffi::OsStrExt};

        let mut digits = String::new();
        for byte in path.as_os_str().as_bytes() {
            // A string accepts everything.
            _ = write!(digits, "{byte:02x}");
        }
        Ok(format!("\"path_bytes\":\"{digits}\""))
    }
    #[cfg(not(unix))]
    Err(std::io::Error::other("the path of a checkpoint is not Unicode")
        .into())
}

fn read_path(object: Object<'_>) -> Option<PathBuf> {
    if let Some(path) = object.get("path") {
        return Some(path.as_str()?.into());
    }
    #[cfg(unix)]
    {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

        let digits = object.get("path_bytes")?.as_str()?;
        let byte = |pair: &[u8]| {
            let pair = str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        };
        let pairs = digits.as_bytes().chunks(2);
        let bytes = pairs.map(byte).collect::<Option<Vec<u8>>>()?;
        Some(Path::new(OsStr::from_bytes(&bytes)).to_path_buf())
    }
    #[cfg(not(unix))]
    None
}
