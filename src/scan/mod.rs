/*!
Scanning text 64 bytes at a time.

A [`Simd`] turns a block of 64 bytes into bitmasks: one bit per byte, the
lowest bit for the first byte. A [`Job`] is an algorithm on these masks, written
once in safe code, generic over `Simd`, and compiled once per kernel.
[`Scanner::run`] runs it with the best kernel that this CPU supports:

```text
             ┌─► avx512   (one vector per block)
 Job ─► run ─┼─► avx2     (two vectors)
             ├─► sse2     (four vectors; on every x86-64 CPU)
             └─► portable (safe code; eight `u64`)
```

This is the only folder with `unsafe` code. Four operations are unsafe: loading
and storing vectors, calling functions that are compiled for CPU features which
may be absent, the conversion of bytes to `str` without a check, and references
with a bit in their address. The tests
compare all kernels, `portable` included, with a reference implementation.
*/

#[allow(unsafe_code)] // see above
mod ascii;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // see above
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // see above
mod avx512;
mod bounds;
#[allow(unsafe_code)] // see above
mod either;
mod escapes;
mod grammar;
#[allow(unsafe_code)] // see above
mod kernel;
mod nest;
mod newline;
mod portable;
mod prefilter;
mod scalar;
mod simd;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // see above
mod sse2;
mod strings;
#[allow(unsafe_code)] // see above
mod text_buffer;
#[allow(unsafe_code)] // see above
mod unescape;
mod whitespace;

