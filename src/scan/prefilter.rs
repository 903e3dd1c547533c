use crate::scan::{BLOCK, Job, Scanner, Simd, part};

/// The number of consecutive bytes that a [`Prefilter`] looks at.
const WINDOW: usize = 4;

/// The number of buckets that one lookup tests: one for each bit of a byte.
const GROUP: usize = 8;

/// The number of groups of buckets.
const GROUPS: usize = 4;

/// For one byte of the window, the buckets of each low nibble, and those of
/// each high nibble.
type Nibbles = [[u8; 16]; 2];

/// Finds where one of many short texts may begin: a multi-pattern search in the
/// manner of Teddy (from Hyperscan).
///
/// Texts are sorted into at most 32 buckets. For each of four consecutive
/// bytes, a table has the buckets that are possible with it. An offset at which
/// one bucket is possible with all four bytes is a hit. This is for the crates
/// of this workspace.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Prefilter {
    sets: Box<[[u32; 256]; WINDOW]>,
    /// The same for each group of buckets, by nibble: both nibbles of a byte
    /// may be possible although the byte is not.
    nibbles: Box<[[Nibbles; WINDOW]; GROUPS]>,
    /// The number of groups that are not empty.
    groups: usize,
    scanner: Scanner,
}

impl Prefilter {
    /// Creates a search from the buckets that are possible with each byte, for
    /// each of four consecutive bytes. What follows the end of a text is a
    /// space.
    pub fn new(sets: &[[u32; 256]; 4]) -> Prefilter {
        let mut nibbles = Box::new([[[[0; 16]; 2]; WINDOW]; GROUPS]);
        let mut all = 0;
        for (shift, group) in (0..).step_by(GROUP).zip(nibbles.iter_mut()) {
            for ([lower, upper], set) in group.iter_mut().zip(sets) {
                for (byte, buckets) in (0_usize..).zip(set) {
                    all |= buckets;
                    let buckets = (buckets >> shift) as u8;
                    for (table, at) in
                        [(&mut *lower, byte & 15), (&mut *upper, byte >> 4)]
                    {
                        if let Some(entry) = table.get_mut(at) {
                            *entry |= buckets;
                        }
                    }
                }
            }
        }
        let used = (u32::BITS - all.leading_zeros()) as usize;
        Prefilter {
            sets: Box::new(*sets),
            nibbles,
            groups: used.div_ceil(GROUP),
            scanner: Scanner::best(),
        }
    }

    /// Appends the offset of each hit in a text, in ascending order, and the
    /// buckets that are possible there.
    pub fn find(&self, text: &[u8], hits: &mut Vec<(usize, u32)>) {
        match self.groups {
            0 => {}
            1 => self.scanner.run(Find::<1> { own: self, text, hits }),
            2 => self.scanner.run(Find::<2> { own: self, text, hits }),
            3 => self.scanner.run(Find::<3> { own: self, text, hits }),
            _ => self.scanner.run(Find::<4> { own: self, text, hits }),
        }
    }

    /// Appends the places at which a hit is not only possible.
    #[inline(always)]
    fn keep(
        &self,
        text: &[u8],
        start: usize,
        room: &Room,
        hits: &mut Vec<(usize, u32)>,
    ) {
        let mut kept = [(0, 0); 64];
        let places = part(&room.places, ..room.count);
        for places in places.chunks(kept.len()) {
            let mut count = 0;
            for place in places {
                let at = start + usize::from(*place);
                let buckets = self.buckets(text, at);
                if let Some(room) = kept.get_mut(count) {
                    *room = (at, buckets);
                }
                count += usize::from(buckets != 0);
            }
            hits.extend_from_slice(part(&kept, ..count));
        }
    }

