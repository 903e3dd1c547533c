//! Lines that end at the end of the accessible memory. An access after them,
//! or a write to them, kills the process.
#![cfg(unix)]
#![allow(unsafe_code)] // memory of this kind cannot be had without

#[allow(dead_code)] // this binary uses a part of it
mod support;

use std::{ffi::c_void, ptr, slice};

use linetape::{Decoder, Limits, Line, Projection, Value};
use support::{
    fields::count_fields,
    json::{LEVELS, decoders, kernels, show, told, written_lines},
    logs::exhaustive,
};

mod c {
    use std::ffi::{c_int, c_void};

    pub const PROT_NONE: c_int = 0;
    pub const PROT_READ: c_int = 1;
    pub const PROT_WRITE: c_int = 2;
    pub const MAP_PRIVATE: c_int = 2;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const MAP_ANONYMOUS: c_int = 0x20;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub const MAP_ANONYMOUS: c_int = 0x1000;

    unsafe extern "C" {
        pub fn mmap(
            at: *mut c_void,
            length: usize,
            protection: c_int,
            flags: c_int,
            file: c_int,
            offset: i64,
        ) -> *mut c_void;
        pub fn mprotect(
            at: *mut c_void,
            length: usize,
            protection: c_int,
        ) -> c_int;
        pub fn munmap(at: *mut c_void, length: usize) -> c_int;
    }
}

/// No page is larger than this.
const PAGE: usize = 64 << 10;

/// Memory between two inaccessible pages.
struct Guarded {
    start: *mut c_void,
    /// The size of the memory between the two pages.
    room: usize,
}

