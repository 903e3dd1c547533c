//! Edits of a line: what changes, what stays, and what is refused.

use linetape::{Decoder, Edit, Error, ErrorKind, Limits, edit::Editor, lines};

/// Edits a line, and returns the result as a text.
fn edited(
    line: &str,
    work: impl FnOnce(&mut Edit<'_, '_>) -> Result<(), Error>,
) -> Result<String, Error> {
    let mut decoder = Decoder::new();
    let line = decoder.line(line.as_bytes());
    let mut editor = Editor::new();
    let mut edit = editor.edit(&line)?;
    work(&mut edit)?;
    Ok(String::from_utf8(edit.finish()?.to_vec()).unwrap())
}

fn refused(
    line: &str,
    work: impl FnOnce(&mut Edit<'_, '_>) -> Result<(), Error>,
) -> String {
    let error = edited(line, work).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    error.to_string()
}

#[test]
fn everything_but_the_value_stays() {
    let line = concat!(
        " { \"x\" :\t1.50 , \"\\u0062\":\"\\/\\u0061\",\"a\":-0,",
        "\"c\":[ 1e2 ,{ } ] }\r "
    );
    assert_eq!(edited(line, |_| Ok(())).unwrap(), line);
    let ours = edited(line, |edit| {
        edit.replace_at("/b", "\"x\"")?;
        edit.replace_at("/a", " 7 ")?;
        edit.replace_at("/c/1", "null")
    });
    let theirs = concat!(
        " { \"x\" :\t1.50 , \"\\u0062\":\"x\",\"a\":7,",
        "\"c\":[ 1e2 ,null ] }\r "
    );
    assert_eq!(ours.unwrap(), theirs);
}

