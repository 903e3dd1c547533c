//! Columns that are not asked for, and lines that are not needed.

use arrow_array::RecordBatch;
use linetape_arrow::{Batches, Options, Table, Wanted};

use crate::{
    logs::{self, MIXED},
    rows::{int, text},
};

/// The values of a column do not depend on the other columns.
#[test]
fn every_projection_has_the_same_values() {
    for (name, log) in logs::all() {
        for table in Table::ALL {
            let options = Options::default();
            let all = logs::read(&log, table, &options);
            let count = all.num_columns();
            let mut projections: Vec<Vec<usize>> =
                (0..count).map(|index| vec![index]).collect();
            projections.push(vec![]);
            projections.push(vec![5, 1, 0]);
            for columns in projections {
                let reader = options.reader.build(&log[..]);
                let batches = Batches::new(reader, "log", table, &options);
                let found = logs::joined(batches.columns(&columns).unwrap());
                let expected = all.project(&columns).unwrap();
                assert_eq!(found, expected, "{columns:?} of {name}");
            }
        }
    }
}

fn wanted(log: &[u8], table: Table, wanted: &Wanted) -> RecordBatch {
    let options = Options::default();
    let reader =
        options.reader.clone().level(linetape::Level::Kind).build(log);
    let batches = Batches::new(reader, "log", table, &options);
    logs::joined(batches.wanted(wanted.clone()))
}

/// A row that passes the conditions is always returned. Rows that do not may
/// be returned as well.
#[test]
fn no_row_that_is_wanted_is_skipped() {
    let list = |values: &[&str]| {
        Some(values.iter().map(|v| v.to_string()).collect::<Vec<_>>())
    };
    let conditions = [
        Wanted { types: list(&["assistant"]), ..Wanted::default() },
        Wanted { types: list(&["user", "result"]), ..Wanted::default() },
        Wanted { types: list(&[]), ..Wanted::default() },
        Wanted { kinds: list(&["system/init"]), ..Wanted::default() },
        Wanted { kinds: list(&["system", "user"]), ..Wanted::default() },
        Wanted { sessions: list(&["s1"]), ..Wanted::default() },
        Wanted { since: Some(1_767_323_046_000), ..Wanted::default() },
        Wanted { until: Some(1_767_323_046_000), ..Wanted::default() },
    ];
    // Over all conditions together, one that skips nothing was not noticed.
    let mut skipped = vec![0; conditions.len()];
    for (name, log) in logs::all() {
        let all = logs::read(&log, Table::Lines, &Options::default());
        for (condition, skipped) in conditions.iter().zip(&mut skipped) {
            let passes = |batch: &RecordBatch, row: usize| {
                let is = |column: &str, values: &Option<Vec<String>>| {
                    values.as_ref().is_none_or(|values| {
                        let value = text(batch, column, row);
                        value.is_some_and(|v| values.iter().any(|w| w == v))
                    })
                };
                let time = || {
                    let text = text(batch, "timestamp_text", row)?;
                    linetape::timestamp::milliseconds(text)
                };
                is("type", &condition.types)
                    && is("kind", &condition.kinds)
                    && is("session_id", &condition.sessions)
                    && condition
                        .since
                        .is_none_or(|t| time().is_some_and(|at| at >= t))
                    && condition
                        .until
                        .is_none_or(|t| time().is_some_and(|at| at <= t))
            };
            let places = |batch: &RecordBatch| {
                let rows = 0..batch.num_rows();
                rows.filter(|row| passes(batch, *row))
                    .map(|row| {
                        let offset = int(batch, "offset", row);
                        (offset, int(batch, "nested", row))
                    })
                    .collect::<Vec<_>>()
            };
            let some = wanted(&log, Table::Lines, condition);
            assert_eq!(places(&some), places(&all), "{condition} of {name}");
            *skipped += all.num_rows() - some.num_rows();
        }
    }
    assert!(skipped.iter().all(|rows| *rows > 100), "{skipped:?}");
}

/// Lines that cannot be read are not nested.
#[test]
fn nested_messages_are_skipped() {
    let log = MIXED.as_bytes();
    let condition = Wanted { without_nested: true, ..Wanted::default() };
    let all = logs::read(log, Table::Lines, &Options::default());
    let found = wanted(log, Table::Lines, &condition);
    let places = |batch: &RecordBatch| {
        let rows = 0..batch.num_rows();
        let place =
            |row| (int(batch, "offset", row), int(batch, "nested", row));
        rows.map(place).collect::<Vec<_>>()
    };
    let mut expected = places(&all);
    expected.retain(|(_, nested)| nested.is_none());
    assert_eq!(places(&found), expected);
    assert!(expected.len() < all.num_rows());
    // The nested ones are what other tables are made of.
    let all = logs::read(log, Table::Blocks, &Options::default());
    assert_eq!(wanted(log, Table::Blocks, &condition), all);
}

