//! The commands.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};

use crate::support::{Cluster, Folder};

const SCHEDULER: &str = env!("CARGO_BIN_EXE_linetape-scheduler");
const EXECUTOR: &str = env!("CARGO_BIN_EXE_linetape-executor");

/// Returns the command of linetape-sql, which `cargo test --workspace` builds.
pub fn sql() -> PathBuf {
    let path = Path::new(SCHEDULER).with_file_name("linetape-sql");
    let path = path.with_extension(env::consts::EXE_EXTENSION);
    assert!(path.exists(), "run `cargo test --workspace`");
    path
}

fn run(program: impl AsRef<Path>, arguments: &[&str]) -> Output {
    Command::new(program.as_ref()).args(arguments).output().unwrap()
}

fn complaint(program: impl AsRef<Path>, arguments: &[&str]) -> String {
    let output = run(program, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(output.stdout, b"");
    String::from_utf8(output.stderr).unwrap()
}

/// The warning that the counts are not known was an error of Ballista as Rust writes it,
/// about a scheduler that could be reached.
#[test]
fn counts_that_ballista_cannot_add_up_are_a_plain_warning() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", "{\"type\":\"user\"}\noops\n");
    let cluster = Cluster::start(1);
    let query = "SELECT type AS t, count(*) AS n FROM lines GROUP BY type UNION ALL \
                 SELECT block_type, count(*) FROM blocks GROUP BY block_type UNION ALL \
                 SELECT model, sum(output_tokens) FROM usage GROUP BY model";
    let arguments = ["--json", "--cluster", &cluster.address, query];
    let output =
        run(sql(), &[&arguments[..], &[path.to_str().unwrap()]].concat());
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    let found: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    let warnings = [
        "linetape-sql: warning: it is not known whether all lines could be read: \
         Ballista cannot add up the counts of this query\n",
        // A later version can.
        "linetape-sql: warning: 1 line could not be read",
    ];
    let is_plain = warnings.iter().any(|text| complaint.starts_with(text));
    assert!(is_plain, "{complaint}");
}

#[test]
fn a_query_runs_on_a_cluster() {
    let folder = Folder::new();
    folder.write("logs/a.jsonl", "{\"type\":\"user\"}\noops\n");
    let cluster = Cluster::start(1);
    // A relative path is one of the client.
    let output = Command::new(sql())
        .args(["--json", "--cluster", &cluster.address])
        .args(["SELECT type, error FROM lines ORDER BY \"offset\"", "logs"])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = json!([
        {"type": "user", "error": null},
        {"type": null, "error": "not_an_object"},
    ]);
    assert_eq!(found, expected);
    let warning = "linetape-sql: warning: 1 line could not be read";
    assert!(complaint.starts_with(warning), "{complaint}");

    let path = folder.write("cut/a.jsonl.gz", b"\x1F\x8B\x08 and no gzip");
    let sql_of_cut = "SELECT error FROM lines";
    let cut = ["--csv", "--cluster", &cluster.address, sql_of_cut];
    let output = run(sql(), &[&cut[..], &[path.to_str().unwrap()]].concat());
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.stdout, b"error\ndecompress\n", "{complaint}");
    let warning = "linetape-sql: warning: 1 file could not be read to the end";
    assert!(complaint.starts_with(warning), "{complaint}");

    // So is a relative pattern, in a folder whose name is one too.
    folder.write("[ab]*/1.jsonl", "{\"type\":\"user\"}\n");
    folder.write("[ab]*/2.jsonl", "{\"type\":\"user\"}\n");
    folder.write("a/1.jsonl", "{\"type\":\"user\"}\n");
    let output = Command::new(sql())
        .args(["--csv", "--cluster", &cluster.address])
        .args(["SELECT count(*) AS n FROM lines", "*.jsonl"])
        .current_dir(folder.0.join("[ab]*"))
        .output()
        .unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    assert_eq!(found, "n\n2\n");

    // These are not sent.
    for query in ["DESCRIBE lines", "SHOW TABLES"] {
        let output = run(sql(), &["--cluster", &cluster.address, query, "/x"]);
        assert!(output.status.success(), "{query}");
    }
}