    /// Returns the buckets that are possible at an offset.
    #[inline(always)]
    fn buckets(&self, text: &[u8], at: usize) -> u32 {
        let mut buckets = !0;
        let window = match text.get(at..at + WINDOW) {
            Some(&[a, b, c, d]) => [a, b, c, d],
            _ => {
                [0, 1, 2, 3].map(|n| text.get(at + n).copied().unwrap_or(b' '))
            }
        };
        for (set, byte) in self.sets.iter().zip(window) {
            buckets &= set.get(usize::from(byte)).copied().unwrap_or(0);
        }
        buckets
    }
}

/// Finds the hits of the first `N` groups.
struct Find<'p, 't, 'h, const N: usize> {
    own: &'p Prefilter,
    text: &'t [u8],
    hits: &'h mut Vec<(usize, u32)>,
}

impl<const N: usize> Job for Find<'_, '_, '_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Find { own, text, hits } = self;
        let mut start = 0;
        if S::SHUFFLES {
            let Some(groups) = own.nibbles.first_chunk::<N>() else { return };
            let mut room = Room::new();
            while let Some(blocks) =
                text.get(start..).and_then(<[u8]>::first_chunk::<WHOLE>)
            {
                room.fill(simd, groups, blocks);
                own.keep(text, start, &room, hits);
                start += BLOCKS * BLOCK;
            }
            // The rest is shorter than that, and is padded.
            let rest = text.get(start..).unwrap_or_default();
            let mut padded = [b' '; PADDED];
            if let Some(room) = padded.get_mut(..rest.len()) {
                room.copy_from_slice(rest);
            }
            room.fill_some(simd, groups, &padded, rest.len());
            own.keep(text, start, &room, hits);
            return;
        }
        for at in 0..text.len() {
            let buckets = own.buckets(text, at);
            if buckets != 0 {
                hits.push((at, buckets));
            }
        }
    }
}

/// The number of blocks that are searched before their hits are tested.
const BLOCKS: usize = 16;

/// The number of bytes of these blocks, and of the last window.
const WHOLE: usize = BLOCKS * BLOCK + WINDOW - 1;

/// The same, for fewer bytes than that and any block that begins with one of
/// them.
const PADDED: usize = WHOLE + BLOCK;

/// The places of several blocks at which a hit is possible. They are collected
/// without a branch for each: half of them would be mispredicted.
struct Room {
    places: [u16; PADDED],
    count: usize,
}

impl Room {
    fn new() -> Room {
        Room { places: [0; PADDED], count: 0 }
    }

    #[inline(always)]
    fn fill<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        groups: &[[Nibbles; WINDOW]; N],
        blocks: &[u8; WHOLE],
    ) {
        let mut masks = [0; BLOCKS];
        for (at, mask) in masks.iter_mut().enumerate() {
            let rest = part(blocks, at * BLOCK..);
            if let Some(bytes) = rest.first_chunk() {
                *mask = possible(simd, groups, bytes);
            }
        }
        self.count = 0;
        for (at, mask) in (0_u16..).zip(masks) {
            self.add(at * BLOCK as u16, mask);
        }
    }

    /// Like [`fill`](Room::fill), but only with the first `length` bytes.
    #[inline(always)]
    fn fill_some<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        groups: &[[Nibbles; WINDOW]; N],
        blocks: &[u8; PADDED],
        length: usize,
    ) {
        self.count = 0;
        for start in (0..length).step_by(BLOCK) {
            let rest = part(blocks, start..);
            let Some(bytes) = rest.first_chunk() else { return };
            let mut mask = possible(simd, groups, bytes);
            if length - start < BLOCK {
                mask &= !(!0 << (length - start));
            }
            self.add(start as u16, mask);
        }
    }

    /// Adds the places of a block.
    #[inline(always)]
    fn add(&mut self, start: u16, mut mask: u64) {
        let count = mask.count_ones() as usize;
        // Two are always written, and seldom there are more.
        let mut at = self.count;
        while let Some([one, two]) =
            self.places.get_mut(at..).and_then(<[u16]>::first_chunk_mut)
        {
            *one = start + mask.trailing_zeros() as u16;
            mask &= mask.wrapping_sub(1);
            *two = start + mask.trailing_zeros() as u16;
            mask &= mask.wrapping_sub(1);
            if mask == 0 {
                break;
            }
            at += 2;
        }
        self.count += count;
    }
}