#[test]
fn lines_of_other_kinds_and_sessions_are_skipped() {
    let user = Some(vec!["user".to_string()]);
    let condition = Wanted { types: user, ..Wanted::default() };
    let batch = wanted(MIXED.as_bytes(), Table::Lines, &condition);
    let shown: Vec<_> =
        (0..batch.num_rows()).map(|row| text(&batch, "kind", row)).collect();
    // The nested messages of a line may have another kind. Lines that cannot
    // be read have none.
    let (user, progress) = (Some("user"), Some("progress"));
    let nested = Some("assistant");
    assert_eq!(shown, [None, user, progress, nested, None, None]);
    // The id is escaped, and is found all the same.
    let log = "{\"type\":\"user\",\"session_id\":\"\\u0073\\u0031\"}\n\
               {\"type\":\"user\",\"session_id\":\"s2\"}\n";
    let sessions = Some(vec!["s1".to_string()]);
    let condition = Wanted { sessions, ..Wanted::default() };
    let batch = wanted(log.as_bytes(), Table::Lines, &condition);
    assert_eq!(batch.num_rows(), 1);
    assert_eq!(text(&batch, "session_id", 0), Some("s1"));
}

/// An id that JSON cannot write without an escape was not found in its lines.
#[test]
fn lines_of_a_session_whose_id_needs_escapes_are_not_skipped() {
    for (id, escaped) in [
        ("C:\\x", r"C:\\x"),
        ("a\"b", r#"a\"b"#),
        ("a\tb", r"a\tb"),
        ("a\nb", r"a\u000ab"),
    ] {
        let log = format!(
            "{{\"type\":\"user\",\"session_id\":\"{escaped}\"}}\n\
             {{\"type\":\"user\",\"session_id\":\"s2\"}}\n"
        );
        let sessions = Some(vec![id.to_string()]);
        let condition = Wanted { sessions, ..Wanted::default() };
        let batch = wanted(log.as_bytes(), Table::Lines, &condition);
        assert_eq!(batch.num_rows(), 1, "{id}");
        assert_eq!(text(&batch, "session_id", 0), Some(id));
    }
}

/// The time of a line was looked at only if the kind was asked for as well.
#[test]
fn lines_of_other_times_are_skipped() {
    let log = "{\"type\":\"user\",\"timestamp\":\"2026-01-02T03:04:05Z\"}\n\
               {\"type\":\"user\",\"timestamp\":\"2026-01-02T03:04:06Z\"}\n\
               {\"type\":\"user\"}\n";
    let since = Some(1_767_323_046_000);
    let condition = Wanted { since, ..Wanted::default() };
    let batch = wanted(log.as_bytes(), Table::Lines, &condition);
    assert_eq!(batch.num_rows(), 1);
}

/// A phrase may be written with escapes, which need not be the same as those of
/// the phrase.
#[test]
fn lines_with_a_phrase_are_not_skipped() {
    for (phrase, written) in [
        ("the test", "run the test now"),
        ("na\u{ef}ve", r"a na\u00efve one"),
        ("na\u{ef}ve", "a na\u{ef}ve one"),
        ("the test", r"\u0074he test"),
        ("a/b", r"see a\/b"),
        ("say \"hi\" now", r#"say \"hi\" now"#),
        ("C:\\temp", r"in C:\\temp"),
        ("one\ntwo", r"one\ntwo"),
        ("\t", r"a\tb"),
    ] {
        let other =
            "{\"type\":\"user\",\"message\":{\"content\":\"a \\n\"}}\n";
        let log = format!(
            "{other}{{\"type\":\"user\",\"message\":{{\"content\":\
             \"{written}\"}}}}\n{other}"
        );
        let phrases = vec![phrase.to_string()];
        let condition = Wanted { phrases, ..Wanted::default() };
        for table in [Table::Lines, Table::Blocks] {
            let batch = wanted(log.as_bytes(), table, &condition);
            let found = (0..batch.num_rows()).filter(|row| {
                text(&batch, "text", *row).unwrap().contains(phrase)
            });
            assert_eq!(found.count(), 1, "{phrase}");
            // Of a tab alone, nothing can be looked for.
            let rows = if phrase == "\t" { 3 } else { 1 };
            assert_eq!(batch.num_rows(), rows, "{phrase}");
        }
    }
}

#[test]
fn blocks_of_other_types_are_skipped() {
    let mut found_any = 0;
    for (name, log) in logs::all() {
        let all = logs::read(&log, Table::Blocks, &Options::default());
        for types in [
            &["text"][..],
            &["tool_use", "server_tool_use"],
            &["tool_result"],
            &["no such type"],
            &[],
        ] {
            let list = types.iter().map(|name| name.to_string()).collect();
            let condition =
                Wanted { block_types: Some(list), ..Wanted::default() };
            let places = |batch: &RecordBatch| {
                let rows = 0..batch.num_rows();
                rows.filter(|row| {
                    let name = text(batch, "block_type", *row);
                    name.is_some_and(|name| types.contains(&name))
                })
                .map(|row| {
                    let place = ["offset", "nested", "block"];
                    place.map(|column| int(batch, column, row))
                })
                .collect::<Vec<_>>()
            };
            let some = wanted(&log, Table::Blocks, &condition);
            assert_eq!(places(&some), places(&all), "{condition} of {name}");
            assert_eq!(places(&some).len(), some.num_rows(), "{name}");
            found_any += some.num_rows();
        }
    }
    assert!(found_any > 50, "{found_any}");
}
