use linetape::{Kind, Line, Message};
use linetape_session::Facts;
use memchr::{memchr, memmem};

/// Which rows are needed. Lines that have none of them are skipped as early as
/// possible; a row that is not needed may still be returned.
///
/// A row is needed if all conditions hold. A condition on a column whose value
/// is NULL does not hold, so no line that cannot be read is needed if there is
/// any condition.
///
/// # Example
///
/// This shows how to read the lines of one session. Others are skipped without
/// being indexed.
///
/// ```
/// use linetape_arrow::Wanted;
///
/// let sessions = Some(vec!["s1".to_string()]);
/// let wanted = Wanted { sessions, ..Wanted::default() };
/// assert_eq!(wanted.to_string(), "session_id IN (s1)");
/// assert!(Wanted::default().to_string().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The values of `type`.
    pub types: Option<Vec<String>>,
    /// The values of `kind`, such as `system/init`.
    pub kinds: Option<Vec<String>>,
    /// The values of `session_id`.
    pub sessions: Option<Vec<String>>,
    /// The earliest `timestamp`, in milliseconds since 1970.
    pub since: Option<i64>,
    /// The latest `timestamp`, in milliseconds since 1970.
    pub until: Option<i64>,
}

impl Wanted {
    /// Returns whether there is a condition on the kind of a line.
    pub(crate) fn has_kinds(&self) -> bool {
        self.types.is_some() || self.kinds.is_some()
    }

    pub(crate) fn has_time(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// Returns whether a row of a line with this kind may be needed.
    pub(crate) fn has_kind(&self, kind: Kind<'_>) -> bool {
        let type_is = |name: &String| kind.name() == Some(name);
        let kind_is = |text: &String| {
            // `kind` is the type alone if there is no subtype.
            kind.matches(text)
                && (text.contains('/') || kind.subtype().is_none())
        };
        let types = self.types.as_ref();
        let kinds = self.kinds.as_ref();
        types.is_none_or(|types| types.iter().any(type_is))
            && kinds.is_none_or(|kinds| kinds.iter().any(kind_is))
    }

    /// Returns whether the line may be of a wanted session, without reading
    /// its JSON.
    pub(crate) fn may_have_session(&self, line: &Line<'_>) -> bool {
        let Some(sessions) = &self.sessions else { return true };
        let bytes = line.as_bytes();
        let found = |id: &String| memmem::find(bytes, id.as_bytes()).is_some();
        if sessions.iter().any(found) {
            return true;
        }
        // An escape can write any character in another way.
        let Some(at) = memchr(b'\\', bytes) else { return false };
        sessions.iter().any(|id| needs_escape(id))
            || bytes.get(at..).is_some_and(may_hide)
    }

    /// Returns whether the message itself has a wanted time.
    pub(crate) fn has_time_of(&self, message: Message<'_>) -> bool {
        let Some(time) = Facts::of(message).time() else { return false };
        self.since.is_none_or(|since| time >= since)
            && self.until.is_none_or(|until| time <= until)
    }
}

/// Returns whether JSON has to write an id with an escape.
fn needs_escape(id: &str) -> bool {
    id.bytes().any(|byte| matches!(byte, b'"' | b'\\' | ..b' '))
}

/// Returns whether an escape in the bytes may be that of a character that need
/// not be escaped. The others are the most common ones by far.
fn may_hide(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = memchr(b'\\', rest) {
        match rest.get(at + 1) {
            Some(b'n' | b't' | b'r' | b'b' | b'f') => {}
            Some(b'"' | b'\\') => {}
            _ => return true,
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    false
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut gap = "";
        let lists = [
            ("type", &self.types),
            ("kind", &self.kinds),
            ("session_id", &self.sessions),
        ];
        for (name, values) in lists {
            if let Some(values) = values {
                write!(f, "{gap}{name} IN ({})", values.join(", "))?;
                gap = " AND ";
            }
        }
        let times = [(">=", self.since), ("<=", self.until)];
        for (sign, time) in times {
            if let Some(time) = time {
                write!(f, "{gap}timestamp {sign} {time}")?;
                gap = " AND ";
            }
        }
        Ok(())
    }
}
