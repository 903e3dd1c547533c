/*!
The text of a line, or of one value in it, with its index.
*/

use crate::{
    json::{
        Container, Cursor, Index, Member, Source, Stated, check_and_index,
        walk::{END, Walk, top},
    },
    scan::{is_well_written, part, skip_whitespace},
};

/// A line, or one container of it, with its index.
pub(crate) struct Text<'a> {
    /// The text that is indexed.
    pub(crate) line: &'a str,
    /// The offset of the text in its line.
    pub(crate) base: usize,
    /// Whether the text is the whole line.
    pub(crate) is_whole: bool,
    pub(crate) source: &'a Source<'a>,
    quotes: &'a [u32],
    /// A bit for each string: whether it contains an escape or a control
    /// character.
    escaped: &'a [u64],
    containers: &'a [Container],
    /// The members of the outermost object, for faster look-ups.
    members: &'a [Member],
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
    /// The index is stored in the arena, together with the returned `Text`.
    ///
    /// # Errors
    ///
    /// Returns the fault of the index or of the outermost object, if there is
    /// one. Nested values are not checked.
    pub(crate) fn new(
        source: &'a Source<'a>,
    ) -> Result<&'a Text<'a>, TopFault> {
        Text::make(source, None, |index| {
            let (scanner, bytes) = (source.scanner, source.bytes);
            index.fill(scanner, bytes, source.depth()).ok()?.validated()
        })
    }

    /// Indexes a line, and checks all of it in the same pass.
    ///
    /// # Errors
    ///
    /// Returns the fault of the line, if there is one.
    pub(crate) fn checked(
        source: &'a Source<'a>,
    ) -> Result<&'a Text<'a>, TopFault> {
        Text::make(source, None, |index| {
            let (scanner, bytes) = (source.scanner, source.bytes);
            // Whether a key is a duplicate is found with the members.
            let (line, _) =
                check_and_index(bytes, source.depth(), scanner, index)?;
            Some(line)
        })
    }

    /// Indexes one container of a line, which begins at the offset `base`.
    /// `None` if it is not balanced, or not UTF-8.
    pub(crate) fn of_container(
        bytes: &'a [u8],
        base: usize,
        source: &'a Source<'a>,
    ) -> Option<&'a Text<'a>> {
        let fill = |index: &mut Index| {
            let depth = source.depth();
            index.fill(source.scanner, bytes, depth).ok()?.validated()
        };
        Text::make(source, Some(base), fill).ok()
    }

    /// `fill` indexes a text and returns it. `base` is its offset, if it is
    /// not the whole line.
    fn make(
        source: &'a Source<'a>,
        base: Option<usize>,
        fill: impl FnOnce(&mut Index) -> Option<&'a str>,
    ) -> Result<&'a Text<'a>, TopFault> {
        let mut index = source.scratch.take();
        let noted = match fill(&mut index) {
            Some(line) if base.is_some() => Ok(line),
            Some(line) => {
                note_members(line.as_bytes(), &mut index).map(|()| line)
            }
            None => Err(TopFault::Grammar),
        };
        let arena = source.arena;
        let text = noted.map(|line| {
            &*arena.alloc(Text {
                line,
                base: base.unwrap_or(0),
                is_whole: base.is_none(),
                source,
                quotes: arena.alloc_slice_copy(index.quotes()),
                escaped: arena.alloc_slice_copy(index.escaped()),
                containers: arena.alloc_slice_copy(index.containers()),
                members: arena.alloc_slice_copy(&index.members),
            })
        });
        source.scratch.set(index);
        text
    }

    /// Returns the start of the outermost value.
    pub(crate) fn top(&self) -> Cursor {
        top(self.line.as_bytes())
    }

    /// Returns the text with its index, to walk through it.
    #[inline(always)]
    pub(crate) fn walk(&self) -> Walk<'a> {
        Walk {
            bytes: self.line.as_bytes(),
            quotes: self.quotes,
            containers: self.containers,
        }
    }

    /// Returns the members of the outermost object.
    #[inline(always)]
    pub(crate) fn top_members(&self) -> &'a [Member] {
        self.members
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
        is_escaped(self.escaped, string)
    }
}

/// Checks the members of the outermost object, and that nothing follows it.
/// Adds the members to the index.
pub(crate) fn note_members(
    bytes: &[u8],
    index: &mut Index,
) -> Result<(), TopFault> {
    let mut members = std::mem::take(&mut index.members);
    let (quotes, containers) = (index.quotes(), index.containers());
    let escaped = index.escaped();
    let walk = Walk { bytes, quotes, containers };
    let top = top(bytes);
    let mut seen = Stated::default();
    let mut well_written = true;
    let mut rest = walk.inside(top);
    while let Some(member) = walk.next_member(&mut rest) {
        let string = member.value.quote / 2;
        let (start, end) = member.key;
        let key = part(bytes, start..end);
        let is_plain = !is_escaped(escaped, string.saturating_sub(1));
        well_written &= is_plain || is_well_written(key);
        if seen.see(key, is_plain, start - 1) {
            // The type must be readable: check its escapes too.
            let value = walk.string(member.value);
            well_written &= !is_escaped(escaped, string)
                || value.is_none_or(|(start, end)| {
                    is_well_written(part(bytes, start..end))
                });
        }
        members.push(member);
    }
    index.members = members;
    // If the walk ended before the closing bracket, there is a fault.
    let containers = index.containers();
    let close = containers.first().map_or(END, |outer| outer.close as usize);
    let after = skip_whitespace(bytes, close.saturating_add(1));
    let object = bytes.get(top.at) == Some(&b'{');
    match seen.second {
        _ if !object || rest.at != close || after != bytes.len() => {
            Err(TopFault::Grammar)
        }
        _ if !well_written => Err(TopFault::Grammar),
        Some((key, at)) => Err(TopFault::Duplicate(key.as_str(), at)),
        None => Ok(()),
    }
}

/// Returns whether the bit of a string is set.
#[inline(always)]
fn is_escaped(escaped: &[u64], string: usize) -> bool {
    let bits = escaped.get(string / 64).copied().unwrap_or(!0);
    bits >> (string % 64) & 1 == 1
}
