//! Texts that are one JSON array. serde_json says what the elements are.

use std::{fs, io::Read};

use linetape::{Error, Reader};
use linetape_flow::{Decompressed, Format, Parallel, open, open_range};
use proptest::prelude::*;
use serde_json::value::RawValue;

use crate::{
    compressed::{gz, zst},
    support::{Folder, InPieces},
};

/// What is read: the offset and the text of a line, or the kind of an error.
type Found = (u64, String);

fn found(mut reader: Reader<impl Read>) -> Vec<Found> {
    let mut all = vec![];
    while let Some(line) = reader.next_line() {
        match line.and_then(|line| line.check().map(|()| line)) {
            Ok(line) => {
                let text = str::from_utf8(line.as_bytes()).unwrap();
                all.push((line.offset(), text.trim_end().to_string()));
            }
            // A source that has no data yet.
            Err(error) if error.is_recoverable() && is_io(&error) => {}
            Err(error) => {
                let kind = error.kind().as_str();
                all.push((error.position().byte(), kind.to_string()));
            }
        }
    }
    all
}

fn is_io(error: &Error) -> bool {
    error.io_error().is_some()
}

fn in_pieces(bytes: &[u8], size: usize) -> Vec<Found> {
    let mut pieces = InPieces::new(bytes, size);
    pieces.is_slow = size % 2 == 1;
    found(Reader::new(Decompressed::new(pieces)))
}

/// The elements of an array, each with its offset.
fn elements(array: &str) -> Vec<Found> {
    let text = array.trim_start_matches('\u{FEFF}');
    let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap();
    let element = |element: &RawValue| {
        let text = element.get();
        let offset = text.as_ptr() as usize - array.as_ptr() as usize;
        (offset as u64, text.replace('\n', " "))
    };
    elements.into_iter().map(element).collect()
}

