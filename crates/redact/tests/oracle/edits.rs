//! Edits of a line, compared with the same edits of what serde_json reads.

use linetape::{Decoder, Line, Value, edit::Editor};

use super::{Choices, split, tree::Tree};

/// New values. The last ones are not exactly one value on one line.
const NEW: [&str; 14] = [
    "null",
    "true",
    "-1.50e3",
    "\"\"",
    "\"\\u00e9\\n\"",
    " {\"a\" : [1 , 2],\"a\":0} ",
    "[]",
    "{}",
    "",
    "1 2",
    "{\"a\":",
    "\"a",
    "1,\"b\":2",
    "[\n]",
];

/// Up to four edits, one after the other, and several at once.
pub fn edit(data: &[u8]) {
    let (text, mut choices) = split(data);
    let mut line = text.to_vec();
    let mut editor = Editor::new();
    for _ in 0..4 {
        let mut decoder = Decoder::new();
        let read = decoder.line(&line);
        let Ok(checked) = read.checked() else {
            assert!(editor.edit(&read).is_err());
            return;
        };
        let Some(tree) = Tree::read(&line) else { return };
        let root = checked.value();
        several(&read, root, &tree, &mut editor, &mut choices);
        match one(&read, root, tree, &mut editor, &mut choices) {
            Some(next) => line = next,
            None => continue,
        }
    }
}

/// Chooses a value: returns it, and the way to it.
fn choose<'a>(
    root: Value<'a>,
    choices: &mut Choices,
) -> (Value<'a>, Vec<usize>) {
    let (mut value, mut path) = (root, vec![]);
    loop {
        let children: Vec<Value<'a>> =
            match (value.as_object(), value.as_array()) {
                (Some(object), _) => object.iter().map(|(_, v)| v).collect(),
                (_, Some(array)) => array.iter().collect(),
                _ => vec![],
            };
        if children.is_empty() || choices.below(4) == 0 {
            return (value, path);
        }
        let at = choices.below(children.len());
        path.push(at);
        value = children[at];
    }
}

/// Makes one edit. Returns the new line, unless the edit was refused.
fn one<'a>(
    line: &Line<'a>,
    root: Value<'a>,
    mut tree: Tree,
    editor: &mut Editor,
    choices: &mut Choices,
) -> Option<Vec<u8>> {
    let old = line.as_bytes();
    let (value, path) = choose(root, choices);
    let span = value.span().unwrap();
    let new = choices.one_of(&NEW);
    let new_tree = match new.contains('\n') {
        true => None,
        false => Tree::read(new.as_bytes()),
    };
    let mut edit = editor.edit(line).unwrap();
    let what = choices.below(3);
    let (done, is_allowed) = match what {
        0 => {
            if let Some(new_tree) = new_tree.clone() {
                *tree.at(&path) = new_tree;
            }
            (edit.replace(value, new), new_tree.is_some())
        }
        1 => {
            if let Some((last, parent)) = path.split_last() {
                tree.at(parent).remove(*last);
            }
            (edit.remove(value), !path.is_empty())
        }
        _ => {
            let key = choices.one_of(&["a", "-", "0", "1", "é\"", "", "01"]);
            let into = tree.at(&path);
            let length = into.len();
            let is_allowed = match (into, new_tree) {
                (Tree::Object(members), Some(new))
                    if members.iter().all(|(own, _)| own != key) =>
                {
                    members.push((key.to_string(), new));
                    true
                }
                (Tree::Array(items), Some(new)) => {
                    let at = match key {
                        "-" => Some(length),
                        "0" => Some(0),
                        "1" => Some(1),
                        _ => None,
                    };
                    let at = at.filter(|at| *at <= length);
                    at.inspect(|at| items.insert(*at, new)).is_some()
                }
                _ => false,
            };
            (edit.insert(value, key, new), is_allowed)
        }
    };
    let shown = || String::from_utf8_lossy(old).into_owned();
    assert_eq!(done.is_ok(), is_allowed, "{done:?} {new:?} {}", shown());
    let made = edit.finish().map(<[u8]>::to_vec);
    if !is_allowed {
        // The line stays as it was.
        assert_eq!(made.unwrap(), old);
        return None;
    }
    // The result can be nested too deeply, or not be an object any more.
    let Ok(made) = made else {
        let is_whole = path.is_empty();
        assert!(is_whole || path.len() > 100, "{new:?} {}", shown());
        return None;
    };
    assert!(Decoder::new().line(&made).check().is_ok());
    assert_eq!(Tree::read(&made), Some(tree), "{new:?} {}", shown());
    // Everything else is the same: what goes or comes is in one place.
    if what == 0 {
        let new = new.trim().as_bytes();
        let expected = [&old[..span.start], new, &old[span.end..]].concat();
        assert_eq!(made, expected);
    }
    let same = |(a, b): &(&u8, &u8)| a == b;
    let before = old.iter().zip(&made).take_while(same).count();
    let rest = old.iter().rev().zip(made.iter().rev());
    let after = rest.take_while(same).count();
    assert!(
        what == 0 || before + after >= old.len().min(made.len()),
        "{}",
        shown()
    );
    Some(made)
}

/// Replaces several values at once, which is refused if two overlap.
fn several<'a>(
    line: &Line<'a>,
    root: Value<'a>,
    tree: &Tree,
    editor: &mut Editor,
    choices: &mut Choices,
) {
    let old = line.as_bytes();
    let mut chosen: Vec<(Value<'a>, Vec<usize>)> =
        (0..3).map(|_| choose(root, choices)).collect();
    chosen.sort_by_key(|(value, _)| value.span().unwrap().start);
    let mut edit = editor.edit(line).unwrap();
    let (mut expected, mut tree) = (vec![], tree.clone());
    let (mut at, mut overlaps) = (0, false);
    for (n, (value, path)) in chosen.iter().enumerate() {
        let span = value.span().unwrap();
        let new = format!("[{n}]");
        edit.replace(*value, &new).unwrap();
        overlaps |= n > 0 && span.start < at;
        if !overlaps {
            expected.extend_from_slice(&old[at..span.start]);
            expected.extend_from_slice(new.as_bytes());
            *tree.at(path) = Tree::read(new.as_bytes()).unwrap();
        }
        at = span.end;
    }
    let made = edit.finish();
    if overlaps {
        assert!(made.is_err());
        return;
    }
    expected.extend_from_slice(&old[at..]);
    match made {
        Ok(made) => {
            assert_eq!(made, expected);
            assert_eq!(Tree::read(made), Some(tree));
        }
        Err(_) => assert!(Decoder::new().line(&expected).check().is_err()),
    }
}
