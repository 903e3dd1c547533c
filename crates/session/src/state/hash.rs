/*!
Hashes that are part of a saved state, so they must never change: the hash of
an id, and the checksum. The hashers of `std` may change with its version.
*/

/// SipHash-2-4 with a fixed key.
///
/// 64 bits are enough to identify an id: among a million ids, the probability
/// that any two have the same hash is 1 in 37 million. To construct such a pair
/// takes about four billion attempts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sip {
    v: [u64; 4],
    /// The last `length % 8` bytes.
    tail: u64,
    length: u64,
}

impl Sip {
    pub(crate) fn new() -> Sip {
        Sip::with_key(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
    }

    fn with_key(k0: u64, k1: u64) -> Sip {
        let v = [
            k0 ^ 0x736f_6d65_7073_6575,
            k1 ^ 0x646f_7261_6e64_6f6d,
            k0 ^ 0x6c79_6765_6e65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ];
        Sip { v, tail: 0, length: 0 }
    }

    pub(crate) fn bytes(&mut self, mut bytes: &[u8]) {
        // The first bytes of each word complete the tail, and the last ones
        // are the next tail.
        let taken = 8 * (self.length % 8) as u32;
        while let Some((word, rest)) = bytes.split_first_chunk() {
            let word = u64::from_le_bytes(*word);
            let whole = self.tail | word << taken;
            self.tail = word.checked_shr(64 - taken).unwrap_or(0);
            self.length = self.length.wrapping_add(8);
            self.word(whole);
            bytes = rest;
        }
        for &byte in bytes {
            self.tail |= u64::from(byte) << (8 * (self.length % 8));
            self.length = self.length.wrapping_add(1);
            if self.length.is_multiple_of(8) {
                let word = std::mem::take(&mut self.tail);
                self.word(word);
            }
        }
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    /// Adds a text and its length, so that two texts in a row are not
    /// ambiguous. `None` differs from every text.
    pub(crate) fn text(&mut self, text: Option<&str>) {
        self.number(text.map_or(u64::MAX, |text| text.len() as u64));
        self.bytes(text.unwrap_or_default().as_bytes());
    }

    fn word(&mut self, word: u64) {
        self.v[3] ^= word;
        self.rounds(2);
        self.v[0] ^= word;
    }

    fn rounds(&mut self, rounds: u32) {
        let [mut a, mut b, mut c, mut d] = self.v;
        for _ in 0..rounds {
            a = a.wrapping_add(b);
            c = c.wrapping_add(d);
            b = b.rotate_left(13) ^ a;
            d = d.rotate_left(16) ^ c;
            a = a.rotate_left(32);
            c = c.wrapping_add(b);
            a = a.wrapping_add(d);
            b = b.rotate_left(17) ^ c;
            d = d.rotate_left(21) ^ a;
            c = c.rotate_left(32);
        }
        self.v = [a, b, c, d];
    }

    pub(crate) fn finish(mut self) -> u64 {
        let last = self.tail | self.length << 56;
        self.word(last);
        self.v[2] ^= 0xff;
        self.rounds(4);
        self.v.into_iter().fold(0, |sum, part| sum ^ part)
    }
}

/// An odd number without a pattern: 2^64 divided by the golden ratio.
pub(crate) const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns a checksum that detects truncation, exchanged blocks and every
/// change within one word of eight bytes.
///
/// Four words at a time are added to four sums which do not depend on each
/// other, so that it is about as fast as memory.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut sums = [1, 2, 3, 4_u64];
    let add = |sum: &mut u64, word: u64| {
        // Each step is reversible, so a changed word changes the sum.
        *sum = (*sum ^ word).wrapping_mul(ODD).rotate_left(29);
    };
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (sum, word) in sums.iter_mut().zip(words) {
            add(sum, u64::from_le_bytes(*word));
        }
    }
    let mut last = Sip::new();
    last.bytes(rest);
    last.number(bytes.len() as u64);
    sums.into_iter().for_each(|sum| last.number(sum));
    last.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of the authors of SipHash: the bytes 0, 1, 2, ...
    #[test]
    fn the_hash_is_siphash_2_4() {
        let hash = |length: u8| {
            let mut sip = Sip::new();
            sip.bytes(&(0..length).collect::<Vec<u8>>());
            sip.finish()
        };
        assert_eq!(hash(0), 0x726f_db47_dd0e_0e31);
        assert_eq!(hash(15), 0xa129_ca61_49be_45e5);
        assert_eq!(hash(63), 0x958a_324c_eb06_4572);
    }

    #[test]
    fn the_hash_does_not_depend_on_the_pieces() {
        let bytes: Vec<u8> = (0..40).collect();
        let mut whole = Sip::new();
        whole.bytes(&bytes);
        for at in 0..bytes.len() {
            let mut pieces = Sip::new();
            pieces.bytes(&bytes[..at]);
            pieces.bytes(&bytes[at..]);
            assert_eq!(pieces.finish(), whole.finish(), "{at}");
        }
    }

    #[test]
    fn the_checksum_detects_every_flipped_bit_and_every_cut() {
        let bytes: Vec<u8> = (0..200).map(|n| (n * n % 251) as u8).collect();
        let sum = checksum(&bytes);
        for at in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            assert_ne!(checksum(&changed), sum, "bit {at}");
        }
        for length in 0..bytes.len() {
            assert_ne!(checksum(&bytes[..length]), sum, "length {length}");
        }
        let mut swapped = bytes.clone();
        swapped[..64].rotate_left(32);
        assert_ne!(checksum(&swapped), sum);
    }
}
