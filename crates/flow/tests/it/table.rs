//! The table of cases in `tests/README.md` names a test for each of them.

/// The files of tests that the table names.
const FILES: [(&str, &str); 6] = [
    ("cases", include_str!("cases.rs")),
    ("checkpoints", include_str!("checkpoints.rs")),
    ("compressed", include_str!("compressed.rs")),
    ("files", include_str!("files.rs")),
    ("folder", include_str!("folder.rs")),
    ("follow", include_str!("follow.rs")),
];

/// Returns whether a file has a test that is not ignored.
fn has_test(name: &str) -> bool {
    let (file, test) = name.split_once("::").unwrap();
    let source = FILES.iter().find(|(known, _)| *known == file);
    let source = source.unwrap_or_else(|| panic!("no file {file}")).1;
    let source = source.replace("\r\n", "\n");
    source.contains(&format!("#[test]\nfn {test}() {{\n"))
}

/// Returns the numbers of a cell like `1-3, 6`, and none for other cells.
fn numbers(cell: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    let ranges: Option<Vec<_>> = cell.split(", ").map(range).collect();
    ranges.into_iter().flatten().flatten().collect()
}

/// Four cases were tested in part, and nothing showed it.
#[test]
fn every_case_has_a_test() {
    let mut cases = vec![];
    for row in include_str!("../README.md").lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let ["", case, _, tests, ""] = cells[..] else { continue };
        let numbers = numbers(case);
        if numbers.is_empty() {
            continue;
        }
        cases.extend(numbers);
        for test in tests.split(", ") {
            let name = test.trim_matches('`');
            assert!(has_test(name), "case {case}: no test {name}");
        }
    }
    cases.sort_unstable();
    assert_eq!(cases, (1..=65).collect::<Vec<u32>>());
}