/// Returns at which of 64 bytes a hit is possible.
#[inline(always)]
fn possible<S: Simd, const N: usize>(
    simd: S,
    groups: &[[Nibbles; WINDOW]; N],
    bytes: &[u8; BLOCK + WINDOW - 1],
) -> u64 {
    let mut found: [Option<S::Block>; N] = [None; N];
    for at in 0..WINDOW {
        let Some(block) =
            bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>)
        else {
            return !0;
        };
        let block = simd.load(block);
        for (found, group) in found.iter_mut().zip(groups) {
            let Some(nibbles) = group.get(at) else { return !0 };
            let buckets = simd.look_up(block, nibbles);
            *found = Some(match *found {
                Some(found) => simd.both(found, buckets),
                None => buckets,
            });
        }
    }
    let mut all: Option<S::Block> = None;
    for found in found.into_iter().flatten() {
        all = Some(match all {
            Some(all) => simd.either(all, found),
            None => found,
        });
    }
    all.map_or(0, |all| simd.nonzero(all))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scan::Kernel;

    /// The reference implementation: one byte at a time.
    fn naive(sets: &[[u32; 256]; 4], text: &[u8]) -> Vec<(usize, u32)> {
        let byte = |at: usize| *text.get(at).unwrap_or(&b' ') as usize;
        let buckets =
            |at| (0..4).fold(!0, |all, n| all & sets[n][byte(at + n)]);
        let all = (0..text.len()).map(|at| (at, buckets(at)));
        all.filter(|(_, buckets)| *buckets != 0).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::default()
        })]

        /// Also for texts of several blocks, with hits at each offset, for
        /// each number of groups, and at the end.
        #[test]
        fn every_kernel_finds_the_same(
            words in proptest::collection::vec(
                (proptest::array::uniform4(0_u8..=255), 0_u32..32), 1..40),
            groups in 1_u32..=4,
            text in proptest::collection::vec(0_u8..=255, 0..2500),
            planted in proptest::collection::vec((0_usize..2500, 0_usize..40), 0..60),
        ) {
            let mut sets = Box::new([[0; 256]; 4]);
            for (word, bucket) in &words {
                for (set, byte) in sets.iter_mut().zip(word) {
                    set[usize::from(*byte)] |= 1 << (bucket % (groups * 8));
                }
            }
            // In the last byte, anything is possible for one bucket.
            sets[3].iter_mut().for_each(|buckets| *buckets |= 1);
            let mut text = text;
            for (at, word) in planted {
                let (word, _) = words[word % words.len()];
                let end = text.len().min(at + 4);
                if let Some(room) = text.get_mut(at..end) {
                    room.copy_from_slice(&word[..room.len()]);
                }
            }
            let expected = naive(&sets, &text);
            for kernel in Kernel::ALL {
                let Some(scanner) = Scanner::new(kernel) else { continue };
                let own = Prefilter { scanner, ..Prefilter::new(&sets) };
                let mut hits = vec![];
                own.find(&text, &mut hits);
                prop_assert_eq!(&hits, &expected, "{}", kernel);
            }
        }
    }

    #[test]
    fn a_hit_is_found_at_every_offset() {
        let mut sets = Box::new([[0; 256]; 4]);
        for (set, byte) in sets.iter_mut().zip(b"ghp_") {
            set[usize::from(*byte)] = 1 << 9;
        }
        for at in (0..200).chain(900..1200).chain(2000..2200) {
            let text = ["-".repeat(at).as_str(), "ghp_ghp"].concat();
            for kernel in Kernel::ALL {
                let Some(scanner) = Scanner::new(kernel) else { continue };
                let own = Prefilter { scanner, ..Prefilter::new(&sets) };
                let mut hits = vec![];
                own.find(text.as_bytes(), &mut hits);
                assert_eq!(hits, [(at, 1 << 9)], "{kernel}");
            }
        }
    }
}