impl Guarded {
    fn new(least: usize) -> Guarded {
        let room = least.next_multiple_of(PAGE);
        // SAFETY: the system chooses an address that is not in use.
        let start = unsafe {
            c::mmap(
                ptr::null_mut(),
                room + 2 * PAGE,
                c::PROT_NONE,
                c::MAP_PRIVATE | c::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(start.addr(), usize::MAX, "there is memory");
        let guarded = Guarded { start, room };
        guarded.protect(c::PROT_READ);
        guarded
    }

    fn middle(&self) -> *mut c_void {
        self.start.wrapping_byte_add(PAGE)
    }

    fn protect(&self, protection: i32) {
        // SAFETY: this is our own memory, and there is no reference to it.
        let done =
            unsafe { c::mprotect(self.middle(), self.room, protection) };
        assert_eq!(done, 0, "memory can be protected");
    }

    /// Returns a copy of `bytes` that ends at the end of the memory. The
    /// memory before it is filled with quotes.
    fn fill(&mut self, bytes: &[u8]) -> &mut [u8] {
        assert!(bytes.len() <= self.room);
        self.protect(c::PROT_READ | c::PROT_WRITE);
        let before = self.room - bytes.len();
        // SAFETY: the memory is large enough and writable, and this is the
        // only reference to it.
        let room = unsafe {
            slice::from_raw_parts_mut(self.middle().cast::<u8>(), self.room)
        };
        let (quotes, copy) = room.split_at_mut(before);
        quotes.fill(b'"');
        copy.copy_from_slice(bytes);
        copy
    }

    /// The same, but read-only.
    fn at_the_end(&mut self, bytes: &[u8]) -> &[u8] {
        let before = self.room - self.fill(bytes).len();
        self.protect(c::PROT_READ);
        let line = self.middle().wrapping_byte_add(before).cast::<u8>();
        // SAFETY: the bytes have just been written, and do not change while
        // `self` is borrowed.
        unsafe { slice::from_raw_parts(line, bytes.len()) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: this memory comes from `mmap`, and there is no reference to
        // it.
        unsafe { c::munmap(self.start, self.room + 2 * PAGE) };
    }
}

/// Calls every method of a line, and returns the results.
fn everything(line: &Line<'_>) -> String {
    let kind = line.kind().map_err(|error| told(&error));
    let check = line.check().map_err(|error| told(&error));
    let paths = Projection::new(["/type", "/a/0", "/a", "/b/\n"]);
    let projected = line.projected(&paths).map_err(|error| told(&error));
    let peek = line.peek().map_err(|error| told(&error));
    let faults = peek.as_ref().map(|message| faults(message.value()));
    let fields = peek.as_ref().map(|message| count_fields(*message));
    let said = (kind, check, projected, &peek, faults, fields);
    let skimmed = line.skim().kind().map_err(|error| told(&error));
    let skim = line.skim().projected(&paths).map_err(|error| told(&error));
    let strings = line.strings().map(Iterator::collect::<Vec<_>>);
    let strings = strings.map_err(|error| told(&error));
    let owned = line.to_owned_line().map_err(|error| told(&error));
    let owned = owned.map(|line| format!("{:?}", line.message()));
    format!("{said:?} {skimmed:?} {skim:?} {strings:?} {owned:?}")
}

fn faults(value: Value<'_>) -> usize {
    let members = value.as_object().into_iter().flatten();
    let items = value.as_array().into_iter().flatten();
    usize::from(value.check().is_err())
        + members.map(|(_, value)| faults(value)).sum::<usize>()
        + items.map(faults).sum::<usize>()
}

/// Calls every method of a line at the end of the memory and of one in the
/// middle, with every kernel, and compares the results. Everyday tests prepare
/// a line for one level with each kernel.
fn agree(guarded: &mut Guarded, decoders: &mut [Decoder], line: &[u8]) {
    let mut usual = Decoder::new();
    let spaced = [b"\\\"\\\"", line, b"\\\"}]\\\\"].concat();
    let spaced = &spaced[4..4 + line.len()];
    let expected = everything(&usual.line(spaced));
    let flush = guarded.at_the_end(line);
    for decoder in decoders {
        let found = everything(&decoder.line(flush));
        assert_eq!(found, expected, "{}", show(line));
    }
    for (number, kernel) in kernels().into_iter().enumerate() {
        let one = (line.len() + number) % LEVELS.len();
        let levels = if exhaustive() { 0..LEVELS.len() } else { one..one + 1 };
        for level in &LEVELS[levels] {
            let builder = linetape::Reader::builder().level(*level);
            let mut lines = builder.kernel(kernel).unwrap().lines(flush);
            while let Some(line) = lines.next_line() {
                let _ = line.map(|line| everything(&line));
            }
        }
    }
}

/// Returns texts of a given length with all relevant kinds of endings.
fn texts(length: usize) -> Vec<Vec<u8>> {
    let filled = |head: &str, fill: &str, tail: &str| {
        let room = length.checked_sub(head.len() + tail.len())?;
        let middle = &fill.repeat(room / fill.len() + 1)[..room];
        Some(format!("{head}{middle}{tail}").into_bytes())
    };
    let made = [
        // Valid texts.
        filled("{", " ", "}"),
        filled("{\"type\":\"", "x", "\"}"),
        filled("{\"a\":\"", "x", "\",\"type\":\"t\"}"),
        filled("{\"a\":\"", "x", "\\n\"}"),
        filled("{\"a\":\"", "x", "\\\\\"}"),
        filled("{\"a\":\"", "x", "\\ud83c\\udf4e\"}"),
        filled("{\"a\":[\"\\n", "x", "\"]}"),
        filled("{\"\\u0061", "x", "\":1}"),
        filled("{\"a\":", "1", "}"),
        filled("{\"a\":[", " ", "]}"),
        filled("{}", " ", ""),
        filled("", " ", "{}"),
        // Truncated texts, after which a parser may continue to read.
        filled("", " ", ""),
        filled("", "x", ""),
        filled("", "\"", ""),
        filled("", "\\", ""),
        filled("", "{", ""),
        filled("", "[", ""),
        filled("{\"a\":\"", "x", ""),
        filled("{\"a\":\"", "x", "\\"),
        filled("{\"a\":\"", "x", "\\u"),
        filled("{\"a\":\"", "x", "\\u00"),
        filled("{\"a\":\"", "x", "\\ud83c"),
        filled("{\"a\":\"", "x", "\\ud83c\\u"),
        filled("{\"a\":\"", "x", "\""),
        filled("{\"a\":", "1", ""),
        filled("{\"a\":", " ", "tru"),
        filled("{\"a\":", " ", "-"),
        filled("{\"a\":", " ", "1."),
        filled("{\"a\":", " ", "1e"),
        filled("{\"a\":", " ", "nul"),
        filled("{\"a\":1,", " ", "\"type"),
        filled("{\"a\":1,", " ", "\"type\""),
        filled("{\"a\":1,", " ", "\"type\":"),
        filled("{\"a\":1,", " ", "\"type\":\"t\""),
    ];
    let cut = |tail: &[u8]| {
        let head = b"{\"a\":\"";
        let room = length.checked_sub(head.len() + tail.len())?;
        Some([head, &b"x".repeat(room)[..], tail].concat())
    };
    let cut = [cut(b"\xC3"), cut(b"\xE2\x82"), cut(b"\xF0\x9F\x8D")];
    made.into_iter().chain(cut).flatten().collect()
}

#[test]
fn nothing_after_a_line_is_read() {
    let mut guarded = Guarded::new(5000);
    let mut decoders = decoders(Limits::default());
    let longer = [
        191, 192, 193, 255, 256, 257, 1023, 1024, 1025, 4031, 4032, 4033,
        4095, 4096, 4097,
    ];
    // Everyday: a block and its neighbours, and the last bytes of the second.
    let lengths =
        (0..=129).filter(|n| exhaustive() || !(68..=124).contains(n));
    for length in lengths.chain(longer) {
        for text in texts(length) {
            assert_eq!(text.len(), length);
            agree(&mut guarded, &mut decoders, &text);
        }
    }
}

#[test]
fn nothing_after_the_beginning_of_a_message_is_read() {
    let mut guarded = Guarded::new(5000);
    let mut decoders = decoders(Limits::default());
    let lines = written_lines();
    let dense =
        br#"{"\u0061":["\\\"\n\t\ud83c\udf4e","\u00e9"],"type":"\u0074"}"#;
    for line in lines.iter().step_by(27).chain([&dense.to_vec()]) {
        for end in 0..=line.len() {
            agree(&mut guarded, &mut decoders, &line[..end]);
        }
    }
}

/// Verifies that the pages are really inaccessible.
#[test]
#[cfg(target_os = "linux")]
fn the_memory_is_what_it_is_said_to_be() {
    let mut guarded = Guarded::new(PAGE);
    let end = guarded.at_the_end(b"{}").as_ptr_range().end.addr();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let protection = |place: usize| {
        let mut lines = maps.lines();
        let found = lines.find_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let start = usize::from_str_radix(start, 16).ok()?;
            let end = usize::from_str_radix(end, 16).ok()?;
            (start..end).contains(&place).then(|| rest[..4].to_string())
        });
        found.unwrap()
    };
    assert_eq!(protection(end - 1), "r--p");
    assert_eq!(protection(end), "---p");
}