pub(crate) use ascii::{
    AsciiBlocks, MaybeUtf8, as_plain, as_utf8, short_string,
};
pub(crate) use bounds::part;
pub(crate) use either::{Either, EitherRef};
pub(crate) use escapes::Escapes;
pub(crate) use grammar::{Grammar, Tokens};
pub use kernel::Kernel;
pub(crate) use kernel::Scanner;
pub(crate) use nest::{Brackets, MAX_DEPTH, Nest};
pub(crate) use newline::{early_newline, newline};
pub use prefilter::Prefilter;
#[cfg(feature = "serde")]
pub(crate) use scalar::short_integer;
pub(crate) use scalar::{check_scalars, scalar_end};
pub(crate) use simd::{Job, Simd};
pub(crate) use strings::{BLOCK, Blocks, StringMasks, Strings, string_end};
pub(crate) use text_buffer::TextBuffer;
pub(crate) use unescape::{
    escape, escape_lossy, is_key, is_well_written, unescape, unescape_lossy,
};
pub(crate) use whitespace::{
    is_line_whitespace, is_whitespace, skip_line_whitespace, skip_whitespace,
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The results of all operations of a kernel on one block.
    #[derive(Debug, PartialEq)]
    struct Masks {
        equal: Vec<u64>,
        opening: u64,
        closing: u64,
        whitespace: u64,
        controls: u64,
        escapable: u64,
        high: u64,
        prefix_xor: u64,
        indexes: Vec<u32>,
        extracted: u64,
        compressed: Option<Vec<u8>>,
        nonzero: Option<u64>,
    }

    #[derive(Clone, Copy)]
    struct Ask<'t> {
        bytes: &'t [u8; 64],
        bits: u64,
    }

    /// Bytes whose low nibble is 4 and high nibble 14, or 15 and 7. The
    /// highest bit is masked out.
    const NIBBLES: [[u8; 16]; 2] = {
        let mut nibbles = [[0x80; 16]; 2];
        (nibbles[0][4], nibbles[1][14]) = (0x81, 0x81);
        (nibbles[0][15], nibbles[1][7]) = (0x82, 0x82);
        nibbles
    };

    const ASKED: &[u8] = b"\"\\:,\n{}[]u\0\x7F\x80\xFF";

    impl Job for Ask<'_> {
        type Output = Masks;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Masks {
            let Ask { bytes, bits } = self;
            let block = simd.load(bytes);
            let (opening, closing) = simd.brackets(block);
            let maybe = simd.maybe_brackets(block);
            assert_eq!(maybe | opening | closing, maybe, "one is missing");
            let both = simd.either(block, simd.load(&[0x80; 64]));
            assert_eq!(simd.high(both), !0);
            let mut indexes = [0; 64];
            simd.indexes(bits, 7, &mut indexes);
            let compressed = S::COMPRESSES.then(|| {
                let escaped = simd.escapable(block) & !simd.equal(block, b'u');
                let mut room = [0; 64];
                simd.compress(block, bits, escaped, &mut room);
                room[..bits.count_ones() as usize].to_vec()
            });
            Masks {
                equal: ASKED.iter().map(|&b| simd.equal(block, b)).collect(),
                opening,
                closing,
                whitespace: simd.whitespace(block),
                controls: simd.controls(block),
                escapable: simd.escapable(block),
                high: simd.high(block),
                prefix_xor: simd.prefix_xor(bits),
                indexes: indexes[..bits.count_ones() as usize].to_vec(),
                extracted: simd.extract(bits, opening | bits.rotate_left(9)),
                compressed,
                nonzero: S::SHUFFLES.then(|| {
                    let found = simd.look_up(block, &NIBBLES);
                    let ones = simd.load(&[0x7F; 64]);
                    simd.nonzero(simd.both(found, ones))
                }),
            }
        }
    }

    /// The reference implementation: one byte and one bit at a time.
    fn naive(bytes: &[u8; 64], bits: u64, like: &Masks) -> Masks {
        let mask = |wanted: &dyn Fn(u8) -> bool| {
            let bit = |at: usize| u64::from(wanted(bytes[at])) << at;
            (0..64).map(bit).sum::<u64>()
        };
        let set = |bits: u64| (0..64).filter(move |at| bits >> at & 1 == 1);
        let is_in = |list: &'static [u8]| move |byte| list.contains(&byte);
        let opening = mask(&is_in(b"{["));
        let below = |at: u32| set(bits).filter(|&bit| bit <= at).count();
        let selected = set(opening | bits.rotate_left(9));
        let kept = set(bits).map(|at| {
            let byte = bytes[at as usize];
            match simd::MEANINGS[usize::from(byte)] {
                0 => byte,
                meant => meant,
            }
        });
        Masks {
            equal: ASKED.iter().map(|&b| mask(&|byte| byte == b)).collect(),
            opening,
            closing: mask(&is_in(b"}]")),
            whitespace: mask(&is_in(b" \t\r\n")),
            controls: mask(&|byte| byte < 0x20),
            escapable: mask(&is_in(b"\"\\/bfnrtu")),
            high: mask(&|byte| byte >= 0x80),
            prefix_xor: (0..64).map(|at| (below(at) as u64 & 1) << at).sum(),
            indexes: set(bits).map(|at| at + 7).collect(),
            extracted: selected
                .enumerate()
                .map(|(at, bit)| (bits >> bit & 1) << at)
                .sum(),
            compressed: like.compressed.is_some().then(|| kept.collect()),
            nonzero: like.nonzero.map(|_| mask(&|b| b == 0xE4 || b == 0x7F)),
        }
    }

    fn compare(bytes: &[u8; 64], bits: u64) {
        for kernel in Kernel::ALL {
            let Some(scanner) = Scanner::new(kernel) else { continue };
            let masks = scanner.run(Ask { bytes, bits });
            let expected = naive(bytes, bits, &masks);
            assert_eq!(masks, expected, "{kernel} {bytes:?} {bits:x}");
        }
    }

    #[test]
    fn every_kernel_knows_every_byte_in_every_place() {
        // The first and the last place of every vector.
        let places = [0, 15, 16, 31, 32, 47, 48, 63];
        for byte in 0..=255 {
            for at in places {
                let mut bytes = [b'x'; 64];
                bytes[at] = byte;
                compare(&bytes, 1 << at);
            }
            compare(&[byte; 64], !0);
        }
    }

    struct AskPart<'t>(&'t [u8]);

    impl Job for AskPart<'_> {
        /// The spaces, and the bytes `x`.
        type Output = (u64, u64);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> (u64, u64) {
            let block = simd.load_part(self.0);
            (simd.equal(block, b' '), simd.equal(block, b'x'))
        }
    }

    #[test]
    fn every_kernel_pads_a_part_with_spaces() {
        let text = [b'x'; 64];
        for kernel in Kernel::ALL {
            let Some(scanner) = Scanner::new(kernel) else { continue };
            for length in 0..64 {
                let part = (1 << length) - 1;
                let found = scanner.run(AskPart(&text[..length]));
                assert_eq!(found, (!part, part), "{kernel} {length}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::default()
        })]

        #[test]
        fn every_kernel_says_the_same(
            bytes in proptest::array::uniform32(any::<(u8, u8)>()),
            bits in any::<u64>(),
            few in any::<u64>(),
        ) {
            let mut block = [0; 64];
            for (pair, (one, other)) in
                block.as_chunks_mut::<2>().0.iter_mut().zip(bytes)
            {
                *pair = [one, other];
            }
            compare(&block, bits);
            compare(&block, bits & few);
            // The same block, but mostly with bytes that have a meaning.
            let dense = block.map(|byte| match ASKED.get(usize::from(byte)) {
                Some(&asked) => asked,
                None => ASKED[usize::from(byte) % ASKED.len()],
            });
            compare(&dense, few);
        }
    }
}
