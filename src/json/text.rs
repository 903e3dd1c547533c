/*!
The text of a line, or of one value in it, with its index.
*/

use crate::{
    json::{
        Cursor, Index, IndexRef, Member, Source, Stated, StatedKey,
        check_and_index,
        skim::LEADING_TYPE,
        walk::{END, Walk, top},
    },
    scan::{
        MaybeUtf8, escape, escape_lossy, is_well_written, part,
        skip_whitespace,
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
    pub(crate) source: &'a Source<'a>,
    index: IndexRef<'a>,
    /// The value of the member `type` of a line.
    name: Option<Cursor>,
}

/// A fault of the index or of the outermost object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TopFault {
    /// A grammar error. `fault::explain` returns the diagnostic.
    Grammar,
    /// A duplicate key, and the offset of the second one.
    Duplicate(&'static str, usize),
}

impl<'a> Text<'a> {
    /// Indexes a line and checks its UTF-8 and the members of its outermost
    /// object.
    ///
    /// # Errors
    ///
    /// Returns the fault of the index or of the outermost object, if there is
    /// one. Nested values are not checked.
    pub(crate) fn new(
        source: &'a Source<'a>,
    ) -> Result<&'a Text<'a>, TopFault> {
        Text::of_line(source, |index| {
            let (scanner, bytes) = (source.scanner, source.bytes);
            let filled = index.fill(scanner, bytes, source.depth()).ok();
            let line = filled.and_then(MaybeUtf8::validated);
            let line = line.ok_or(TopFault::Grammar)?;
            Ok((line, check_members(bytes, index)?))
        })
    }

    /// Does the same with the index that was built ahead for this line, whose
    /// UTF-8 has been validated. `None` if there is no such index. The members
    /// of a line that has been checked, and begins with its type, are not noted
    /// until one of them is looked up.
    pub(crate) fn built_ahead(
        source: &'a Source<'a>,
        line: &'a str,
    ) -> Option<Result<&'a Text<'a>, TopFault>> {
        debug_assert_eq!(line.as_bytes(), source.bytes);
        let built = source.indexes.built_ahead(|index| {
            let bytes = source.bytes;
            let name = match source.is_known_good() {
                true if bytes.starts_with(LEADING_TYPE) => Some(LEADING_VALUE),
                _ => check_members(bytes, index)?,
            };
            Ok((line, name))
        })?;
        Some(built.map(|built| Text::in_arena(source, built)))
    }

    /// Indexes a line, and checks all of it in the same pass.
    ///
    /// If the line begins with its type, and no key of it has escapes, its
    /// members are not noted until one of them is looked up.
    ///
    /// # Errors
    ///
    /// Returns the fault of the line, if there is one.
    pub(crate) fn checked(
        source: &'a Source<'a>,
    ) -> Result<&'a Text<'a>, TopFault> {
        Text::of_line(source, |index| {
            let (scanner, bytes) = (source.scanner, source.bytes);
            let checked =
                check_and_index(bytes, source.depth(), scanner, index);
            let (line, is_doubtful) = checked.ok_or(TopFault::Grammar)?;
            let name = match bytes.starts_with(LEADING_TYPE) && !is_doubtful {
                true => Some(LEADING_VALUE),
                // Also finds out whether a key is a duplicate.
                false => check_members(bytes, index)?,
            };
            Ok((line, name))
        })
    }

    /// `fill` indexes a line, and returns it and the value of its member
    /// `type`.
    fn of_line(
        source: &'a Source<'a>,
        fill: impl FnOnce(
            &mut Index,
        ) -> Result<(&'a str, Option<Cursor>), TopFault>,
    ) -> Result<&'a Text<'a>, TopFault> {
        let built = source.indexes.of_line(source.arena, fill)?;
        Ok(Text::in_arena(source, built))
    }

    /// Stores a line with the value of its member `type` and its index.
    fn in_arena(
        source: &'a Source<'a>,
        ((line, name), index): ((&'a str, Option<Cursor>), IndexRef<'a>),
    ) -> &'a Text<'a> {
        let (base, is_whole) = (0, true);
        let text = Text { line, base, is_whole, source, index, name };
        source.arena.alloc(text)
    }

    /// Indexes one container of a line, which begins at the offset `base`.
    /// `None` if it is not balanced, or not UTF-8.
    pub(crate) fn of_container(
        bytes: &'a [u8],
        base: usize,
        source: &'a Source<'a>,
    ) -> Option<&'a Text<'a>> {
        let arena = source.arena;
        let built = source.indexes.copied(arena, |index| {
            let filled = index.fill(source.scanner, bytes, source.depth());
            filled.ok().and_then(MaybeUtf8::validated).ok_or(())
        });
        let (line, index) = built.ok()?;
        let (is_whole, name) = (false, None);
        Some(arena.alloc(Text { line, base, is_whole, source, index, name }))
    }

    /// Returns the start of the outermost value.
    pub(crate) fn top(&self) -> Cursor {
        top(self.line.as_bytes())
    }

    /// Returns the text with its index, to walk through it.
    #[inline(always)]
    pub(crate) fn walk(&self) -> Walk<'a> {
        walk_of(self.line.as_bytes(), self.index)
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

    /// Returns the value of the member `type` of a line.
    pub(crate) fn name(&self) -> Option<Cursor> {
        self.name
    }

    /// Returns a member's key without its quotes, still escaped.
    #[inline(always)]
    pub(crate) fn key(&self, member: &Member) -> &'a [u8] {
        let (start, end) = member.key;
        let bytes = self.line.as_bytes();
        part(bytes, start..end)
    }

    /// Returns whether a member's key contains an escape or a control
    /// character.
    #[inline(always)]
    pub(crate) fn has_escaped_key(&self, member: &Member) -> bool {
        // The string before the value.
        self.needs_unescape((member.value.quote / 2).saturating_sub(1))
    }

    /// Returns whether the string with the given index contains an escape or
    /// a control character, so that it cannot be borrowed from the line.
    #[inline(always)]
    pub(crate) fn needs_unescape(&self, string: usize) -> bool {
        self.index.is_escaped(string)
    }
}

/// Checks the members of the outermost object, and that nothing follows it.
/// Notes the members in the index. Returns the value of the member `type`.
pub(crate) fn check_members(
    bytes: &[u8],
    index: &mut Index,
) -> Result<Option<Cursor>, TopFault> {
    index.note_members(|index, members| {
        let walk = walk_of(bytes, index);
        let top = top(bytes);
        let (mut seen, mut name) = (Stated::default(), None);
        let mut well_written = true;
        let mut rest = walk.inside(top);
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
    })
}

#[inline(always)]
fn walk_of<'t>(bytes: &'t [u8], index: IndexRef<'t>) -> Walk<'t> {
    let IndexRef { quotes, containers, .. } = index;
    Walk { bytes, quotes, containers }
}
