/*!
Finds duplicate `type` and `subtype` keys in the outermost object.

A duplicate is an error, so that a program which uses the first type and one
which uses the last cannot disagree. Each reader of JSON finds it in the cheapest
way:

| reader | keys that it sees | a duplicate |
|---|---|---|
| `check_members`, for `peek` | all, still escaped: [`Stated::see`] | is an error |
| [`pass`](crate::json::pass), for `kind`, `check` and `checked` | those of 4 or 7 bytes, still escaped | is left to `Text`, like any escaped key |
| `Kind::of`, for `decode` | all, unescaped: [`Stated::note`] | is an error |
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

    /// Returns the key in quotes.
    #[inline(always)]
    pub(crate) fn quoted(self) -> &'static [u8] {
        match self {
            StatedKey::Type => b"\"type\"",
            StatedKey::Subtype => b"\"subtype\"",
        }
    }
}

/// The keys that have been seen so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stated {
    name: bool,
    subtype: bool,
    /// The first duplicate key, and the offset of its second occurrence.
    pub(crate) second: Option<(StatedKey, usize)>,
}

impl Stated {
    /// Records the key `written`, which has no escapes if it is plain, at the
    /// offset `at`. Returns it if it is `type` or `subtype`.
    #[inline(always)]
    pub(crate) fn see(
        &mut self,
        written: &[u8],
        is_plain: bool,
        at: usize,
    ) -> Option<StatedKey> {
        let key = match written {
            b"type" => StatedKey::Type,
            b"subtype" => StatedKey::Subtype,
            _ if is_plain => return None,
            _ => escaped_key(written)?,
        };
        self.note(key, at);
        Some(key)
    }

    /// Records the key in quotes, without escapes, that `until` ends with.
    #[inline(always)]
    pub(crate) fn see_plain(&mut self, until: &[u8]) {
        for key in [StatedKey::Type, StatedKey::Subtype] {
            if until.ends_with(key.quoted()) {
                self.note(key, until.len() - key.quoted().len());
            }
        }
    }

    /// Records a key at the offset `at`.
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

/// Returns the key that is written with escapes, if it is one of the two.
#[cold]
fn escaped_key(written: &[u8]) -> Option<StatedKey> {
    [StatedKey::Type, StatedKey::Subtype]
        .into_iter()
        .find(|key| is_key(written, key.as_str()))
}
