//! Sums of any counts are right.

use serde_json::json;

use crate::support::{Folder, bare, logs, rows};

const LARGEST: u64 = (1 << 53) - 1;

fn line(id: usize, tokens: u64) -> String {
    format!(
        "{{\"type\":\"assistant\",\"session_id\":\"s{}\",\"message\":{{\
         \"id\":\"m{id}\",\"usage\":{{\"input_tokens\":{tokens},\
         \"output_tokens\":{tokens}}}}}}}\n",
        id % 2
    )
}

/// A sum of 1,025 huge counts does not fit into 64 bits with a sign. It was
/// -9214364837600035841, without an error.
#[tokio::test]
async fn sums_of_huge_counts_do_not_wrap_around() {
    let folder = Folder::new();
    let log: String = (0..1025).map(|id| line(id, LARGEST)).collect();
    folder.write("a.jsonl", log);
    let all = 1025 * u128::from(LARGEST);
    let even = 513 * u128::from(LARGEST);
    for partitions in [1, 3] {
        let context = logs(folder.path(), partitions).await;
        let cases = [
            ("SELECT sum(output_tokens) AS n FROM usage", all),
            ("SELECT sum(output_tokens) AS n FROM lines", all),
            (
                "SELECT sum(input_tokens) + sum(output_tokens) AS n FROM usage",
                2 * all,
            ),
            (
                "SELECT sum(input_tokens + output_tokens) AS n FROM usage",
                2 * all,
            ),
            (
                "SELECT max(n) AS n FROM (SELECT sum(output_tokens) AS n FROM \
                 usage GROUP BY session_id)",
                even,
            ),
            (
                "SELECT max(n) AS n FROM (SELECT sum(output_tokens) OVER \
                 (ORDER BY message_id) AS n FROM usage)",
                all,
            ),
            (
                "SELECT sum(DISTINCT output_tokens) AS n FROM usage",
                u128::from(LARGEST),
            ),
            ("SELECT sum(output_tokens) AS n FROM sessions", all),
            (
                "SELECT n FROM (SELECT sum(output_tokens) FILTER (WHERE \
                 output_tokens > 0) AS n, count(*) AS m FROM usage)",
                all,
            ),
            (
                "SELECT sum(output_tokens) AS n FROM usage_lines HAVING \
                 sum(output_tokens) > 1",
                all,
            ),
            ("SELECT max(output_tokens) AS n FROM sessions", even),
        ];
        for (sql, expected) in cases {
            let text = format!("SELECT CAST(n AS VARCHAR) AS n FROM ({sql})");
            let row = json!([{"n": expected.to_string()}]);
            assert_eq!(rows(&context, &text).await, row, "{sql}");
        }
    }
}

/// The sums of other types are as before, and are numbers in JSON.
#[tokio::test]
async fn other_sums_are_those_of_datafusion() {
    let context = bare(2);
    for (sql, expected) in [
        ("SELECT sum(x) AS n FROM (VALUES (1), (-3)) AS t(x)", json!(-2)),
        ("SELECT sum(x) AS n FROM (VALUES (1.5), (2)) AS t(x)", json!(3.5)),
        ("SELECT sum(x) AS n FROM (VALUES (1), (NULL)) AS t(x)", json!(1)),
        (
            "SELECT sum(x) AS n FROM (VALUES (1)) AS t(x) WHERE x > 1",
            json!(null),
        ),
        (
            "SELECT sum(arrow_cast(x, 'UInt64')) AS n FROM (VALUES (1), (2)) \
             AS t(x)",
            json!(3),
        ),
        ("SELECT sum(CAST(NULL AS BIGINT)) AS n", json!(null)),
        ("SELECT avg(x) AS n FROM (VALUES (1), (2)) AS t(x)", json!(1.5)),
    ] {
        assert_eq!(
            rows(&context, sql).await,
            json!([{"n": expected}]),
            "{sql}"
        );
    }
    let why = crate::support::error(&context, "SELECT sum('x')").await;
    assert!(why.contains("sum"), "{why}");
}

/// Operators of DataFusion wrap around: this product was negative.
#[tokio::test]
async fn arithmetic_with_huge_counts_is_an_error() {
    let folder = Folder::new();
    folder.write("a.jsonl", line(1, LARGEST) + &line(2, 7));
    let context = logs(folder.path(), 2).await;
    for sql in [
        "SELECT output_tokens * 1025 FROM lines",
        "SELECT sum(output_tokens * 1025) FROM usage",
        "SELECT sum(1025 * output_tokens) OVER () FROM usage",
        "SELECT message_id FROM usage WHERE output_tokens * 1025 < 0",
        "SELECT count(*) FROM usage GROUP BY output_tokens * 1025",
        "SELECT message_id FROM usage ORDER BY output_tokens * 1025",
        "SELECT output_tokens + 9223372036854775807 FROM usage",
        "SELECT -9223372036854775807 - output_tokens FROM usage",
        "SELECT 9223372036854775807 + 1",
        "SELECT -(-9223372036854775801 - output_tokens) FROM lines \
         WHERE message_id = 'm2'",
    ] {
        let why = crate::support::error(&context, sql).await;
        assert!(why.to_lowercase().contains("overflow"), "{sql}: {why}");
    }
    // Nothing else has changed, not even the name of a column.
    for (sql, expected) in [
        (
            "SELECT output_tokens * 2, input_tokens - 1 AS b FROM usage \
             WHERE message_id = 'm2'",
            json!([{"usage.output_tokens * Int64(2)": 14, "b": 6}]),
        ),
        (
            "SELECT sum(output_tokens - 3) AS n, max(length + 1) > 9 AS m \
             FROM lines WHERE output_tokens + 1 < 10 GROUP BY length % 1",
            json!([{"n": 4, "m": true}]),
        ),
        (
            "SELECT output_tokens + 1.5 AS n, output_tokens / 2 AS m, \
             CAST(NULL AS BIGINT) + 1 AS x FROM usage \
             ORDER BY output_tokens * 1 LIMIT 2 - 1",
            json!([{"n": 8.5, "m": 3, "x": null}]),
        ),
        (
            "SELECT -output_tokens, -(output_tokens + 0.5) AS b FROM usage \
             WHERE -output_tokens = -7",
            json!([{"(- usage.output_tokens)": -7, "b": -7.5}]),
        ),
        (
            "SELECT row_number() OVER () - 2 AS n, length('abc') * 2 AS m \
             FROM usage LIMIT 1",
            json!([{"n": -1, "m": 6}]),
        ),
        (
            "SELECT a.output_tokens + b.output_tokens AS n FROM usage a JOIN \
             usage b ON a.output_tokens = b.output_tokens + 0 ORDER BY n \
             LIMIT 1",
            json!([{"n": 14}]),
        ),
    ] {
        assert_eq!(rows(&context, sql).await, expected, "{sql}");
    }
}
