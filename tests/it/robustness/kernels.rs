//! All kernels return the same results, for all bytes at all offsets of a
//! block.

use std::fmt::Write;

use linetape::{Decoder, ErrorKind, Kernel, Projection, Reader, Value};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::support::{
    fields::count_fields,
    json::{
        LEVELS, at_all_offsets, corpus, kernels, show, told, written_lines,
    },
    logs::exhaustive,
    texts::{any_object, cases, damage, message, noise},
};

/// Returns the results of all methods of a line, as text.
fn digest(decoder: &mut Decoder, line: &[u8]) -> String {
    let mut digest = String::new();
    let line = decoder.line(line);
    let kind = line.kind().map_err(|error| told(&error));
    writeln!(digest, "{kind:?}").unwrap();
    let check = line.check().map_err(|error| told(&error));
    writeln!(digest, "{check:?}").unwrap();
    let paths = Projection::new(["/type", "/a/0", "/a/k", "/message/content"]);
    let projected = line.projected(&paths).map_err(|error| told(&error));
    writeln!(digest, "{projected:?}").unwrap();
    match line.peek() {
        Ok(message) => {
            writeln!(digest, "{message:?} {}", count_fields(message)).unwrap();
            values(message.value(), &mut digest);
        }
        Err(error) => writeln!(digest, "{:?}", told(&error)).unwrap(),
    }
    let skimmed = line.skim().kind().map_err(|error| told(&error));
    writeln!(digest, "{skimmed:?}").unwrap();
    let skim = line.skim().projected(&paths).map_err(|error| told(&error));
    writeln!(digest, "{skim:?}").unwrap();
    let strings = line.strings().map(Iterator::collect::<Vec<_>>);
    let strings = strings.map_err(|error| told(&error));
    writeln!(digest, "{strings:?}").unwrap();
    match line.to_owned_line() {
        Ok(line) => values(line.message().value(), &mut digest),
        Err(error) => writeln!(digest, "{:?}", told(&error)).unwrap(),
    }
    digest
}

/// Adds the errors of a value, and of all values in it.
fn values(value: Value<'_>, digest: &mut String) {
    let check = value.check().map_err(|error| told(&error));
    writeln!(digest, "{:?} {check:?}", value.as_str()).unwrap();
    for (key, value) in value.as_object().into_iter().flatten() {
        digest.push_str(key);
        values(value, digest);
    }
    for item in value.as_array().into_iter().flatten() {
        values(item, digest);
    }
}

/// One decoder for each kernel that this CPU supports, the portable one first.
struct Twins(Vec<(Kernel, Decoder)>);

impl Twins {
    fn new() -> Twins {
        let others = kernels().into_iter().filter(|k| *k != Kernel::Portable);
        let all = [Kernel::Portable].into_iter().chain(others);
        Twins(
            all.map(|kernel| {
                let mut decoder = Decoder::new();
                decoder.set_kernel(kernel).unwrap();
                (kernel, decoder)
            })
            .collect(),
        )
    }

    /// Asserts that all kernels return the same results for a line, and
    /// returns them.
    fn agree(&mut self, line: &[u8]) -> String {
        let [(_, portable), others @ ..] = &mut self.0[..] else {
            unreachable!("there is always a portable kernel");
        };
        let expected = digest(portable, line);
        for (kernel, decoder) in others {
            let found = digest(decoder, line);
            assert_eq!(found, expected, "{kernel}: {}", show(line));
        }
        expected
    }
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn kernels_agree_on_random_bytes(bytes in vec(any::<u8>(), 0..400)) {
        let mut twins = Twins::new();
        twins.agree(&bytes);
        twins.agree(&[b"{\"a\":\"", &bytes[..], b"\"}"].concat());
        twins.agree(&[b"{\"a\":[", &bytes[..], b"]}"].concat());
    }

    #[test]
    fn kernels_agree_on_bytes_with_a_meaning_in_json(noise in noise(), pad in 0usize..64) {
        let mut twins = Twins::new();
        let pad = b" ".repeat(pad);
        twins.agree(&[&pad, &noise[..]].concat());
        twins.agree(&[&pad[..], b"{\"a\":\"", &noise[..], b"\"}"].concat());
        twins.agree(&[&pad[..], b"{\"a\":[", &noise[..], b"]}"].concat());
    }

    #[test]
    fn kernels_agree_on_text(
        line in prop_oneof![any_object(), message()],
        damage in damage(),
    ) {
        let mut twins = Twins::new();
        twins.agree(line.as_bytes());
        twins.agree(&damage.to(line.as_bytes()));
    }

    #[test]
    fn kernels_agree_on_streams(
        lines in vec(prop_oneof![
            any_object().prop_map(String::into_bytes),
            noise(),
            select(written_lines()),
        ], 0..8),
        level in select(LEVELS.to_vec()),
    ) {
        let stream = lines.join(&b'\n');
        let read = |kernel| {
            let builder = Reader::builder().level(level);
            let mut lines = builder.kernel(kernel).unwrap().lines(&stream);
            let mut read = vec![];
            while let Some(line) = lines.next_line() {
                read.push(line.map(|line| {
                    let kind = line.kind().map(|kind| kind.to_string());
                    let kind = kind.map_err(|error| told(&error));
                    (line.position(), line.as_bytes().to_vec(), kind)
                }).map_err(|error| told(&error)));
            }
            (read, lines.stats())
        };
        let expected = read(Kernel::Portable);
        for kernel in kernels() {
            prop_assert_eq!(&read(kernel), &expected, "{}", kernel);
        }
    }
}

