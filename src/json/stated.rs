/*!
A second `type` or `subtype` in the outermost object is an error: whoever routes
by the first and whoever routes by the last must not disagree. Every reader of
JSON finds it, each in the way that costs it least:

| reader | sees keys | a second one |
|---|---|---|
| [`Text`](crate::json::Text), for `peek` | as written, all of them: [`Stated::see`] | is an error, at its place |
| [`check`](crate::json::check) | as written, of 4 or 7 bytes: [`Stated::see_plain`] | is left to `Text`, as is any key with an escape |
| [`route`](crate::json::route) | as written, of 4 or 7 bytes | is left to `Text`, as is any key with an escape |
| `Kind::of`, for `decode` | unescaped, all of them: [`Stated::note`] | is an error, at its place |
*/

use crate::scan::is_key;

/// A key that must not occur twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatedKey {
    Type,
    Subtype,
}

impl StatedKey {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            StatedKey::Type => "type",
            StatedKey::Subtype => "subtype",
        }
    }

    /// The key in its quotes, without escapes.
    #[inline(always)]
    pub(crate) fn quoted(self) -> &'static [u8] {
        match self {
            StatedKey::Type => b"\"type\"",
            StatedKey::Subtype => b"\"subtype\"",
        }
    }
}

/// Which of the keys that must not occur twice have been seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stated {
    name: bool,
    subtype: bool,
    /// The first key that was seen twice, and where the second one is.
    pub(crate) second: Option<(StatedKey, usize)>,
}

impl Stated {
    /// Looks at a key as it is written, and says whether it is one of them.
    #[inline(always)]
    pub(crate) fn see(&mut self, written: &[u8], at: usize) -> bool {
        // The first byte settles nearly all.
        match written.first() {
            Some(b't' | b's' | b'\\') => self.look(written, at),
            _ => false,
        }
    }

    fn look(&mut self, written: &[u8], at: usize) -> bool {
        for key in [StatedKey::Type, StatedKey::Subtype] {
            if is_key(written, key.as_str()) {
                self.note(key, at);
                return true;
            }
        }
        false
    }

    /// Looks at a key without escapes, with which `until` ends. It has its
    /// quotes.
    #[inline(always)]
    pub(crate) fn see_plain(&mut self, until: &[u8]) {
        for key in [StatedKey::Type, StatedKey::Subtype] {
            if until.ends_with(key.quoted()) {
                self.note(key, until.len() - key.quoted().len());
            }
        }
    }

    /// Notes a key that is at `at`.
    #[inline(always)]
    pub(crate) fn note(&mut self, key: StatedKey, at: usize) {
        let seen = match key {
            StatedKey::Type => &mut self.name,
            StatedKey::Subtype => &mut self.subtype,
        };
        if *seen && self.second.is_none() {
            self.second = Some((key, at));
        }
        *seen = true;
    }
}
