//! The memory of peeking, counted by the allocator: no allocation per line
//! once there is enough memory, memory is released after a giant line, and it
//! is limited by the length of the line.

use linetape::{
    Decoder, Level, Limits, Line, Message, Projection, Reader, Value,
    value::Projected,
};

use crate::support::{
    counting::{CALLS, LIVE, peak_of},
    json::{decoders, kernels},
};

const MIB: usize = 1 << 20;

/// A message that consists of escapes.
fn dense(size: usize) -> String {
    let text = r#"\"a\\b\n\tc\u00e9\ud83c\udf4e\/ and some more text\r"#;
    let block = format!(
        r#"{{"type":"text","\u0074ext":"{text}","n":[1,-2.5e3,true,null]}}"#
    );
    let blocks = vec![block.as_str(); size / block.len() + 1].join(",");
    format!(
        r#"{{"uuid":"\u0075","message":{{"content":[{blocks}],"usage":{{
        "input_tokens":7}}}},"ty\u0070e":"assist\u0061nt","subtype":"\t"}}"#
    )
    .replace('\n', "")
}

/// Reads every string, and returns the sum of their lengths.
fn strings(value: Value<'_>) -> usize {
    let mut length = value.as_str().map_or(0, str::len);
    for (key, value) in value.as_object().into_iter().flatten() {
        length += key.len() + strings(value);
    }
    for item in value.as_array().into_iter().flatten() {
        length += strings(item);
    }
    length
}

/// Reads a member, for which all of them are noted.
fn noted(message: Message<'_>) -> usize {
    usize::from(message.value().get("type").is_some())
}

/// Returns the values that [`paths`] lead to.
fn values<'a>(found: Projected<'a, '_>) -> impl Iterator<Item = Value<'a>> {
    (0..3).filter_map(move |index| found.at(index))
}

/// Calls every method of a line.
fn everything(line: &Line<'_>, paths: &Projection) -> usize {
    let Ok(kind) = line.kind() else { return 0 };
    let mut read = kind.name().map_or(0, str::len);
    if let Ok(message) = line.peek() {
        read += strings(message.value());
        read += message.text().map(str::len).sum::<usize>();
        read += usize::from(message.value().check().is_ok());
    }
    if let Ok(found) = line.projected(paths) {
        read += values(found).map(strings).sum::<usize>();
    }
    if let Ok(message) = line.checked() {
        read += strings(message.value());
    }
    read + usize::from(line.check().is_ok())
}

fn paths() -> Projection {
    Projection::new(["/type", "/message/content/0/text", "/message/usage"])
}

/// Returns the number of allocations of `work`, after it has run before.
fn allocations(mut work: impl FnMut()) -> u64 {
    // The arena may grow a few times until it is large enough.
    for _ in 0..30 {
        work();
    }
    let before = CALLS.get();
    for _ in 0..70 {
        work();
    }
    CALLS.get() - before
}

#[test]
fn a_line_that_is_looked_at_costs_no_allocation() {
    let lines = [dense(300), dense(10_000), "{}".to_string()];
    let paths = paths();
    for mut decoder in decoders(Limits::default()) {
        let mut read = 0;
        let count = allocations(|| {
            for line in &lines {
                read += everything(&decoder.line(line.as_bytes()), &paths);
            }
        });
        assert_eq!(count, 0);
        assert!(read > 100 * 10_000, "{read}");
    }
}

