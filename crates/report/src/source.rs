/*!
What a page was made from, as it is written in the page.
*/

use std::{
    fmt,
    hash::{DefaultHasher, Hasher},
    io::{self, Read},
};

use hmac_sha256::Hash;

use crate::frame::hexadecimal;

/// The source of a page is within this many bytes of its start.
const HEAD: u64 = 2 << 10;

/// Returns the [source](crate::Options::source) of a page that was written
/// before. `None` if it is not such a page.
///
/// # Errors
///
/// Returns the error of the input.
///
/// # Example
///
/// See [`page_name`].
pub fn source_of(page: impl Read) -> io::Result<Option<String>> {
    let mut head = vec![];
    page.take(HEAD).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    let begin = "<meta name=\"linetape-source\" content=\"";
    let source = head.split_once(begin);
    let source = source.and_then(|(_, rest)| rest.split_once('"'));
    Ok(source.map(|(source, _)| source.to_string()))
}

/// Returns the file name of a session's page. It is made from a hash of the
/// key, so nothing of a log is in it.
///
/// # Example
///
/// This shows that a name is safe whatever the session is called.
///
/// ```
/// use linetape_report::{page_name, source_of};
///
/// let name = page_name("../../etc/passwd");
/// assert_eq!(name, "session-3754d6cb3a38e118.html");
/// assert_eq!(source_of(&b"<html>"[..])?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn page_name(key: &str) -> String {
    let hash = hexadecimal(Hash::hash(key.as_bytes()));
    format!("session-{}.html", hash.get(..16).unwrap_or_default())
}

/// The size and the hash of what a page is made from.
///
/// # Example
///
/// This shows that it depends on the bytes alone, however they are read.
///
/// ```
/// use linetape_report::Fingerprint;
///
/// let (mut one, mut two) = (Fingerprint::new(), Fingerprint::new());
/// one.add(b"tape");
/// two.add(b"ta");
/// two.add(b"pe");
/// assert_eq!(one.to_string(), two.to_string());
/// assert!(one.to_string().starts_with("4 "));
/// ```
#[derive(Clone, Default)]
pub struct Fingerprint {
    bytes: u64,
    /// It shows that a log has changed, and need not withstand an attack.
    hash: DefaultHasher,
}

impl Fingerprint {
    /// Creates the fingerprint of nothing.
    pub fn new() -> Fingerprint {
        Fingerprint::default()
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.write(bytes);
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:016x}", self.bytes, self.hash.finish())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}
