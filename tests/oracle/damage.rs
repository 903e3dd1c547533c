//! Damaged logs: whole records are read, and each damaged line is one error.

use linetape::{Decoder, ErrorKind, Reader};

use crate::{
    oracle::input::Input,
    support::framing::{InPieces, Outcome, naive},
};

/// Records of known types, and of one unknown type.
const RECORDS: [&str; 6] = [
    r#"{"type":"user","message":{"role":"user","content":"a {b} \"c\""}}"#,
    r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}"#,
    r#"{"type":"system","subtype":"init","tools":["Bash"],"cwd":"\\x"}"#,
    r#"{"type":"result","subtype":"success","usage":{"input_tokens":1}}"#,
    r#"{"type":"summary","summary":"}{","leafUuid":"\u007b"}"#,
    r#"{"type":"never heard of","uuid":"u"}"#,
];

/// Damages a log of good records at one offset: the log is truncated, NULs or
/// other bytes are inserted, or a newline is removed. Asserts that records on
/// other lines are unchanged, and that the damaged line is one error.
pub fn tail(data: &[u8]) {
    let mut input = Input::of(data);
    let count = 2 + input.below(6);
    let records: Vec<&str> =
        (0..count).map(|_| input.one_of(&RECORDS)).collect();
    let mut log = records.join("\n").into_bytes();
    log.push(b'\n');
    let at = input.below(log.len() + 1);
    // The numbers of lines before and after the damaged line.
    let before = log[..at].iter().filter(|b| **b == b'\n').count();
    let mut behind = count.saturating_sub(before + 1);
    let way = input.below(4);
    let is_cut = way == 0;
    match way {
        0 => {
            log.truncate(at);
            behind = 0;
        }
        1 => drop(log.splice(at..at, vec![0; 1 + input.below(600)])),
        2 => {
            // Random bytes, on the same line.
            let text = input.text.iter().copied();
            let text: Vec<u8> = text.filter(|byte| *byte != b'\n').collect();
            drop(log.splice(at..at, text));
        }
        _ => {
            // A newline is removed.
            let end = log[at..].iter().position(|b| *b == b'\n');
            if let Some(end) = end.filter(|_| behind > 0) {
                log.remove(at + end);
                behind -= 1;
            }
        }
    }
    // Every line is a record or one error.
    let mut decoder = Decoder::new();
    let expected = naive(&log, usize::MAX).outcomes.into_iter();
    let expected: Vec<(u64, Option<Vec<u8>>)> = expected
        .map(|outcome| match outcome {
            Outcome::Line { number, bytes, .. } => {
                let is_good = decoder.decode(&bytes).is_ok();
                (number, is_good.then_some(bytes))
            }
            Outcome::Error { number, .. } => (number, None),
        })
        .collect();
    let (plan, capacity) = input.plan();
    let pieces = InPieces::new(&log, &plan);
    let mut reader = Reader::builder().buffer_capacity(capacity).build(pieces);
    let (mut found, mut cut_off) = (vec![], 0);
    while let Some(record) = reader.next_record() {
        found.push(match record {
            Ok(record) => {
                let line = record.raw().unwrap().to_vec();
                (record.position().line(), Some(line))
            }
            Err(error) => {
                assert!(error.is_recoverable());
                let is_cut = error.kind() == ErrorKind::Truncated;
                cut_off += usize::from(is_cut);
                (error.position().line(), None)
            }
        });
    }
    assert_eq!(found, expected);
    // The records are those of the undamaged lines.
    let line = |record: &&str| Some(record.as_bytes().to_vec());
    let good = |found: &(u64, Option<Vec<u8>>)| found.1.clone();
    let first: Vec<_> = found.iter().take(before).map(good).collect();
    let kept: Vec<_> = records[..before].iter().map(line).collect();
    assert_eq!(first, kept, "before the damage");
    let last = found.len().saturating_sub(behind);
    let last: Vec<_> = found[last..].iter().map(good).collect();
    let kept: Vec<_> = records[count - behind..].iter().map(line).collect();
    assert_eq!(last, kept, "behind the damage");
    if is_cut {
        let is_whole = found.iter().all(|(_, line)| line.is_some());
        assert_eq!(cut_off, usize::from(!is_whole), "it is cut off");
    }
}

