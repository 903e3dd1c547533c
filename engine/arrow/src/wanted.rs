use linetape::{Block, Kind, Line, Message};
use linetape_session::Facts;
use memchr::{memchr, memmem::Finder};

/// Which rows are needed. Lines that have none of them are skipped as early as
/// possible; a row that is not needed may still be returned.
///
/// A row is needed if all conditions hold. A condition on a column whose value
/// is NULL does not hold, so no line that cannot be read is needed if there is
/// any condition but that on `nested`.
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
    /// The values of `block_type`.
    pub block_types: Option<Vec<String>>,
    /// Texts that are in a column whose values are copied from the line, such
    /// as `text`, `raw` and `uuid`. All of them are needed.
    pub phrases: Vec<String>,
    /// The earliest `timestamp`, in milliseconds since 1970.
    pub since: Option<i64>,
    /// The latest `timestamp`, in milliseconds since 1970.
    pub until: Option<i64>,
    /// Whether `nested` is NULL: only the rows of lines themselves are needed, and
    /// those of lines that cannot be read.
    pub without_nested: bool,
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

    /// Returns whether a block of this type is needed.
    pub(crate) fn has_block(&self, block: Block<'_>) -> bool {
        let Some(types) = &self.block_types else { return true };
        let name = block_type(block);
        name.is_some_and(|name| types.iter().any(|wanted| wanted == name))
    }

    /// Returns whether the message itself has a wanted time.
    pub(crate) fn has_time_of(&self, message: Message<'_>) -> bool {
        let Some(time) = Facts::of(message).time() else { return false };
        self.since.is_none_or(|since| time >= since)
            && self.until.is_none_or(|until| time <= until)
    }
}

/// Texts that a line must have. They are looked for before its JSON is read.
pub(crate) struct Needles {
    all: Vec<AnyOf>,
    /// The escapes that can write any character.
    escapes: [Finder<'static>; 2],
}

/// A line must have one of these.
struct AnyOf {
    finders: Vec<Finder<'static>>,
    /// Whether JSON has to write one of them with an escape.
    needs_escape: bool,
}

impl Needles {
    pub(crate) fn of(wanted: &Wanted) -> Needles {
        let mut all = vec![];
        if let Some(sessions) = &wanted.sessions {
            all.push(AnyOf::new(sessions.iter().map(String::as_str)));
        }
        if let Some(types) = &wanted.block_types
            // A text may be a block without a type.
            && !types.iter().any(|name| name == "text")
        {
            all.push(AnyOf::new(shortest(types)));
        }
        for phrase in &wanted.phrases {
            let part = plain_part(phrase);
            if !part.is_empty() {
                all.push(AnyOf::new(std::iter::once(part)));
            }
        }
        Needles { all, escapes: [r"\u", r"\/"].map(Finder::new) }
    }

    /// Returns whether the line may have what is wanted, without reading its
    /// JSON.
    pub(crate) fn may_be_in(&self, line: &Line<'_>) -> bool {
        let bytes = line.as_bytes();
        let mut hides = None;
        self.all.iter().all(|any| {
            let mut finders = any.finders.iter();
            finders.any(|finder| finder.find(bytes).is_some())
                // An escape can write any character in another way.
                || (any.needs_escape && memchr(b'\\', bytes).is_some())
                || *hides.get_or_insert_with(|| self.may_hide(bytes))
        })
    }
}

impl Needles {
    /// Returns whether an escape in the bytes may be that of a character that
    /// need not be escaped. The others are the most common ones by far: a
    /// newline, a quote, a backslash.
    fn may_hide(&self, bytes: &[u8]) -> bool {
        self.escapes.iter().any(|escape| escape.find(bytes).is_some())
    }
}

impl AnyOf {
    fn new<'t>(texts: impl Iterator<Item = &'t str>) -> AnyOf {
        let mut any = AnyOf { finders: vec![], needs_escape: false };
        for text in texts {
            any.needs_escape |= text.bytes().any(is_escaped);
            any.finders.push(Finder::new(text).into_owned());
        }
        any
    }
}

/// Returns whether JSON has to write a character with an escape.
fn is_escaped(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | ..b' ')
}

/// Returns the texts that contain no other one: a line that has any of them has
/// one of these.
fn shortest(texts: &[String]) -> impl Iterator<Item = &str> {
    let has_other = |text: &String| {
        texts.iter().any(|other| other != text && text.contains(other))
    };
    texts.iter().filter(move |text| !has_other(text)).map(String::as_str)
}

/// Returns the longest part of a text that JSON writes without an escape, and
/// that does not stand for bytes which are not UTF-8.
fn plain_part(text: &str) -> &str {
    let is_cut = |c: char| {
        c == char::REPLACEMENT_CHARACTER
            || u8::try_from(c).is_ok_and(is_escaped)
    };
    text.split(is_cut).max_by_key(|part| part.len()).unwrap_or_default()
}

/// Returns the type of a block, which is the column `block_type`.
pub(crate) fn block_type(block: Block<'_>) -> Option<&str> {
    match block.value() {
        text if text.is_string() => Some("text"),
        block => block.get("type")?.as_str(),
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut gap = "";
        let lists = [
            ("type", &self.types),
            ("kind", &self.kinds),
            ("session_id", &self.sessions),
            ("block_type", &self.block_types),
        ];
        for (name, values) in lists {
            if let Some(values) = values {
                write!(f, "{gap}{name} IN ({})", values.join(", "))?;
                gap = " AND ";
            }
        }
        for phrase in &self.phrases {
            write!(f, "{gap}contains {phrase:?}")?;
            gap = " AND ";
        }
        let times = [(">=", self.since), ("<=", self.until)];
        for (sign, time) in times {
            if let Some(time) = time {
                write!(f, "{gap}timestamp {sign} {time}")?;
                gap = " AND ";
            }
        }
        if self.without_nested {
            write!(f, "{gap}nested IS NULL")?;
        }
        Ok(())
    }
}
