//! Line diffs, for tests that compare long texts.

/// How many equal lines are shown around a change.
const CONTEXT: usize = 3;

/// Of a longer line, only the part around the first difference is shown.
const LONGEST: usize = 160;

/// How much of a long line is shown before the difference.
const BEFORE: usize = 60;

/// A line of the diff: both texts have it, or only one of them.
#[derive(Clone, Copy)]
enum Edit<'t> {
    Equal(&'t str),
    Expected(&'t str),
    Got(&'t str),
}

/// Returns the lines that differ, `-` for what was expected and `+` for what
/// was found instead, with some equal lines around them. Returns an empty
/// string if the texts are equal.
pub fn diff(expected: &str, got: &str) -> String {
    if expected == got {
        return String::new();
    }
    let edits = edits(
        &expected.split('\n').collect::<Vec<_>>(),
        &got.split('\n').collect::<Vec<_>>(),
    );
    let is_change = |edit: &Edit<'_>| !matches!(edit, Edit::Equal(_));
    let is_near = |at: usize| {
        let start = at.saturating_sub(CONTEXT);
        let end = (at + CONTEXT + 1).min(edits.len());
        edits[start..end].iter().any(is_change)
    };
    let mut text = String::new();
    let (mut line, mut is_gap) = (1, true);
    for (at, edit) in edits.iter().enumerate() {
        if is_near(at) {
            if is_gap {
                text += &format!("@@ line {line} @@\n");
            }
            text += &match edit {
                Edit::Equal(line) => format!("  {}\n", part(line, 0)),
                Edit::Expected(line) => {
                    format!("- {}\n", part(line, first_change(&edits, at)))
                }
                Edit::Got(line) => {
                    format!("+ {}\n", part(line, first_change(&edits, at)))
                }
            };
        }
        is_gap = !is_near(at);
        line += usize::from(!matches!(edit, Edit::Got(_)));
    }
    text
}

/// The longest common subsequence of lines, and the edits around it. Removed
/// lines come before the added ones.
fn edits<'t>(expected: &[&'t str], got: &[&'t str]) -> Vec<Edit<'t>> {
    // The length of the subsequence for the rest of both texts.
    let mut lengths = vec![vec![0_u32; got.len() + 1]; expected.len() + 1];
    for old in (0..expected.len()).rev() {
        for new in (0..got.len()).rev() {
            lengths[old][new] = match expected[old] == got[new] {
                true => lengths[old + 1][new + 1] + 1,
                false => lengths[old + 1][new].max(lengths[old][new + 1]),
            };
        }
    }
    let (mut old, mut new) = (0, 0);
    let mut edits = vec![];
    while old < expected.len() || new < got.len() {
        if old < expected.len() && new < got.len() && expected[old] == got[new]
        {
            edits.push(Edit::Equal(expected[old]));
            (old, new) = (old + 1, new + 1);
        } else if new == got.len()
            || old < expected.len()
                && lengths[old + 1][new] >= lengths[old][new + 1]
        {
            edits.push(Edit::Expected(expected[old]));
            old += 1;
        } else {
            edits.push(Edit::Got(got[new]));
            new += 1;
        }
    }
    edits
}

/// Where a changed line differs from its counterpart, in characters. The
/// first removed line of a run belongs to the first added one, and so on.
fn first_change(edits: &[Edit<'_>], at: usize) -> usize {
    let is_removed = |edit: &Edit<'_>| matches!(edit, Edit::Expected(_));
    let is_added = |edit: &Edit<'_>| matches!(edit, Edit::Got(_));
    let removed_from = match is_removed(&edits[at]) {
        true => run_start(&edits[..at], is_removed),
        false => {
            let added_from = run_start(&edits[..at], is_added);
            run_start(&edits[..added_from], is_removed)
        }
    };
    let removed: Vec<_> =
        edits[removed_from..].iter().take_while(|e| is_removed(e)).collect();
    let added_from = removed_from + removed.len();
    let added: Vec<_> =
        edits[added_from..].iter().take_while(|e| is_added(e)).collect();
    let index = match is_removed(&edits[at]) {
        true => at - removed_from,
        false => at - added_from,
    };
    match (removed.get(index), added.get(index)) {
        (Some(Edit::Expected(old)), Some(Edit::Got(new))) => {
            old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count()
        }
        _ => 0,
    }
}

/// Where the run of such edits begins that the slice ends with.
fn run_start(
    edits: &[Edit<'_>],
    is_such: impl Fn(&Edit<'_>) -> bool,
) -> usize {
    edits.iter().rposition(|edit| !is_such(edit)).map_or(0, |at| at + 1)
}

/// A line, or of a long one the part around a character.
fn part(line: &str, around: usize) -> String {
    let length = line.chars().count();
    if length <= LONGEST {
        return line.to_string();
    }
    let start = around.saturating_sub(BEFORE).min(length - LONGEST);
    let middle: String = line.chars().skip(start).take(LONGEST).collect();
    let before = if start > 0 { "..." } else { "" };
    let after = if start + LONGEST < length { "..." } else { "" };
    format!("{before}{middle}{after}")
}

#[test]
fn equal_texts_have_no_diff() {
    assert_eq!(diff("a\nb\n", "a\nb\n"), "");
}

#[test]
fn changes_have_three_lines_around_them() {
    let lines = |change: &str| {
        let lines = (1..=9).map(|n| match n {
            5 => change.to_string(),
            n => n.to_string(),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let expected =
        "@@ line 2 @@\n  2\n  3\n  4\n- old\n+ new\n  6\n  7\n  8\n";
    assert_eq!(diff(&lines("old"), &lines("new")), expected);
}

#[test]
fn lines_can_be_missing_at_either_end() {
    assert_eq!(diff("a\nb", "b\nc"), "@@ line 1 @@\n- a\n  b\n+ c\n");
    assert_eq!(diff("", "a\n"), "@@ line 1 @@\n+ a\n  \n");
}

#[test]
fn of_a_long_line_the_part_that_differs_is_shown() {
    let line = |end: &str| "x".repeat(5000) + end + &"y".repeat(5000);
    let shown = diff(&line("old"), &line("new"));
    assert!(shown.contains("xold") && shown.contains("xnew"), "{shown}");
    assert!(shown.len() < 400, "{shown}");
}