/// Salvage invents no record, and finds every whole record.
pub fn salvage(data: &[u8]) {
    let mut input = Input::of(data);
    let plan = input.plan();
    salvaged(input.text, plan.clone());

    let (mut log, mut placed) = (vec![], vec![]);
    for _ in 0..1 + input.below(4) {
        // Noise without the beginning of a record, or a torn record. If noise
        // began with a comma or a bracket, the record before it could be a
        // value of a torn record that continues.
        if input.below(2) == 0 {
            log.push(input.one_of(b"\0~x"));
            let part = input.below(input.text.len() + 1);
            let noise = input.text[part..].iter().take(40);
            let plain = |byte: &&u8| !b"{\n".contains(byte);
            log.extend(noise.filter(plain).copied());
        } else {
            let torn = input.one_of(&RECORDS).as_bytes();
            log.extend(&torn[..input.below(torn.len())]);
        }
        let record = input.one_of(&RECORDS);
        placed.push(log.len()..log.len() + record.len());
        log.extend(record.as_bytes());
    }
    let found = salvaged(&log, plan);
    for record in placed {
        // Damage can join the records after it into a longer record.
        let holds = |place: &Place| {
            place.start <= record.start && record.end <= place.end
        };
        let shown = log.escape_ascii();
        assert!(found.iter().any(holds), "{record:?} is lost: {shown}");
    }
}

/// Returns the offsets of the records that salvage finds. Asserts that each
/// record is in the text at its offset, can be decoded and overlaps no other;
/// that the bytes in no record are counted, with one error per line; and that
/// undamaged lines are returned unchanged.
fn salvaged(log: &[u8], (plan, capacity): (Vec<usize>, usize)) -> Vec<Place> {
    let pieces = InPieces::new(log, &plan);
    let builder = Reader::builder().salvage(true);
    let mut reader = builder.buffer_capacity(capacity).build(pieces);
    let (mut found, mut told) = (vec![], vec![]);
    let mut end = 0;
    while let Some(line) = reader.next_line() {
        match line {
            Ok(line) => {
                let (at, bytes) = (line.offset() as usize, line.as_bytes());
                let place = at..at + bytes.len();
                assert_eq!(bytes, &log[place.clone()]);
                assert!(!bytes.contains(&b'\n'));
                assert!(at >= end, "records overlap");
                end = place.end;
                Decoder::new().decode(bytes).expect("it is a record");
                found.push(place);
            }
            Err(error) => told.push(error.position().line()),
        }
    }
    let (mut lost, mut damaged) = (0, vec![]);
    for (number, line) in lines(log) {
        let is_in = |place: &&Place| line.contains(&place.start);
        let mut places: Vec<Place> =
            found.iter().filter(is_in).cloned().collect();
        if Decoder::new().decode(&log[line.clone()]).is_ok() {
            assert!(places.iter().eq([&line]), "a good line is changed");
        }
        places.push(line.end..line.end);
        let mut from = line.start;
        for place in places {
            let gap = &log[from..place.start];
            if !gap.iter().all(|byte| b" \t\r".contains(byte)) {
                lost += gap.len() as u64;
                damaged.push(number);
            }
            from = place.end;
        }
    }
    damaged.dedup();
    assert_eq!(told, damaged, "one error for a damaged line");
    assert_eq!(reader.stats().lost, lost);
    found
}

/// Start and end.
type Place = std::ops::Range<usize>;

/// Returns the lines of a log that are not blank, with their numbers and
/// offsets.
fn lines(log: &[u8]) -> Vec<(u64, Place)> {
    let outcomes = naive(log, usize::MAX).outcomes.into_iter();
    let place = |outcome| match outcome {
        Outcome::Line { number, offset, bytes, .. } => {
            let start = offset as usize;
            (number, start..start + bytes.len())
        }
        // Only a line that begins with a UTF-16 BOM is rejected.
        Outcome::Error { number, offset, .. } => {
            let start = offset as usize;
            let rest = &log[start..];
            let end = rest.iter().position(|byte| *byte == b'\n');
            let line = &rest[..end.unwrap_or(rest.len())];
            let line = match end {
                Some(_) => line.strip_suffix(b"\r").unwrap_or(line),
                None => line,
            };
            (number, start..start + line.len())
        }
    };
    outcomes.map(place).collect()
}