/// A query that reads its logs several times counted each problem several times, and
/// sums could not be written as Parquet.
#[test]
fn output_and_warnings_are_those_of_one_process() {
    let folder = Folder::new();
    let line = "{\"type\":\"assistant\",\"session_id\":\"s\",\"message\":{\
                \"id\":\"m\",\"usage\":{\"output_tokens\":3}}}\n";
    folder.write("logs/a.jsonl", format!("{line}oops\noops\n"));
    folder.write("logs/b.jsonl.gz", b"\x1F\x8B\x08 and no gzip");
    folder.write("more/c.jsonl", "oops\n");
    let more = folder.0.join("more");
    let cluster = Cluster::start(1);
    let both = |arguments: &[&str]| {
        let run = |cluster: &[&str]| {
            Command::new(sql())
                .args(cluster)
                .args(arguments)
                .current_dir(&folder.0)
                .output()
                .unwrap()
        };
        [run(&[]), run(&["--cluster", &cluster.address])]
    };
    let add = format!(
        "SELECT count(a.type) AS a, count(b.type) AS b FROM lines a, \
         agent_logs('{}') b",
        more.display()
    );
    let mut warnings = vec![];
    for query in [
        "SELECT * FROM sessions",
        "SELECT count(a.type) AS n FROM lines a, lines b",
        &add,
        "SELECT count(type) AS n FROM lines",
        "DESCRIBE sessions",
        "DESCRIBE usage",
    ] {
        let [one, many] = both(&["--csv", query, "logs"]);
        assert!(one.status.success() && many.status.success(), "{query}");
        assert_eq!(one.stdout, many.stdout, "{query}");
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let expected = text(one.stderr);
        assert_eq!(text(many.stderr), expected, "{query}");
        warnings.push(expected);
    }
    assert!(warnings[0].contains("warning: 2 lines could"), "{warnings:?}");
    assert!(warnings[0].contains("warning: 1 file could"), "{warnings:?}");
    assert!(warnings[2].contains("warning: 3 lines could"), "{warnings:?}");

    let query = "SELECT sum(output_tokens) AS t FROM usage";
    let [one, many] = both(&["--parquet", "t.parquet", query, "logs"]);
    let complaint = String::from_utf8(many.stderr).unwrap();
    assert!(one.status.success() && many.status.success(), "{complaint}");
    let query = "CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION \
                 't.parquet'; SELECT t FROM t";
    let [one, _] = both(&["--csv", query]);
    assert_eq!(String::from_utf8(one.stdout).unwrap(), "t\n3\n");
}

#[test]
fn a_wrong_query_or_path_or_address_is_an_error() {
    let cluster = Cluster::start(1);
    let address = cluster.address.as_str();
    let ask = |address: &str, query: &str, path: &str| {
        complaint(sql(), &["--cluster", address, query, path])
    };
    let text = ask(address, "SELECT modle FROM usage", "/tmp");
    assert!(text.contains("column 'modle' not found"), "{text}");
    let text = ask(address, "SELECT count(*) FROM lines", "/no/such/logs");
    assert!(text.contains("/no/such/logs"), "{text}");
    let text = ask(address, "SELECT count(*) FROM lines", "/tmp/none*.jsonl");
    assert!(text.contains("no file matches"), "{text}");
    let text = ask("df://127.0.0.1:1", "SELECT count(*) FROM lines", "/tmp");
    assert!(text.contains("cannot reach the scheduler df://127"), "{text}");
    let text = ask("localhost:50050", "SELECT count(*) FROM lines", "/tmp");
    assert!(text.contains("df://HOST:PORT"), "{text}");
    drop(cluster);
}

#[test]
fn help_says_that_there_is_no_authentication() {
    for program in [SCHEDULER, EXECUTOR] {
        let output = run(program, &["--help"]);
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("no authentication"), "{text}");
        assert!(text.contains("--bind <IP>"), "{text}");
        assert!(text.contains("[default: 127.0.0.1]"), "{text}");
    }
}

#[test]
fn addresses_are_checked() {
    let cluster = Cluster::start(0);
    assert!(cluster.address.starts_with("df://127.0.0.1:"));
    let port = cluster.address.rsplit(':').next().unwrap();
    let text = complaint(SCHEDULER, &["--port", port]);
    assert!(text.contains("in use"), "{text}");
    // Nobody can call 0.0.0.0.
    let anywhere = ["--bind", "0.0.0.0", "--port", "0"];
    assert!(complaint(SCHEDULER, &anywhere).contains("--host"));
    assert!(complaint(EXECUTOR, &anywhere[..2]).contains("--host"));
    let text = complaint(EXECUTOR, &["--scheduler", "127.0.0.1:1"]);
    assert!(text.contains("df://HOST:PORT"), "{text}");
    // A name that no machine has: somebody may use the usual port of this one.
    let query = "SELECT count(*) FROM lines";
    let nobody = ["--cluster", "df://nobody.invalid", query, "/tmp"];
    let text = complaint(sql(), &nobody);
    let expected = "linetape-sql: cannot reach the scheduler \
                    df://nobody.invalid:50050: ";
    assert!(text.starts_with(expected), "{text}");
}

/// The path was missing in the message.
#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let folder = Folder::new();
    let file = folder.write("file", "");
    let file = file.to_str().unwrap();
    let text = complaint(EXECUTOR, &["--work-dir", file]);
    let expected = format!(
        "linetape-executor: cannot use the folder {file}: it is not a folder\n"
    );
    assert_eq!(text, expected);
    let inside = format!("{file}/inside");
    let text = complaint(EXECUTOR, &["--work-dir", &inside]);
    let expected =
        format!("linetape-executor: cannot use the folder {inside}: ");
    assert!(text.starts_with(&expected), "{text}");
}