/// An array of objects, with whitespace between all tokens.
fn array() -> impl Strategy<Value = String> {
    let space = "[ \t\r\n]{0,2}";
    let text = r#""([\[\]{},: aé]|\\["\\n/]|\\u00e9){0,9}""#;
    let value = prop_oneof![text, "-?[1-9]{1,3}(\\.5)?", "true|null"];
    let value = value.prop_recursive(4, 30, 4, move |value| {
        let item = (space, value, space).prop_map(|(a, b, c)| a + &b + &c);
        let items = prop::collection::vec(item, 0..4);
        let list = items.clone().prop_map(|l| format!("[{}]", l.join(",")));
        let object = items.prop_map(move |items| {
            let pairs = items.iter().enumerate();
            let pairs = pairs.map(|(n, item)| format!("\n\"{n}]\" :{item}"));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
        });
        prop_oneof![list, object]
    });
    let object = (space, value, space)
        .prop_map(|(a, b, c)| format!("{a}{{\"k\":{b}}}{c}"));
    let objects = prop::collection::vec(object, 0..6);
    ("\u{FEFF}?", space, objects, space).prop_map(|(bom, a, objects, b)| {
        format!("{bom}{a}[{}]{b}", objects.join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_element_is_a_line_at_its_offset(
        text in array(),
        size in prop_oneof![1usize..9, Just(1000)],
    ) {
        let expected = elements(&text);
        prop_assert_eq!(Format::of(text.as_bytes()), Format::Array);
        for bytes in [text.as_bytes(), &gz(text.as_bytes()), &zst(text.as_bytes())] {
            prop_assert_eq!(&in_pieces(bytes, size), &expected);
        }
        // A line has no more than its element, and no byte is lost or added.
        let mut reader = Reader::new(Decompressed::new(text.as_bytes()));
        let begin = text.find('[').unwrap();
        let mut number = 1 + text[..begin].matches('\n').count() as u64;
        while let Some(line) = reader.next_line() {
            number += 1;
            prop_assert_eq!(line.unwrap().number(), number);
        }
        prop_assert_eq!(reader.stats().bytes as usize, text.len());
    }

    /// The last element counts once a comma or bracket follows.
    #[test]
    fn a_cut_is_one_error_after_the_elements_before_it(text in array()) {
        let whole = elements(&text);
        let closing = text.rfind(']').unwrap();
        let begin = text.find('[').unwrap();
        for cut in begin..text.len() {
            let seen = in_pieces(&text.as_bytes()[..cut], 5);
            if cut > closing {
                prop_assert_eq!(seen, whole.clone());
                continue;
            }
            let is_whole = |(offset, element): &&Found| {
                let end = *offset as usize + element.len();
                let rest = text.as_bytes().get(end..cut).unwrap_or_default();
                rest.iter().any(|byte| b",]".contains(byte))
            };
            let expected: Vec<_> = whole.iter().filter(is_whole).collect();
            prop_assert!(seen.iter().zip(&expected).all(|(a, b)| a == *b));
            prop_assert_eq!(seen.len(), expected.len() + usize::from(cut > begin));
        }
    }
}

/// What is broken is an error, and the lines after it are read.
#[test]
fn a_broken_array_is_reported_where_it_breaks() {
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    let deep = format!("[{{\"a\":{deep}}},{{}}]");
    let end = deep.len() as u64;
    for (text, expected) in [
        ("[]\n", vec![]),
        (" [ ]", vec![]),
        (
            "[{},7,\"],[\",[{}],{}]",
            vec![
                (1, "{}"),
                (4, "not_an_object"),
                (6, "not_an_object"),
                (12, "not_an_object"),
                (17, "{}"),
            ],
        ),
        ("[{} {}]\n{}", vec![(4, "trailing_data"), (8, "{}")]),
        ("[{} x,{}]\n{}", vec![(4, "trailing_data"), (10, "{}")]),
        ("[{}}]\n{}", vec![(3, "trailing_data"), (6, "{}")]),
        ("[{},,{}]\n{}", vec![(1, "{}"), (4, "not_an_object"), (9, "{}")]),
        ("[{},]\n{}", vec![(1, "{}"), (4, "not_an_object"), (6, "{}")]),
        ("[{}] x\n{}", vec![(1, "{}"), (5, "not_an_object"), (7, "{}")]),
        ("[{}]\n{}\n", vec![(1, "{}"), (5, "{}")]),
        ("[{}]\n[\n{}\n]", vec![(1, "{}"), (7, "{}")]),
        ("[{\"a\":1],{}]", vec![(7, "syntax"), (9, "{}")]),
        ("[{},{}", vec![(1, "{}"), (6, "io")]),
        ("[{},", vec![(1, "{}"), (4, "io")]),
        ("[{},{\"a", vec![(1, "{}"), (4, "truncated")]),
        // No string has a newline, so it is left as it is.
        (
            "[{\"\n\":1},{}]",
            vec![(3, "syntax"), (4, "not_an_object"), (9, "{}")],
        ),
        (&deep, vec![(133, "depth"), (end - 3, "{}")]),
    ] {
        for size in [1, 2, 3, 1000] {
            let expected = expected.iter().map(|(at, e)| (*at, e.to_string()));
            let expected: Vec<Found> = expected.collect();
            assert_eq!(in_pieces(text.as_bytes(), size), expected, "{text}");
        }
    }
}

/// A log can begin with a note in brackets.
#[test]
fn what_is_no_array_of_objects_is_passed_on_unchanged() {
    let spaces = " ".repeat(Format::DECIDING);
    for text in [
        "[INFO] starting\n{\"a\":[{},\n{}]}\n{},\n",
        "[",
        "[\n",
        "[ \n\"{\",{}]",
        "[1,{}]",
        "[[{}]]",
        "{}\n[{},{}]",
        "\u{FEFF}\u{FEFF}[{},{}]",
        &format!("{spaces}[{{}},{{}}]"),
        &format!("[{spaces}{{}},\n{{}}]"),
        "[{}]\n\n[x\n]{},{}\n[{},{}]",
    ] {
        for (bytes, size) in [1, 5, 1000].into_iter().flat_map(|size| {
            let text = text.as_bytes();
            [(text.to_vec(), size), (gz(text), size)]
        }) {
            let mut out = String::new();
            let pieces = InPieces::new(&bytes, size);
            Decompressed::new(pieces).read_to_string(&mut out).unwrap();
            let expected = match text.strip_prefix("[{}]") {
                Some(rest) => format!("\n{{}}\n{rest}"),
                None => text.to_string(),
            };
            assert_eq!(out, expected);
        }
    }
}

/// An array cannot be divided: the elements of a range are not known.
#[test]
fn an_array_is_in_one_range() {
    let folder = Folder::new();
    let array = format!("[{}{{}}]\n", "{\"a\":\n[{}]},\n".repeat(30_000));
    let expected = elements(&array);
    let path = folder.write("log.json", &array);
    let size = fs::metadata(&path).unwrap().len();
    let builder = Reader::builder();
    assert_eq!(found(open(&path, &builder).unwrap()), expected);
    let ranges = [0..9, 9..size - 9, size - 9..u64::MAX];
    let ranges = ranges.map(|range| open_range(&path, range, &builder));
    let read: Vec<_> =
        ranges.into_iter().flat_map(|r| found(r.unwrap())).collect();
    assert_eq!(read, expected);
    let lines = Parallel::new().threads(2).block_size(1 << 10).fold(
        &[&path, &path],
        0,
        |_, block| {
            let mut lines = 0;
            while let Some(line) = block.next_line() {
                lines += u64::from(line?.check().is_ok());
            }
            Ok::<_, Error>(lines)
        },
        |sum, lines, _| *sum += lines,
    );
    assert_eq!(lines.unwrap(), 2 * 30_001);
}

/// A source that counts how much is read ahead of what is returned.
#[test]
fn the_memory_does_not_grow_with_the_array() {
    let element = "{\"type\":\"user\",\"n\":[1, {\"t\":\"\\\"]\"}]},\n";
    let count = 200_000;
    let repeated = element.as_bytes().iter().cycle();
    let mut repeated = repeated.take(count * element.len()).copied();
    let array = std::iter::once(b'[').chain(&mut repeated);
    let mut array = array.chain(*b"{}]");
    let most = std::rc::Rc::new(std::cell::Cell::new(0));
    let asked = most.clone();
    let source = Fill(move |room: &mut [u8]| {
        asked.set(asked.get().max(room.len()));
        let filled = room.iter_mut().zip(&mut array);
        filled.map(|(to, byte)| *to = byte).count()
    });
    let mut reader = Reader::new(Decompressed::new(source));
    let mut lines = 0;
    while let Some(line) = reader.next_line() {
        line.unwrap();
        lines += 1;
    }
    assert_eq!(lines, count + 1);
    assert!(most.get() <= 128 << 10);
}

struct Fill<F>(F);

impl<F: FnMut(&mut [u8]) -> usize> Read for Fill<F> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        Ok((self.0)(room))
    }
}
