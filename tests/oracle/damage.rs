//! Damaged logs: what is whole is read, and what is not is told.

use linetape::{Decoder, ErrorKind, Lines, Reader};

use crate::oracle::input::Input;

/// Records of types that agents write.
const RECORDS: [&str; 6] = [
    r#"{"type":"user","message":{"role":"user","content":"a {b} \"c\""}}"#,
    r#"{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]}}"#,
    r#"{"type":"system","subtype":"init","tools":["Bash"],"cwd":"\\x"}"#,
    r#"{"type":"result","subtype":"success","usage":{"input_tokens":1}}"#,
    r#"{"type":"summary","summary":"}{","leafUuid":"\u007b"}"#,
    r#"{"type":"keep_alive"}"#,
];

/// A log of good records to which something happens at one place: it is cut
/// off, a block of NULs or other bytes gets in, or a newline is lost. Records
/// on other lines are as they were, and what was hit is told once.
pub fn tail(data: &[u8]) {
    let mut input = Input::of(data);
    let count = 2 + input.below(6);
    let records: Vec<&str> =
        (0..count).map(|_| input.one_of(&RECORDS)).collect();
    let mut log = records.join("\n").into_bytes();
    log.push(b'\n');
    let at = input.below(log.len() + 1);
    // What is before the damaged line, and what is behind it.
    let mut before = log[..at].iter().filter(|b| **b == b'\n').count();
    let mut behind = count.saturating_sub(before + 1);
    match input.below(4) {
        0 => {
            log.truncate(at);
            behind = 0;
        }
        1 => drop(log.splice(at..at, vec![0; 1 + input.below(600)])),
        2 => {
            // Other bytes of any kind, on the same line.
            let text = input.text.iter().copied();
            let text: Vec<u8> = text.filter(|byte| *byte != b'\n').collect();
            drop(log.splice(at..at, text));
        }
        _ => {
            // The newline is lost.
            let end = log[at..].iter().position(|b| *b == b'\n');
            if let Some(end) = end.filter(|_| behind > 0) {
                log.remove(at + end);
                behind -= 1;
            }
        }
    }
    before = before.min(count);

    let (mut good, mut bad) = (vec![], vec![]);
    let (plan, capacity) = input.plan();
    let pieces = crate::support::InPieces::new(&log, &plan);
    let mut reader = Reader::builder().buffer_capacity(capacity).build(pieces);
    while let Some(record) = reader.next_record() {
        match record {
            Ok(record) => {
                let number = record.position().line();
                good.push((number, record.raw().unwrap().to_vec()));
            }
            Err(error) => {
                assert!(error.is_recoverable());
                bad.push((error.position().line(), error.kind()));
            }
        }
    }
    for (index, record) in records[..before].iter().enumerate() {
        let line = (index as u64 + 1, record.as_bytes().to_vec());
        assert_eq!(good.get(index), Some(&line), "before the damage");
    }
    let last = log.split(|byte| *byte == b'\n').count() as u64 - 1;
    for (index, record) in records[count - behind..].iter().enumerate() {
        let number = last - (behind - index) as u64 + 1;
        let line = (number, record.as_bytes().to_vec());
        assert!(good.contains(&line), "behind the damage");
    }
    // The one line that was hit is read or refused, once.
    let hit = before as u64 + 1;
    let read = good.iter().filter(|(number, _)| *number == hit).count();
    assert!(bad.iter().all(|(number, _)| *number == hit), "{bad:?}");
    assert!(bad.len() + read <= 1, "{bad:?}");
    let line = log.split(|byte| *byte == b'\n').nth(before).unwrap_or(b"");
    let is_last = log.len() as u64 > 0 && log.last() != Some(&b'\n');
    if let [(_, ErrorKind::Truncated)] = bad[..] {
        assert!(is_last && behind == 0);
        assert!(Decoder::new().decode(line).is_err());
    }
}

/// Salvage makes nothing up, and finds every record that is whole.
pub fn salvage(data: &[u8]) {
    let mut input = Input::of(data);
    salvaged(input.text);

    let (mut log, mut placed) = (vec![], vec![]);
    for _ in 0..1 + input.below(4) {
        // What begins no record, or the beginning of one that was torn. If a
        // comma or a bracket came first, the record before could be a value
        // of a torn one, which goes on.
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
        placed.push((log.len(), log.len() + record.len()));
        log.extend(record.as_bytes());
    }
    // Damage can make one longer record of what stands behind it.
    if Decoder::new().decode(&log).is_ok() {
        return;
    }
    let found = salvaged(&log);
    for (start, end) in placed {
        let holds =
            |record: &(usize, usize)| record.0 <= start && end <= record.1;
        let shown = log.escape_ascii();
        assert!(found.iter().any(holds), "{start}..{end} is lost: {shown}");
    }
}

/// The places of the records that are found, after a check that each stands
/// there, can be decoded, and overlaps no other; that lines which are one
/// record each are found as they are; and that the sums are right.
fn salvaged(log: &[u8]) -> Vec<(usize, usize)> {
    let mut reader = Reader::builder().salvage(true).build(log);
    let (mut found, mut errors) = (vec![], vec![]);
    let mut end = 0;
    while let Some(line) = reader.next_line() {
        match line {
            Ok(line) => {
                let (at, bytes) = (line.offset() as usize, line.as_bytes());
                let place = (at, at + bytes.len());
                assert_eq!(bytes, &log[place.0..place.1]);
                assert!(!bytes.contains(&b'\n'));
                assert!(at >= end, "records overlap");
                end = place.1;
                Decoder::new().decode(bytes).expect("it is a record");
                found.push(place);
            }
            Err(error) => errors.push(error.position().line()),
        }
    }
    let told = errors.len();
    errors.dedup();
    assert_eq!(told, errors.len(), "one error for a line at most");
    let kept: usize = found.iter().map(|(start, end)| end - start).sum();
    let stats = reader.stats();
    assert!(kept + stats.lost as usize <= log.len());

    let mut lines = Lines::with_limits(log, Default::default());
    while let Some(line) = lines.next_line() {
        let Ok(line) = line else { continue };
        let at = line.offset() as usize;
        let place = (at, at + line.as_bytes().len());
        if line.check().is_ok() {
            assert!(found.contains(&place), "a good line is lost");
        }
    }
    found
}
