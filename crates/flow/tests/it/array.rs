//! Texts that are one JSON array. serde_json says what the elements are.

use std::io::{self, Cursor, Read};

use linetape::{Error, Reader};
use linetape_flow::{
    BlockReader, Decompressed, Format, Parallel, open, open_range,
};
use proptest::prelude::*;
use serde_json::value::RawValue;

use crate::{
    compressed::{gz, zst},
    support::{Folder, InPieces},
};

/// What is read: the offset and the text of a line, or the kind of an error.
type Found = (u64, String);

fn found(reader: &mut Reader<impl Read>) -> Vec<Found> {
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
    found(&mut Reader::new(Decompressed::new(pieces)))
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

    /// An element that is whole counts, whether something follows or not.
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
                end < cut || end == cut && element.ends_with(['}', ']'])
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
    let deep = "[".repeat(300) + &"]".repeat(300);
    let deep = format!("[{{\"a\":{deep}}},{{}}]");
    let of_seven = "1 {}, 4 not_an_object, 6 not_an_object, \
                    12 not_an_object, 17 {}";
    for (text, expected) in [
        ("[]\n", ""),
        (" [ ]", ""),
        ("[{},7,\"],[\",[{}],{}]", of_seven),
        ("[{} {}]\n{}", "4 trailing_data, 8 {}"),
        ("[{} x,{}]\n{}", "4 trailing_data, 10 {}"),
        ("[{}}]\n{}", "3 trailing_data, 6 {}"),
        ("[{},,{}]\n{}", "1 {}, 4 not_an_object, 9 {}"),
        ("[{},]\n{}", "1 {}, 4 not_an_object, 6 {}"),
        ("[{}] x\n{}", "1 {}, 5 not_an_object, 7 {}"),
        ("[{}]\n{}\n", "1 {}, 5 {}"),
        ("[{}]\n[\n{}\n]", "1 {}, 7 {}"),
        ("[{\"a\":1],{}]", "7 syntax, 9 {}"),
        // The newline that ends the line is not in the text.
        ("[{},{}", "1 {}, 4 {}, 7 io"),
        ("[\n{}\n", "2 {}, 6 io"),
        ("[{},", "1 {}, 4 io"),
        ("[{},{\"a", "1 {}, 4 truncated"),
        // What is in a string of an element is no line: it was one.
        ("[{\"\n{}\n\":1},{}]", "3 syntax, 12 {}"),
        ("[{\"\\\n{}\n\":1},{}]", "3 syntax, 13 {}"),
        (&deep, "133 depth, 608 {}"),
    ] {
        for size in [1, 2, 3, 1000] {
            let found = in_pieces(text.as_bytes(), size);
            let found = found.iter().map(|(at, what)| format!("{at} {what}"));
            let found = found.collect::<Vec<_>>().join(", ");
            assert_eq!(found, expected, "{text}");
        }
    }
}

/// The last element was lost: the newline after it was held back.
#[test]
fn a_source_that_fails_costs_no_whole_element() {
    for text in ["[{},{}", "[{},{},", "[{},{},\n", "[{},\n{} "] {
        let source = text.as_bytes().chain(Broken);
        let mut reader = Reader::new(Decompressed::new(source));
        let seen = found(&mut reader);
        let whole = seen.iter().filter(|(_, what)| what == "{}").count();
        assert_eq!((whole, seen.len()), (2, 3), "{text:?} {seen:?}");
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

/// A log can begin with a note in brackets.
#[test]
fn what_is_no_array_of_objects_is_passed_on_unchanged() {
    let spaces = " ".repeat(Format::DECIDING);
    for text in [
        "[INFO] starting\n{\"a\":[{},\n{}]}\n{},\n",
        "[",
        "[ \n\"{\",{}]",
        "[1,{}]",
        "[[{}]]",
        "{}\n[{},{}]",
        "\u{FEFF}\u{FEFF}[{},{}]",
        &format!("{spaces}[{{}},{{}}]"),
        &format!("[{spaces}{{}},\n{{}}]"),
    ] {
        for (before, read) in [("", ""), ("[{}]\n", "\n{}\n\n")] {
            let bytes = before.to_string() + text;
            for size in [1, 5, 1000] {
                for bytes in [bytes.clone().into_bytes(), gz(bytes.as_bytes())]
                {
                    let mut out = String::new();
                    let pieces = InPieces::new(&bytes, size);
                    let mut text_of = Decompressed::new(pieces);
                    text_of.read_to_string(&mut out).unwrap();
                    assert_eq!(out, read.to_string() + text);
                }
            }
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
    let size = array.len() as u64;
    let builder = Reader::builder();
    assert_eq!(found(&mut open(&path, &builder).unwrap()), expected);
    let mut read = vec![];
    for range in [0..9, 9..size - 9, size - 9..u64::MAX] {
        read.extend(found(&mut open_range(&path, range, &builder).unwrap()));
    }
    assert_eq!(read, expected);
    let blocks = Parallel::new().threads(2).block_size(1 << 10);
    let read = |_: &_, block: &mut BlockReader| Ok::<_, Error>(found(block));
    let read = blocks.fold(&[&path], vec![], read, |all, found, _| {
        all.extend(found);
    });
    assert_eq!(read.unwrap(), expected);
}

/// No more is read of a source than is needed next.
#[test]
fn the_memory_does_not_grow_with_the_array() {
    let element = "{\"n\":[1, {\"t\":\"\\\"]\"}]},\n";
    let array = format!("[{}{{}}]", element.repeat(200_000));
    let mut source = Decompressed::new(Cursor::new(&array));
    let (mut room, mut read) = ([0; 1000], 0);
    loop {
        match source.read(&mut room).unwrap() as u64 {
            0 => break,
            count => read += count,
        }
        assert!(source.get_ref().position() - read <= 64 << 10);
    }
    assert_eq!(read, array.len() as u64);
}
