use crate::{
    json::pass::{Checks, Policy},
    scan::{Nest, skip_whitespace},
};

/// The masks of a block that depend on its brackets.
#[derive(Clone, Copy)]
pub(crate) struct Levels {
    /// The outermost object with its contents.
    pub(crate) within: u64,
    /// The bytes whose grammar is checked. If that is only the outermost
    /// object: its bytes, with the brackets of nested values but not their
    /// contents.
    pub(crate) scope: u64,
    /// Bytes whose innermost container is an array.
    pub(crate) arrays: u64,
    /// Bytes whose innermost container is the outermost object.
    pub(crate) outermost: u64,
    /// Brackets that open the objects and arrays whose contents are checked.
    pub(crate) objects: u64,
    pub(crate) opened_arrays: u64,
    /// Brackets that open a value in a container whose contents are checked.
    pub(crate) opening: u64,
    /// Brackets that close such a value.
    pub(crate) closing: u64,
    /// The bracket that closes the outermost object.
    pub(crate) end: u64,
}

impl Levels {
    /// Creates the masks of a block without brackets.
    #[inline(always)]
    pub(crate) fn new(checks: Checks, nest: &Nest) -> Levels {
        let all = |yes: bool| if yes { !0 } else { 0 };
        let outermost = all(nest.depth() == 1);
        Levels {
            within: !0,
            scope: if checks == Checks::All { !0 } else { outermost },
            arrays: match checks {
                Checks::All => all(nest.in_array()),
                _ => 0,
            },
            outermost,
            objects: 0,
            opened_arrays: 0,
            opening: 0,
            closing: 0,
            end: 0,
        }
    }

    /// Follows the brackets of the block at `start`, up to the end of the
    /// outermost object. `quotes` are the quotes of the block. `None` if a
    /// bracket does not match, or if the nesting is too deep.
    #[inline(always)]
    pub(crate) fn follow<P: Policy>(
        &mut self,
        mut brackets: u64,
        text: &[u8],
        start: usize,
        (max_depth, quotes): (usize, u64),
        nest: &mut Nest,
        policy: &mut P,
    ) -> Option<()> {
        while brackets != 0 {
            let bit = brackets & brackets.wrapping_neg();
            let at = start + brackets.trailing_zeros() as usize;
            brackets ^= bit;
            let below = bit - 1;
            match *text.get(at)? {
                byte @ (b'{' | b'[') => {
                    match P::CHECKS {
                        Checks::Brackets => nest.descend(max_depth)?,
                        _ => nest.open(byte, max_depth)?,
                    }
                    policy.open(at);
                    self.open::<P>(byte, bit, nest.depth());
                    if nest.depth() == 1 {
                        // Only whitespace may precede the object.
                        let is_wanted =
                            P::CHECKS == Checks::Brackets || byte == b'{';
                        if !is_wanted || skip_whitespace(text, 0) != at {
                            return None;
                        }
                        self.within = !below;
                    }
                }
                byte => {
                    match P::CHECKS {
                        Checks::Brackets if !policy.matches(text, byte) => {
                            return None;
                        }
                        Checks::Brackets => nest.ascend()?,
                        _ => nest.close(byte)?,
                    }
                    policy.close(at, quotes & below);
                    if nest.depth() == 0 {
                        self.end = bit;
                        self.within &= bit | below;
                        self.scope &= bit | below;
                        return Some(());
                    }
                    self.close::<P>(bit, nest.depth());
                }
            }
            if P::CHECKS == Checks::All {
                let after = !(bit | below);
                let set = |mask: u64, yes: bool| match yes {
                    true => mask | after,
                    false => mask & !after,
                };
                self.arrays = set(self.arrays, nest.in_array());
                self.outermost = set(self.outermost, nest.depth() == 1);
            }
        }
        Some(())
    }

    /// Sets the masks for an opening bracket, after which the depth is `depth`.
    #[inline(always)]
    fn open<P: Policy>(&mut self, byte: u8, bit: u64, depth: usize) {
        let below = bit - 1;
        match (P::CHECKS, depth) {
            (Checks::Brackets, _) => {}
            (Checks::All, _) => {
                match byte {
                    b'{' => self.objects |= bit,
                    _ => self.opened_arrays |= bit,
                }
                match depth {
                    1 => self.scope = !below,
                    _ => self.opening |= bit,
                }
            }
            (Checks::Outermost, 1) => {
                self.objects = bit;
                self.scope = !below;
                self.outermost = !below;
            }
            (Checks::Outermost, 2) => {
                self.opening |= bit;
                self.scope &= bit | below;
                self.outermost = self.scope;
            }
            (Checks::Outermost, _) => {}
        }
    }

    /// Sets the masks for a closing bracket, after which the depth is `depth`.
    #[inline(always)]
    fn close<P: Policy>(&mut self, bit: u64, depth: usize) {
        match (P::CHECKS, depth) {
            (Checks::All, _) => self.closing |= bit,
            (Checks::Outermost, 1) => {
                self.closing |= bit;
                self.scope |= !(bit - 1);
                self.outermost = self.scope;
            }
            _ => {}
        }
    }
}