#[test]
fn a_removed_element_takes_one_comma_with_it() {
    let remove = |line: &str, paths: &[&str]| {
        edited(line, |edit| {
            paths.iter().try_for_each(|path| edit.remove_at(path))
        })
        .unwrap()
    };
    let line = r#"{"a":1, "b" : [1 , 2,3 ] ,"c\"\\":{"d":0}}"#;
    assert_eq!(
        remove(line, &["/a"]),
        r#"{"b" : [1 , 2,3 ] ,"c\"\\":{"d":0}}"#
    );
    assert_eq!(remove(line, &["/b"]), r#"{"a":1, "c\"\\":{"d":0}}"#);
    assert_eq!(remove(line, &["/c\"\\"]), r#"{"a":1, "b" : [1 , 2,3 ] }"#);
    assert_eq!(remove(line, &["/c\"\\/d"]), line.replace(r#""d":0"#, ""));
    assert_eq!(remove(line, &["/b/0"]), line.replace("1 , ", ""));
    assert_eq!(remove(line, &["/b/2"]), line.replace(",3", ""));
    assert_eq!(remove(line, &["/b/1", "/b/2"]), line.replace(" , 2,3", " "));
    assert_eq!(
        remove(line, &["/b/2", "/b/0", "/b/1"]),
        line.replace("1 , 2,3", "")
    );
    assert_eq!(remove(line, &["/c\"\\", "/a", "/b"]), "{}");
}

#[test]
fn insertions_are_where_they_are_asked_for() {
    let line = r#"{"list":[1, 2 ],"empty":[ ],"none":{}}"#;
    let ours = edited(line, |edit| {
        edit.insert_at("/list/0", "0")?;
        edit.insert_at("/list/1", "1.5")?;
        edit.insert_at("/list/2", "3")?;
        edit.insert_at("/list/-", "4")?;
        edit.insert_at("/empty/0", "[]")?;
        edit.insert_at("/none/x~1y", "{}")?;
        edit.insert_at("/none/\"", "1")?;
        edit.insert_at("/new", "\"\"")
    });
    assert_eq!(
        ours.unwrap(),
        concat!(
            r#"{"list":[0,1, 1.5,2,3,4 ],"empty":[[] ],"#,
            r#""none":{"x/y":{},"\"":1},"new":""}"#
        )
    );
    // The only item goes, and others come.
    let ours = edited("{\"a\":[1]}", |edit| {
        edit.insert_at("/a/-", "3")?;
        edit.remove_at("/a/0")?;
        edit.insert_at("/a/0", "2")
    });
    assert_eq!(ours.unwrap(), "{\"a\":[2,3]}");
    let ours = edited("{\"a\":1}", |edit| {
        edit.insert_at("/b", "2")?;
        edit.remove_at("/a")
    });
    assert_eq!(ours.unwrap(), "{\"b\":2}");
}

#[test]
fn a_splice_changes_keys_and_parts_of_strings() {
    let line = r#"{"key":"a\nsecret"}"#;
    let ours = edited(line, |edit| {
        edit.splice(2..5, "name")?;
        let at = line.find("secret").unwrap();
        edit.splice(at..at + 6, "***")
    });
    assert_eq!(ours.unwrap(), r#"{"name":"a\n***"}"#);
    assert!(refused(line, |edit| edit.splice(3..99, "")).contains("range"));
}

#[test]
fn an_edit_that_cannot_be_made_is_refused() {
    let line = r#"{"type":"a","list":[1],"o":{"x":[1]}}"#;
    let why = |path: &str, json: &str| {
        refused(line, |edit| edit.replace_at(path, json))
    };
    assert_eq!(
        why("/none", "1"),
        "line 1 (byte 0): edit refused: no value at this pointer"
    );
    for text in ["", " ", "1,2", "1 2", "01", "{", "\"a", "1,\"x\":2", "nul"] {
        assert!(why("/list", text).contains("not one JSON value"), "{text}");
    }
    assert!(why("/list", "[1,\n2]").contains("newline"));
    let insert = |path: &str| refused(line, |edit| edit.insert_at(path, "1"));
    assert!(insert("/list/2").contains("index"));
    assert!(insert("/list/01").contains("index"));
    assert!(insert("/type/x").contains("neither"));
    assert!(insert("/type").contains("duplicate key"));
    assert!(insert("").contains("empty JSON Pointer"));
    assert!(refused(line, |edit| edit.remove_at("")).contains("outermost"));

    for paths in [["/o", "/o/x"], ["/o/x/0", "/o"], ["/list", "/list"]] {
        let text = refused(line, |edit| {
            edit.replace_at(paths[0], "1")?;
            edit.remove_at(paths[1])
        });
        assert!(text.contains("overlap"), "{text}");
    }
    let text = refused(line, |edit| {
        edit.insert_at("/o/y", "1")?;
        edit.replace_at("/o", "1")
    });
    assert!(text.contains("overlap"), "{text}");
}

/// An edit at a pointer.
type EditAt = fn(&mut Edit<'_, '_>, &str) -> Result<(), Error>;

/// Of a key that occurs twice, only the last value was replaced or removed: a
/// field that was masked kept its first value.
#[test]
fn a_pointer_with_a_duplicate_key_is_refused() {
    for (line, path, at) in [
        (r#"{"a":"secret","a":"b"}"#, "/a", 14),
        (r#"{"a":"secret","\u0061":"b"}"#, "/a", 14),
        (r#"{"\u0061":"secret","a":"b"}"#, "/a", 19),
        (r#"{"a" : 1 , "b":0, "a" :1,"a":2}"#, "/a", 18),
        (r#"{"o":{"k":"secret","k":{"x":1}}}"#, "/o/k", 19),
        // A key on the way.
        (r#"{"o":{"k":1},"o":{"k":2}}"#, "/o/k", 13),
        (r#"{"o":1,"o":[{"k":2}]}"#, "/o/0/k", 7),
        (r#"{"l":[{"k":1},{"k":2,"k":3}]}"#, "/l/1/k", 21),
        (r#"{"a/~b":1,"a\/~b":2}"#, "/a~1~0b", 10),
        (r#"{"":1,"":2}"#, "/", 6),
    ] {
        let edits: [EditAt; 3] = [
            |edit, path| edit.replace_at(path, "\"***\""),
            |edit, path| edit.remove_at(path),
            |edit, path| edit.insert_at(&format!("{path}/new"), "1"),
        ];
        for work in edits {
            let error = edited(line, |edit| work(edit, path)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::DuplicateKey, "{line}");
            assert_eq!(error.position().byte(), at, "{line}");
        }
    }
    let twice = r#"{"a":1,"a":2}"#;
    let error = edited(twice, |edit| edit.remove_at("/a")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1 (byte 7): edit refused: duplicate key, at `a`"
    );
    // A key that occurs twice elsewhere is no obstacle, and neither are values.
    let line = r#"{"b":1,"b":2,"a":{"b":3},"l":[{"a":1},{"a":2}]}"#;
    let ours = edited(line, |edit| {
        edit.replace_at("/a/b", "4")?;
        edit.remove_at("/l/0/a")
    });
    let expected = r#"{"b":1,"b":2,"a":{"b":4},"l":[{},{"a":2}]}"#;
    assert_eq!(ours.unwrap(), expected);

    let mut decoder = Decoder::new();
    let line = decoder.line(br#"{"a":"secret","\u0061":"b"}"#);
    let mut editor = Editor::new();
    let mut edit = editor.edit(&line).unwrap();
    let object = line.peek().unwrap().value().as_object().unwrap();
    for (key, value) in object {
        assert_eq!(key, "a");
        edit.replace(value, "\"***\"").unwrap();
    }
    let masked = br#"{"a":"***","\u0061":"***"}"#;
    assert_eq!(edit.finish().unwrap(), masked);
}

#[test]
fn the_result_is_checked() {
    let fails = |work: fn(&mut Edit<'_, '_>) -> Result<(), Error>| {
        edited(r#"{"type":"a","b":[]}"#, work).unwrap_err().kind()
    };
    assert_eq!(fails(|e| e.splice(0..1, "")), ErrorKind::NotAnObject);
    assert_eq!(fails(|e| e.splice(9..9, "\"")), ErrorKind::Syntax);
    assert_eq!(fails(|e| e.replace_at("", "[]")), ErrorKind::NotAnObject);
    // A second `type`, which readers do not accept.
    let kind = fails(|e| e.splice(13..14, "type"));
    assert_eq!(kind, ErrorKind::DuplicateKey);

    let limits = Limits { max_depth: 3, ..Limits::default() };
    let mut editor = Editor::with_limits(limits);
    let mut decoder = Decoder::new();
    let line = decoder.line(br#"{"a":[0]}"#);
    let mut edit = editor.edit(&line).unwrap();
    edit.replace_at("/a/0", "[[]]").unwrap();
    assert_eq!(edit.finish().unwrap_err().kind(), ErrorKind::Depth);
    // The next edit does not see the failed one.
    assert_eq!(editor.edit(&line).unwrap().finish().unwrap(), line.as_bytes());

    // A line that is not valid is not edited.
    let line = decoder.line(br#"{"a":[01],"b":1}"#);
    assert!(line.peek().is_ok());
    assert_eq!(editor.edit(&line).unwrap_err().kind(), ErrorKind::Syntax);
}

#[test]
fn values_of_other_lines_and_decoded_values_are_refused() {
    let (mut one, mut two) = (Decoder::new(), Decoder::new());
    let text = br#"{"a":1}"#;
    let (line, other) = (one.line(text), two.line(text));
    let theirs = other.peek().unwrap().value().get("a").unwrap();
    let ours = line.peek().unwrap().value().get("a").unwrap();
    let mut editor = Editor::new();
    let mut edit = editor.edit(&line).unwrap();
    assert!(edit.replace(theirs, "2").is_err());
    assert!(edit.is_empty());
    edit.replace(ours, "2").unwrap();
    assert_eq!(edit.finish().unwrap(), br#"{"a":2}"#);

    let record = two.decode(text).unwrap();
    let decoded = record.value().get("a").unwrap();
    assert_eq!(decoded.span(), None);
    assert_eq!(ours.span(), Some(5..6));
    let mut edit = editor.edit(&line).unwrap();
    assert!(edit.remove(decoded).is_err());
}

#[test]
fn errors_have_the_position_of_the_line() {
    let mut lines = lines(b"{}\n{\"a\":1}\n");
    lines.next_line();
    let line = lines.next_line().unwrap().unwrap();
    let mut editor = Editor::new();
    let mut edit = editor.edit(&line).unwrap();
    let error = edit.remove_at("/b").unwrap_err();
    assert_eq!((error.position().line(), error.position().byte()), (2, 3));
    assert!(error.is_recoverable());
}