/// Tests each way of reading a line alone, so that none allocates for another.
#[test]
fn no_way_to_look_at_a_line_allocates() {
    type Look = fn(&Line<'_>, &Projection) -> usize;
    let looks: [(&str, Look); 9] = [
        ("skim", |line, _| line.skim().kind().unwrap().name().unwrap().len()),
        ("skim, projected", |line, paths| {
            values(line.skim().projected(paths).unwrap()).count()
        }),
        ("strings", |line, _| line.strings().unwrap().map(str::len).sum()),
        ("kind", |line, _| line.kind().unwrap().name().unwrap().len()),
        ("peek", |line, _| noted(line.peek().unwrap())),
        ("read", |line, _| strings(line.peek().unwrap().value())),
        ("check", |line, _| usize::from(line.check().is_ok())),
        ("checked", |line, _| noted(line.checked().unwrap())),
        ("projected", |line, paths| {
            values(line.projected(paths).unwrap()).count()
        }),
    ];
    // The members of a checked line that begins with its type are noted late.
    let text = "x".repeat(300);
    let leading =
        format!(r#"{{"type":"user","message":{{"content":"{text}"}}}}"#);
    let lines = [dense(300), dense(5000), leading];
    let paths = paths();
    for (name, look) in looks {
        for mut decoder in decoders(Limits::default()) {
            let count = allocations(|| {
                for line in &lines {
                    let line = decoder.line(line.as_bytes());
                    assert!(look(&line, &paths) > 0, "{name}");
                }
            });
            assert_eq!(count, 0, "{name}");
        }
    }
}

#[test]
fn a_reader_that_routes_allocates_nothing_per_line() {
    let line = dense(700) + "\n{\"type\":\"user\"}\n{broken\n\r\n";
    let stream = line.repeat(2000);
    let paths = paths();
    for kernel in kernels() {
        let builder =
            Reader::builder().level(Level::Kind).kernel(kernel).unwrap();
        let mut reader = builder.build(stream.as_bytes());
        let mut read = 0;
        // Returns the number of bad lines.
        let mut on = |lines| {
            let mut bad = 0;
            for _ in 0..lines {
                let line = reader.next_line().unwrap().unwrap();
                let found = everything(&line, &paths);
                bad += u64::from(found == 0);
                read += found;
            }
            bad
        };
        on(1000);
        let before = CALLS.get();
        let bad = on(1000);
        assert!(bad > 200, "{bad}");
        // An error is one allocation.
        assert_eq!(CALLS.get() - before, bad, "{kernel}");
        assert!(read > 1000 * 700, "{read}");
    }
}

#[test]
fn an_error_costs_one_allocation() {
    let deep = "[".repeat(200);
    let bad = [
        "{\"a\":1",
        "{\"a\":[1,,2],\"b\"",
        "{\"a\":\"\\x\"",
        "{\"type\":1,\"a\":\"\\n\",\"type\":2}",
        "{\"a\":1}}",
        "note",
        "{\"a\":\"\\ud800\"}",
        &format!("{{\"a\":{deep}"),
    ];
    let paths = paths();
    for mut decoder in decoders(Limits::default()) {
        let mut errors = 0;
        let count = allocations(|| {
            for line in &bad {
                let line = decoder.line(line.as_bytes());
                errors += usize::from(line.kind().is_err());
                errors += usize::from(line.peek().is_err());
                errors += usize::from(line.check().is_err());
                errors += usize::from(line.projected(&paths).is_err());
            }
        });
        // Those of the 30 times before are not counted.
        assert_eq!(count, 70 * (errors / 100) as u64);
        // One has its fault in a nested value, which only one of the ways
        // reads.
        assert_eq!(errors, 100 * (4 * bad.len() - 3));
    }
}

/// Reads a giant line, then small ones. Returns the memory that is still in
/// use.
fn live_after(decoder: &mut Decoder, giant: &[u8], small: &[u8]) -> i64 {
    let before = LIVE.get();
    let line = decoder.line(giant);
    assert!(strings(line.peek().unwrap().value()) > 0);
    assert!(LIVE.get() - before > MIB as i64, "it is a giant line");
    for _ in 0..5000 {
        let line = decoder.line(small);
        assert!(line.peek().unwrap().uuid().is_some());
    }
    LIVE.get() - before
}

#[test]
fn memory_is_given_back_after_a_giant_line() {
    let small = dense(300);
    let giants = [
        dense(2 * MIB),
        format!("{{\"type\":\"\\n{}\"}}", "x".repeat(2 * MIB)),
        format!("{{\"type\":\"t\",\"a\":[{}1]}}", "[],".repeat(MIB / 4)),
    ];
    for giant in &giants {
        for mut decoder in decoders(Limits::default()) {
            everything(&decoder.line(small.as_bytes()), &paths());
            let (giant, small) = (giant.as_bytes(), small.as_bytes());
            let live = live_after(&mut decoder, giant, small);
            assert!(live < MIB as i64, "{live}");
        }
    }
}

/// A line that a reader indexes while it searches its end, because the lines
/// before it were peeked at, may never be asked for its index. The memory of
/// that index was not released.
#[test]
fn memory_is_given_back_after_a_giant_line_that_is_not_asked_for() {
    let small = format!("{{\"type\":\"{}\"}}\n", "x".repeat(100));
    let strings = "\"\",".repeat(2 * MIB);
    let giant = format!("{{\"a\":[{strings}0]}}\n");
    // Its index is built, but fails at its end.
    let bad = format!("{{\"a\":[{strings}0}}\n");
    for (giant, checks, noise) in [
        (&giant, false, ""),
        (&giant, true, ""),
        (&bad, false, ""),
        (&bad, true, ""),
        // Nothing is allocated for a line that is not an object.
        (&giant, false, "[1]\n"),
        (&giant, true, "[1]\n"),
    ] {
        let log = small.repeat(8) + noise + giant + &small.repeat(3);
        let before = LIVE.get();
        let level = if checks { Level::Checked } else { Level::Peek };
        let mut lines = Reader::builder().level(level).lines(log.as_bytes());
        let mut most = 0;
        for number in 1.. {
            let Some(line) = lines.next_line() else { break };
            let line = line.unwrap();
            match number {
                1..=8 if checks => drop(line.checked().unwrap()),
                1..=8 => drop(line.peek().unwrap()),
                9 if !noise.is_empty() && checks => {
                    assert!(line.checked().is_err());
                }
                9 if !noise.is_empty() => assert!(line.peek().is_err()),
                _ => most = most.max(LIVE.get() - before),
            }
        }
        assert!(most > 16 * MIB as i64, "the giant was not indexed: {most}");
        let after = LIVE.get() - before;
        assert!(after < MIB as i64, "{after} bytes are kept");
    }
}

/// It was kept for as long as all further lines were decoded.
#[test]
fn memory_is_given_back_if_only_records_follow() {
    let small = format!("{{\"type\":\"{}\"}}\n", "x".repeat(100));
    let giant = format!("{{\"a\":[{}0]}}\n", "\"\",".repeat(2 * MIB));
    let log = small.repeat(8) + &giant + &small.repeat(3);
    let before = LIVE.get();
    let builder = Reader::builder().level(Level::Peek);
    let mut lines = builder.lines(log.as_bytes());
    for _ in 0..8 {
        lines.next_line().unwrap().unwrap().peek().unwrap();
    }
    lines.next_line().unwrap().unwrap();
    let most = LIVE.get() - before;
    assert!(most > 16 * MIB as i64, "the giant was not indexed: {most}");
    while let Some(record) = lines.next_record() {
        record.unwrap();
    }
    let after = LIVE.get() - before;
    assert!(after < MIB as i64, "{after} bytes are kept");
}

/// Memory is also released if the line is bad, or has only been checked.
#[test]
fn memory_is_given_back_after_a_giant_line_that_is_bad() {
    type Look = fn(&Line<'_>) -> bool;
    let looks: [Look; 3] = [
        |line| line.kind().is_err(),
        |line| line.peek().is_err(),
        |line| line.check().is_err(),
    ];
    let giants = [
        "{\"a\":\"\"".to_string() + &",\"a\":\"\"".repeat(MIB / 4),
        format!("{{\"a\":[{}1]", "[],".repeat(MIB / 4)),
    ];
    for look in looks {
        for giant in &giants {
            for mut decoder in decoders(Limits::default()) {
                let before = LIVE.get();
                assert!(look(&decoder.line(giant.as_bytes())));
                for _ in 0..5000 {
                    let line = decoder.line(b"{\"a\":1}");
                    assert!(!look(&line));
                }
                let live = LIVE.get() - before;
                assert!(live < MIB as i64, "{live}");
            }
        }
    }
}

#[test]
fn a_hostile_line_costs_no_more_than_some_times_its_size() {
    let size = MIB;
    let texts = ["\"", "[]", "[],", "{\"\":", "\"\",", "\"\":1,"];
    let lines = texts.map(|text| {
        let inside = text.repeat(size / text.len());
        [format!("{{\"a\":[{inside}1]}}"), format!("{{{inside}\"a\":1}}")]
    });
    type Look = fn(&Line<'_>) -> bool;
    let looks: [(&str, Look); 4] = [
        ("kind", |line| line.kind().is_ok()),
        ("check", |line| line.check().is_ok()),
        ("checked", |line| {
            line.checked().is_ok_and(|m| strings(m.value()) > 0)
        }),
        ("read", |line| line.peek().is_ok_and(|m| strings(m.value()) > 0)),
    ];
    let kernel = kernels()[0];
    for line in lines.as_flattened() {
        for (name, look) in looks {
            let mut decoder = Decoder::new();
            decoder.set_kernel(kernel).unwrap();
            let peak = peak_of(|| {
                look(&decoder.line(line.as_bytes()));
            });
            let times = peak as usize / line.len();
            let head = &line[..20];
            assert!(times <= 24, "{name}: {times} times `{head}`");
        }
    }
}

/// Each short string with an escape took 64 bytes more than its length: up to
/// 17 times the line.
#[test]
fn short_strings_with_escapes_take_little_memory() {
    let strings = "\"\\n\",".repeat(100_000);
    let line = format!("{{\"type\":\"user\",\"a\":[{strings}1]}}");
    for mut decoder in decoders(Limits::default()) {
        let peak = peak_of(|| {
            let line = decoder.line(line.as_bytes());
            assert_eq!(line.strings().unwrap().count(), 100_001);
        });
        let times = peak as usize / line.len();
        assert!(times <= 3, "{times} times");
    }
}

/// Each access once created a new index, and kept it as long as the line.
#[test]
fn to_look_at_a_line_again_takes_no_more_memory() {
    let line = br#"{"user":{"a":[1,2,{"b":"c"}]}}"#;
    let mut decoder = Decoder::new();
    let line = decoder.line(line);
    assert_eq!(line.kind().unwrap().name(), None);
    let before = LIVE.get();
    for _ in 0..10_000 {
        assert_eq!(line.kind().unwrap().name(), None);
        assert!(line.peek().unwrap().value().get("user").is_some());
    }
    assert_eq!(LIVE.get(), before);
}
