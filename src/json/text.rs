/*!
The text of a line, or of one value in it, with its index.
*/

use std::ops::Range;

use crate::{
    json::{
        Cursor, Extent, Index, IndexRef, Member, Source, Span, State, Stated,
        StatedKey, pass,
        skim::LEADING_TYPE,
        walk::{END, Indexed, Walk, top},
    },
    scan::{
        as_utf8, escape, escape_lossy, is_well_written, part, skip_whitespace,
    },
};

/// The value of the type in a line that begins with [`LEADING_TYPE`].
const LEADING_VALUE: Cursor =
    Cursor { at: LEADING_TYPE.len() - 1, quote: 2, container: 1 };

/// A line, or one container of it, with its index.
pub(crate) struct Text<'a> {
    /// The text that is indexed.
    pub(crate) line: &'a str,
    /// The offset of the text in its line.
    pub(crate) base: usize,
    /// Whether the text is the whole line.
    pub(crate) is_whole: bool,
    pub(crate) source: Source<'a>,
    pub(crate) index: IndexRef<'a>,
}

/// A fault of the index or of the outermost object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TopFault {
    /// A grammar error. `fault::explain` returns the diagnostic.
    Grammar,
    /// A duplicate `type` or `subtype`, and the offset of the second one.
    Duplicate(&'static str, usize),
    /// Any other duplicate key, at this offset, in a reader that refuses them.
    Repeated(usize),
}

impl<'a> Text<'a> {
    /// Returns a line, which is UTF-8, with its index.
    pub(crate) fn of_line(
        line: &'a str,
        index: &'a Index,
        source: Source<'a>,
    ) -> &'a Text<'a> {
        let (base, is_whole, index) = (0, true, index.view());
        // Made in place: a copy right after the stores of its parts would stall.
        let text = || Text { line, base, is_whole, source, index };
        source.state.arena().alloc_with(text)
    }

    /// Returns one value of a line, with an index of its own. `None` if it is
    /// a container that is not balanced, or not UTF-8.
    pub(crate) fn of_value(
        source: Source<'a>,
        span: Span,
    ) -> Option<&'a Text<'a>> {
        let Range { start: base, end } = span.range();
        let bytes = source.bytes.get(base..end)?;
        let is_whole = false;
        let arena = source.state.arena();
        let (line, index) = match bytes {
            [b'{' | b'[', ..] => {
                source.state.indexes().with_scratch(|index| {
                    let State { scanner, depth, .. } = *source.state;
                    let text = Extent::whole(bytes);
                    let line = pass::index(scanner, text, depth, index)?;
                    Some((line, index.view().copied(arena)))
                })?
            }
            [b'"', inner @ .., _] => {
                let close = inner.len() as u32 + 1;
                let is_plain = |plain, byte: &u8| plain & is_plain(*byte);
                let escaped = match inner.iter().fold(true, is_plain) {
                    true => &[0],
                    false => &[1],
                };
                let quotes = arena.alloc([0, close]);
                let index = IndexRef { quotes, escaped, ..IndexRef::EMPTY };
                (as_utf8(bytes)?, index)
            }
            _ => (as_utf8(bytes)?, IndexRef::EMPTY),
        };
        let text = || Text { line, base, is_whole, source, index };
        Some(arena.alloc_with(text))
    }

    /// Returns the start of the outermost value.
    pub(crate) fn top(&self) -> Cursor {
        top(self.line.as_bytes())
    }

    /// Returns the members of the outermost object of a line, if the index has
    /// them or can note them.
    #[inline(always)]
    pub(crate) fn top_members(&self) -> Option<&'a [Member]> {
        self.index.members(|members| {
            let walk = self.walk();
            let mut rest = walk.inside(self.top());
            while let Some(member) = walk.next_member(&mut rest) {
                members.push(member);
            }
        })
    }

    /// Returns the value of the member `type` of a line whose outermost object
    /// has been checked.
    #[inline]
    pub(crate) fn name(&self) -> Option<Cursor> {
        let index = self.index.in_place?;
        debug_assert!(index.name.get().is_some(), "it was not checked");
        // Not loaded: it may have just been stored.
        if self.line.as_bytes().starts_with(LEADING_TYPE) {
            return Some(LEADING_VALUE);
        }
        match index.name.get()? {
            Ok(name) => *name,
            Err(_) => None,
        }
    }

    /// Returns the same, or the fault of the outermost object. `check` checks
    /// it, unless that has been done.
    pub(crate) fn name_or_init(
        &self,
        check: impl FnOnce(&Index) -> Result<Option<Cursor>, TopFault>,
    ) -> Result<Option<Cursor>, TopFault> {
        match self.index.in_place {
            Some(index) => *index.name.get_or_init(|| check(index)),
            None => Ok(None),
        }
    }
}

impl Indexed for Text<'_> {
    #[inline(always)]
    fn walk(&self) -> Walk<'_> {
        walk_of(self.line.as_bytes(), self.index)
    }

    #[inline(always)]
    fn is_escaped(&self, string: usize) -> bool {
        self.index.is_escaped(string)
    }
}

/// Checks the members of the outermost object, and that nothing follows it.
/// Notes the members in the index. Returns the value of the member `type`.
///
/// # Errors
///
/// Returns the fault of the outermost object, if there is one. Nested values
/// are not checked.
pub(crate) fn check_members(
    bytes: &[u8],
    index: &Index,
) -> Result<Option<Cursor>, TopFault> {
    let (mut seen, mut name) = (Stated::default(), None);
    let mut well_written = true;
    let index = index.view();
    let walk = walk_of(bytes, index);
    let top = top(bytes);
    let mut rest = walk.inside(top);
    let mut are_noted = false;
    index.members(|members| {
        are_noted = true;
        while let Some(member) = walk.next_member(&mut rest) {
            let string = member.value.quote / 2;
            let (start, end) = member.key;
            let key = part(bytes, start..end);
            let is_plain = !index.is_escaped(string.saturating_sub(1));
            // A key with a lone surrogate is no `type`, and the others can
            // be read.
            well_written &= is_plain || is_well_written(key, escape_lossy);
            if let Some(key) = seen.see(key, is_plain, start - 1) {
                if key == StatedKey::Type {
                    name = Some(member.value);
                }
                // The type must be readable: check its escapes too.
                let value = walk.string(member.value);
                well_written &= !index.is_escaped(string)
                    || value.is_none_or(|(start, end)| {
                        is_well_written(part(bytes, start..end), escape)
                    });
            }
            members.push(member);
        }
    });
    debug_assert!(are_noted, "the members were noted without a check");
    // If the walk ended before the closing bracket, there is a fault.
    let outer = index.containers.first();
    let close = outer.map_or(END, |outer| outer.close as usize);
    let after = skip_whitespace(bytes, close.saturating_add(1));
    let object = bytes.get(top.at) == Some(&b'{');
    match seen.second {
        _ if !object || rest.at != close || after != bytes.len() => {
            Err(TopFault::Grammar)
        }
        _ if !well_written => Err(TopFault::Grammar),
        Some((key, at)) => Err(TopFault::Duplicate(key.as_str(), at)),
        None => Ok(name),
    }
}

#[inline(always)]
fn walk_of<'t>(bytes: &'t [u8], index: IndexRef<'t>) -> Walk<'t> {
    let IndexRef { quotes, containers, .. } = index;
    Walk { bytes, quotes, containers }
}

/// Returns whether a byte of a string stands for itself.
#[inline(always)]
fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'\\'
}