#[test]
fn kernels_agree_on_lines_from_elsewhere() {
    let mut twins = Twins::new();
    for line in written_lines() {
        twins.agree(&line);
    }
    for file in corpus() {
        for line in file.split(|&byte| byte == b'\n').step_by(20) {
            twins.agree(line);
        }
    }
}

/// The string after the run shows whether the run was handled correctly.
#[test]
fn kernels_agree_on_runs_of_backslashes() {
    let mut twins = Twins::new();
    // With any step, runs of each parity end at every offset.
    let step = if exhaustive() { 1 } else { 3 };
    for offset in (0..64).step_by(step) {
        for length in 0..130 {
            let (pad, run) = ("x".repeat(offset), "\\".repeat(length));
            // An odd run escapes the quote after it, so a second quote is
            // needed.
            let odd = if length % 2 == 1 { "\"" } else { "" };
            let line = format!("{{\"a\":\"{pad}{run}{odd}\",\"type\":\"t\"}}");
            let found = twins.agree(line.as_bytes());
            assert!(found.starts_with("Ok(Kind"), "{line} {found}");
            let meant = pad + &"\\".repeat(length / 2) + odd;
            let mut decoder = Decoder::new();
            let line = decoder.line(line.as_bytes());
            let read = line.peek().unwrap().value().get("a").unwrap();
            assert_eq!(read.as_str(), Some(&meant[..]));
        }
    }
}

#[test]
fn kernels_agree_on_escapes_at_all_offsets() {
    let mut twins = Twins::new();
    let escapes = [
        r#"\""#,
        r"\\",
        r"\/",
        r"\b",
        r"\f",
        r"\n",
        r"\r",
        r"\t",
        r"\u0041",
        r"\ud83c\udf4e",
        r"\ud800",
        r"\x",
        r"\u12",
        r"\u00e9\n\u00e9",
        "é",
        "🍎",
    ];
    for escape in escapes {
        for tail in [0, 1, 64] {
            let tail = "y".repeat(tail);
            let members = format!("\"k\":\"{escape}{tail}{escape}\"");
            at_all_offsets(members.as_bytes(), |line, _| {
                twins.agree(line);
            });
        }
    }
}

/// Brackets and quotes, inside and outside of strings, across block
/// boundaries.
#[test]
fn kernels_agree_on_brackets_and_quotes_at_all_offsets() {
    let mut twins = Twins::new();
    for byte in 0..=255u8 {
        // Kernels treat letters and digits alike, and other bytes than ASCII
        // nearly so: some of their offsets do.
        let step = match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => 11,
            0x80.. => 5,
            _ => 1,
        };
        for pad in (0..66).step_by(step) {
            let line = [b"{\"a\":[", &b" ".repeat(pad)[..], &[byte], b"]}"];
            twins.agree(&line.concat());
            let line = [b"{\"a\":\"", &b"x".repeat(pad)[..], &[byte], b"\"}"];
            twins.agree(&line.concat());
        }
    }
    for many in
        ["[]", "{}", "\"\"", "[", "]", "\"", "\\\"", ",", "[{\"\":[]}]"]
    {
        for count in 1..70 {
            let members = format!("\"a\":[{}]", many.repeat(count));
            twins.agree(format!("{{{members}}}").as_bytes());
            twins.agree(format!("{{ {members}").as_bytes());
        }
    }
}

// ---- the choice of a kernel ------------------------------------------------

#[test]
fn the_best_kernel_is_one_that_there_is() {
    assert!(Kernel::best().is_available());
    assert!(Kernel::Portable.is_available());
    let first = Kernel::ALL.into_iter().find(|k| k.is_available());
    assert_eq!(first, Some(Kernel::best()));
    let mut names: Vec<String> =
        Kernel::ALL.iter().map(Kernel::to_string).collect();
    for name in &names {
        assert!(
            name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        );
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), Kernel::ALL.len());
    assert_eq!(Kernel::Portable.to_string(), "portable");
}

#[test]
fn a_kernel_that_the_cpu_lacks_is_refused() {
    let mut missing = Kernel::ALL.into_iter().filter(|k| !k.is_available());
    if missing.clone().next().is_none() {
        println!("skipped: this CPU has all kernels");
    }
    for kernel in missing.by_ref() {
        let errors = [
            Reader::builder().kernel(kernel).map(drop).unwrap_err(),
            Decoder::new().set_kernel(kernel).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.to_string().contains(&kernel.to_string()));
            assert!(!error.is_recoverable());
        }
    }
    for kernel in Kernel::ALL.into_iter().filter(|k| k.is_available()) {
        assert!(Reader::builder().kernel(kernel).is_ok());
        assert!(Decoder::new().set_kernel(kernel).is_ok());
    }
}
