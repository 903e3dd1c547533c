//! What every log must be: always the same, whole lines, and JSON that all
//! decoders take.

use linetape_generate::{Generator, Shape, generate};
use serde_json::Value;

/// FNV-1a, 64 bits.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The bytes never change. Whoever changes them on purpose, changes these.
#[test]
fn bytes_are_pinned() {
    let digests = Shape::ALL.map(|shape| {
        let log = generate(shape, 1, 256 << 10);
        format!("{shape} {:016x}", digest(&log[..256 << 10]))
    });
    assert_eq!(
        digests,
        [
            "transcript 9b40963e2f73dd04",
            "stream ec98f649a7461f3d",
            "tool_heavy 1689006c20d3ebc8",
            "tiny 521ae421ac2f754b",
            "unicode 639d22653494454f",
            "pathological d38d20809db6dc2f",
        ]
    );
}

#[test]
fn seeds_differ() {
    for shape in Shape::ALL {
        assert_ne!(
            generate(shape, 1, 4 << 10),
            generate(shape, 2, 4 << 10),
            "{shape}"
        );
    }
}

#[test]
fn writing_is_generating() {
    for shape in Shape::ALL {
        for size in [0, 1, 100_000, 1 << 20] {
            let log = generate(shape, 3, size);
            let mut out = Vec::new();
            let mut generator = Generator::new(shape, 3);
            let written = generator.write(size as u64, &mut out).unwrap();
            assert!(log == out, "{shape}, {size}");
            assert_eq!(written, out.len() as u64, "{shape}, {size}");
            assert!(out.len() >= size, "{shape}, {size}");
            assert!(size == 0 || out.ends_with(b"}\n"), "{shape}, {size}");
            // No line too many.
            let last = out.split(|&byte| byte == b'\n').rev().nth(1);
            let last = last.map_or(0, |line| line.len() + 1);
            assert!(size == 0 || out.len() - last < size, "{shape}, {size}");
        }
    }
}

/// A second call of `write` goes on, as if there had been one.
#[test]
fn writing_goes_on() {
    for shape in [Shape::Transcript, Shape::Stream, Shape::ToolHeavy] {
        let log = generate(shape, 4, 300_000);
        let mut out = Vec::new();
        let mut generator = Generator::new(shape, 4);
        generator.write(100_000, &mut out).unwrap();
        let rest = log.len() - out.len();
        generator.write(rest as u64, &mut out).unwrap();
        assert!(log == out, "{shape}");
    }
}

/// Every line is an object to serde_json and to linetape, with the same values
/// in it. No object has a key twice.
#[test]
fn every_line_decodes() {
    for shape in Shape::ALL {
        let log = generate(shape, 1, 4 << 20);
        let mut lines = linetape::lines(&log);
        let mut count = 0;
        for line in log.split_inclusive(|&byte| byte == b'\n') {
            count += 1;
            assert_eq!(line.last(), Some(&b'\n'), "{shape}, line {count}");
            let value: Value = serde_json::from_slice(line)
                .unwrap_or_else(|error| panic!("{shape}, {count}: {error}"));
            let object = value.as_object().unwrap();
            let record = lines
                .next_record()
                .unwrap()
                .unwrap_or_else(|error| panic!("{shape}, {error}"));
            assert!(
                record.kind().is(object["type"].as_str().unwrap()),
                "{shape}, line {count}"
            );
            let owned: Value = record.deserialize().unwrap();
            assert!(owned == value, "{shape}, line {count}");
            let written = members(record.value());
            assert_eq!(written, kept(&value), "{shape}, line {count}");
        }
        assert!(lines.next_record().is_none(), "{shape}");
        assert!(count >= 10, "{shape}: {count} lines");
    }
}

/// How many members there are in all objects, as they are written.
fn members(value: linetape::Value<'_>) -> usize {
    if let Some(object) = value.as_object() {
        return object.iter().map(|(_, inner)| 1 + members(inner)).sum();
    }
    value.as_array().map_or(0, |array| array.iter().map(members).sum())
}

/// The same, where a key counts once.
fn kept(value: &Value) -> usize {
    match value {
        Value::Object(object) => {
            object.values().map(|inner| 1 + kept(inner)).sum()
        }
        Value::Array(array) => array.iter().map(kept).sum(),
        _ => 0,
    }
}

#[test]
fn names_are_read() {
    for shape in Shape::ALL {
        assert_eq!(shape.to_string().parse(), Ok(shape));
        assert_eq!(shape.to_string(), shape.name());
        assert!(!shape.description().contains('\n'));
    }
    for name in ["", "Tiny", "tool-heavy", "transcripts"] {
        assert!(name.parse::<Shape>().is_err(), "{name}");
    }
}

#[test]
fn types_can_be_sent() {
    fn sent<T: Send + Sync + Unpin + 'static>() {}
    sent::<Generator>();
    sent::<Shape>();
    sent::<linetape_generate::UnknownShape>();
}
