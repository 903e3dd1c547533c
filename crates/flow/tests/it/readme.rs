//! The example in the README of the workspace is compiled in that of the crate.

/// Returns the first block of code after a heading, without hidden lines.
fn example(readme: &str) -> String {
    let readme = readme.replace("\r\n", "\n");
    let (_, chapter) = readme.split_once("\n## In a pipeline\n").unwrap();
    let (_, code) = chapter.split_once("\n```rust,").unwrap();
    let (code, _) = code.split_once("\n```\n").unwrap();
    let lines = code.lines().skip(1).filter(|line| !line.starts_with("# "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The chapter had no examples. The library cannot compile them, since it does
/// not depend on this crate.
#[test]
fn the_example_of_a_pipeline_is_compiled() {
    let compiled = example(include_str!("../../README.md"));
    assert!(compiled.contains("Router") && compiled.contains("LineCodec"));
    assert_eq!(example(include_str!("../../../../README.md")), compiled);
}
