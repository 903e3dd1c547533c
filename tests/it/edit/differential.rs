//! Random edits of random lines, compared with the same edits by serde_json,
//! and byte by byte with the text outside of them.

use linetape::{Decoder, Value, edit::Editor};
use proptest::{collection::vec, prelude::*};
use serde_json::Value as Json;

use crate::support::{
    counting::CALLS,
    logs,
    texts::{any_object, cases, message},
};

/// All values below the outermost one, with their pointers, in the order of
/// the text.
fn below<'a>(value: Value<'a>, at: &str, all: &mut Vec<(String, Value<'a>)>) {
    let mut add = |path: String, value: Value<'a>| {
        all.push((path.clone(), value));
        below(value, &path, all);
    };
    for (key, value) in value.as_object().into_iter().flatten() {
        let key = key.replace('~', "~0").replace('/', "~1");
        add(format!("{at}/{key}"), value);
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        add(format!("{at}/{index}"), item);
    }
}

/// Returns the texts of all scalars, outside of a span.
fn scalars<'a>(
    line: &'a [u8],
    value: Value<'_>,
    without: &std::ops::Range<usize>,
) -> Vec<&'a [u8]> {
    let mut all = vec![];
    below(value, "", &mut all);
    let spans = all.into_iter().filter_map(|(_, value)| {
        let span = value.span().unwrap();
        let is_scalar =
            value.as_object().is_none() && value.as_array().is_none();
        let is_inside = without.start <= span.start && span.end <= without.end;
        (is_scalar && !is_inside).then(|| &line[span])
    });
    spans.collect()
}

/// Removes the value at a pointer.
fn remove(json: &mut Json, path: &str) {
    let (parent, last) = path.rsplit_once('/').unwrap();
    let last = last.replace("~1", "/").replace("~0", "~");
    match json.pointer_mut(parent).unwrap() {
        Json::Object(map) => drop(map.remove(&last).unwrap()),
        Json::Array(items) => drop(items.remove(last.parse().unwrap())),
        other => panic!("{other}"),
    }
}

/// Whether an object has a key twice, which serde_json forgets.
fn has_duplicates(value: Value<'_>) -> bool {
    let mut all = vec![];
    below(value, "", &mut all);
    let mut paths: Vec<_> = all.iter().map(|(path, _)| path).collect();
    paths.sort();
    paths.windows(2).any(|pair| pair[0] == pair[1])
}

/// Applies edits, at most one of each value and none inside of another, in
/// both ways.
fn compare(text: &[u8], picks: &[(usize, u8)]) {
    let mut decoder = Decoder::new();
    let line = decoder.line(text);
    let Ok(message) = line.checked() else { return };
    let root = message.value();
    let mut all = vec![];
    below(root, "", &mut all);
    if all.is_empty() || has_duplicates(root) {
        return;
    }
    let mut chosen: Vec<(usize, u8)> =
        picks.iter().map(|(n, how)| (n % all.len(), how % 3)).collect();
    chosen.sort();
    chosen.dedup_by_key(|(n, _)| *n);
    let span = |n: usize| all[n].1.span().unwrap();
    let mut last = 0;
    chosen.retain(|(n, _)| {
        let is_free = span(*n).start >= last;
        last = if is_free { span(*n).end } else { last };
        is_free
    });

    let mut editor = Editor::new();
    let mut edit = editor.edit(&line).unwrap();
    let mut json: Json = serde_json::from_slice(text).unwrap();
    // In the order of the text for linetape; backwards for serde_json, so
    // that the indexes of items stay right.
    for (n, how) in &chosen {
        let (path, value) = &all[*n];
        match how {
            0 => edit.replace(*value, "{\"new\": [1]}").unwrap(),
            1 if path == "/type" => edit.replace(*value, "null").unwrap(),
            1 => edit.remove(*value).unwrap(),
            _ if value.as_array().is_some() => {
                edit.insert(*value, "-", "\"more\"").unwrap();
            }
            _ => edit.replace_at(path, "-0.50").unwrap(),
        }
    }
    for (n, how) in chosen.iter().rev() {
        let (path, value) = &all[*n];
        let place = json.pointer_mut(path).unwrap();
        match how {
            0 => *place = serde_json::json!({ "new": [1] }),
            1 if path == "/type" => *place = Json::Null,
            1 => remove(&mut json, path),
            _ if value.as_array().is_some() => {
                place.as_array_mut().unwrap().push("more".into());
            }
            _ => *place = serde_json::json!(-0.5),
        }
    }
    let ours = edit.finish().unwrap();
    assert_eq!(serde_json::from_slice::<Json>(ours).unwrap(), json);

    // One edit at a time, byte by byte.
    for (n, _) in &chosen {
        let (_, value) = all[*n];
        let span = span(*n);
        let mut edit = editor.edit(&line).unwrap();
        edit.replace(value, "\"x\"").unwrap();
        let expected =
            [&text[..span.start], b"\"x\"", &text[span.end..]].concat();
        assert_eq!(edit.finish().unwrap(), expected);

        let mut edit = editor.edit(&line).unwrap();
        edit.remove(value).unwrap();
        let ours = edit.finish().unwrap().to_vec();
        let mut decoder = Decoder::new();
        let left = decoder.line(&ours);
        assert_eq!(
            scalars(&ours, left.checked().unwrap().value(), &(0..0)),
            scalars(text, root, &span)
        );
    }
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn edits_are_those_of_serde_json(
        line in prop_oneof![any_object(), message()],
        picks in vec((any::<usize>(), any::<u8>()), 1..8),
    ) {
        compare(line.as_bytes(), &picks);
    }
}

#[test]
fn edits_of_real_and_shipped_logs_are_those_of_serde_json() {
    let mut files: Vec<Vec<u8>> =
        logs::fixtures().into_iter().map(|(_, bytes)| bytes).collect();
    files.extend(logs::corpus_files());
    let mut compared = 0;
    for file in files {
        for (n, line) in file.split(|&b| b == b'\n').enumerate().take(400) {
            if line.len() < 10_000 {
                compare(line, &[(n, 0), (n * 7 + 1, 1), (n * 31 + 5, 2)]);
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn nothing_is_allocated_for_a_line_once_there_is_memory() {
    let mut decoder = Decoder::new();
    let mut editor = Editor::new();
    let text = br#"{"type":"a","list":[1,2,3],"text":"a\n\u0062"}"#;
    let mut allocated = 0;
    for round in 0..100 {
        let before = CALLS.get();
        let line = decoder.line(text);
        let mut edit = editor.edit(&line).unwrap();
        edit.replace_at("/text", "\"***\"").unwrap();
        edit.remove_at("/list/1").unwrap();
        edit.insert_at("/list/-", "4").unwrap();
        edit.insert_at("/new", "{}").unwrap();
        assert!(edit.finish().unwrap().len() > 10);
        if round >= 3 {
            allocated += CALLS.get() - before;
        }
    }
    assert_eq!(allocated, 0);
}
