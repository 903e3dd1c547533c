//! The aggregate functions of the views.

use serde_json::{Value, json};

use crate::support::{bare, error, rows};

/// Rows of one group in several batches, so that states are merged as well.
async fn of_group(values: &str, select: &str) -> Value {
    let context = bare(3);
    let parts = values.split(';').map(|values| {
        format!("SELECT 1 AS g, * FROM (VALUES {values}) AS t (v, a, b)")
    });
    let parts: Vec<String> = parts.collect();
    let sql = format!(
        "SELECT {select} FROM ({}) GROUP BY g",
        parts.join(" UNION ALL ")
    );
    rows(&context, &sql).await
}

#[tokio::test]
async fn the_first_and_the_last_value_are_found_in_any_order() {
    let values = [
        "('x', 2, 1), ('y', 1, 2); ('z', 1, 1), (NULL, 3, 0)",
        "(CAST(NULL AS VARCHAR), 3, 0); ('z', 1, 1); ('y', 1, 2); ('x', 2, 1)",
        "('z', 1, 1), (NULL, 3, 0), ('x', 2, 1), ('y', 1, 2)",
    ];
    let select = "first_by(v, a, b) AS f, last_by(v, a, b) AS l, \
                  last_by(v, a, b) IGNORE NULLS AS k, \
                  first_by(v, a, b) FILTER (WHERE a > 1) AS t, \
                  first_by(v, a, b) FILTER (WHERE a > 9) AS n";
    for values in values {
        let expected = json!([
            {"f": "z", "l": null, "k": "x", "t": "x", "n": null},
        ]);
        assert_eq!(of_group(values, select).await, expected, "{values}");
    }
}

/// A line of the conversation has no `nested`, and comes before those that have.
#[tokio::test]
async fn null_is_the_first_in_an_order() {
    let values = "(1, 5, 0), (2, NULL, 0); (3, 5, 1)";
    let select = "first_by(v, a, b) AS f, last_by(v, a, b) AS l";
    assert_eq!(of_group(values, select).await, json!([{"f": 2, "l": 3}]));
}

/// Each list has an item for each row, in one order.
#[tokio::test]
async fn lists_have_the_order_of_the_places() {
    let values = "('x', 2, 1), (NULL, 1, 2); ('z', 1, 1)";
    let select = "list_by(v, a, b, a) AS v, list_by(b, a, b, a) AS b";
    let expected = json!([{"v": ["z", null, "x"], "b": [1, 2, 1]}]);
    assert_eq!(of_group(values, select).await, expected);
}

/// A list of floating-point numbers lost their fractions, and one of texts with
/// 64-bit offsets had only NULL.
#[tokio::test]
async fn a_value_of_another_type_is_an_error_or_becomes_a_text() {
    for kind in ["Utf8", "Utf8View", "LargeUtf8"] {
        let values = format!("(arrow_cast('x', '{kind}'), 1, 2)");
        let select = "list_by(v, a, b, a) AS l, first_by(v, a) AS f";
        let expected = json!([{"l": ["x"], "f": "x"}]);
        assert_eq!(of_group(&values, select).await, expected, "{kind}");
    }
    for value in [
        "1.5",
        "CAST(1 AS INT)",
        "CAST(1.5 AS DECIMAL(9, 1))",
        "CAST(1 AS BIGINT UNSIGNED)",
        "TIMESTAMP '2026-01-02T03:04:05'",
        "DATE '2026-01-02'",
        "INTERVAL '1' DAY",
        "[1, 2]",
        "X'00'",
        "NULL",
    ] {
        for call in [
            "list_by(v, g, g, g)",
            "names_by(v, g, true, g, g, g)",
            "first_by(v, g)",
            "last_by(v, g)",
        ] {
            let sql = format!(
                "SELECT {call} FROM (SELECT 1 AS g, {value} AS v) GROUP BY g"
            );
            let why = error(&bare(1), &sql).await;
            let name = call.split('(').next().unwrap();
            let expected = format!("{name} takes texts");
            assert!(why.contains(&expected), "{sql}: {why}");
        }
    }
}

/// Only lists of these functions may be left out: they have the same length.
#[tokio::test]
async fn other_lists_decide_about_the_rows() {
    let context = bare(1);
    let sql =
        "SELECT b FROM (SELECT unnest([1, 2, 3]) AS a, unnest([7]) AS b)";
    let found = rows(&context, sql).await;
    assert_eq!(found.as_array().unwrap().len(), 3);
}

/// With a grouping set, the expression of another column was looked at, and the
/// list that decides about the rows was left out.
#[tokio::test]
async fn with_a_grouping_set_the_longest_list_decides_about_the_rows() {
    let context = bare(1);
    let sql = "SELECT count(*) AS n, count(a) AS a, \
        count(array_length(z)) AS z \
        FROM (SELECT unnest(x) AS a, unnest(y) AS b, z \
        FROM (SELECT g, array_agg(v) FILTER (WHERE v = 1) AS x, \
        list_by(v, v, v, v) AS y, list_by(g, v, v, v) AS z \
        FROM (VALUES (1, 1), (1, 2), (2, 3)) AS t (g, v) GROUP BY ROLLUP (g)))";
    // Three groups have 2, 1 and 3 values.
    let expected = json!([{"n": 6, "a": 2, "z": 6}]);
    assert_eq!(rows(&context, sql).await, expected);
}

/// There was no accumulator for a query without GROUP BY.
#[tokio::test]
async fn all_rows_may_be_one_group() {
    let select = "first_by(v, a, b) AS f, last_by(v, a, b) AS l, \
                  last_by(v, a, b) IGNORE NULLS AS k, \
                  first_by(v, a, b) FILTER (WHERE a > 9) AS n, \
                  list_by(b, a, b, a) AS b, key_set(a, b) AS s, \
                  count_by_rank(a, b, a > 0, a, a, a, a) AS r";
    let none =
        json!([{"f": null, "l": null, "k": null, "n": null, "r": null}]);
    for partitions in [1, 3] {
        let context = bare(partitions);
        for values in [
            "('x', 2, 1), ('y', 1, 2); ('z', 1, 1), (NULL, 3, 0)",
            "('z', 1, 1), (NULL, 3, 0), ('x', 2, 1), ('y', 1, 2)",
        ] {
            let parts = values.split(';').map(|values| {
                format!("SELECT * FROM (VALUES {values}) AS t (v, a, b)")
            });
            let parts: Vec<String> = parts.collect();
            let from = parts.join(" UNION ALL ");
            let sql = format!("SELECT {select} FROM ({from})");
            let grouped = format!(
                "SELECT {select} FROM (SELECT 1 AS g, * FROM ({from})) GROUP BY g"
            );
            let found = rows(&context, &sql).await;
            assert_eq!(found, rows(&context, &grouped).await, "{values}");
            assert_eq!(found[0]["f"], "z");
            assert_eq!(found[0]["k"], "x");
            // There is one row, even if there are no rows.
            let sql = format!("SELECT {select} FROM ({from}) WHERE a > 99");
            let mut found = rows(&context, &sql).await;
            let row = found[0].as_object_mut().unwrap();
            assert_eq!(row.remove("b"), Some(json!([])));
            // As for a group whose keys are all NULL.
            assert_eq!(row.remove("s"), Some(json!([null])));
            assert_eq!(found, none);
            let sql = format!(
                "SELECT first_by(v, a, b) OVER (ORDER BY a) AS f FROM ({from})"
            );
            let why = error(&context, &sql).await;
            assert!(why.contains("first_by with OVER"), "{why}");
        }
    }
}
