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

/// Four cases were tested in part, and nothing showed it.
#[test]
fn every_case_has_a_test() {
    let mut cases = vec![];
    for row in include_str!("../README.md").lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let ["", case, _, tests, ""] = cells[..] else { continue };
        let Ok(case) = case.parse::<u32>() else { continue };
        cases.push(case);
        for test in tests.split(", ") {
            let name = test.trim_matches('`');
            assert!(has_test(name), "case {case}: no test {name}");
        }
    }
    assert_eq!(cases, (1..=65).collect::<Vec<u32>>());
}
