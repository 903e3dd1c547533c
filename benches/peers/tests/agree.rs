//! Runs all engines on a few lines that are easy to get wrong.

use std::{
    env, fs,
    path::Path,
    process::{self, Command},
};

use serde_json::Value;

/// Escapes, Unicode, a nested `type` before the real one, missing and empty
/// values, and types that some peers do not know.
const LINES: &str = r#"{"type":"system","subtype":"init","session_id":"s","tools":["Bash"],"cwd":"\/a"}
{"message":{"type":"message","role":"assistant","model":"m","id":"i","content":[{"type":"text","text":"a \"b\" \\ \n \u00e9 \ud83d\ude00 ä 😀"}],"usage":{"input_tokens":3,"output_tokens":5}},"session_id":"s","type":"assistant"}
{"type":"assistant","message":{"role":"assistant","model":"m","id":"i","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls","type":"user","deep":[[{"a":[1,-2.5e3,null,true]}]]}}],"usage":{"output_tokens":7,"service_tier":"standard"}},"session_id":"s"}
{"type":"user","message":{"role":"user","content":"{\"type\":\"assistant\"}"},"session_id":"s"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"","is_error":false}]},"toolUseResult":{"usage":{"input_tokens":100}}}
{"ty\u0070e":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"session_id":"s","total_cost_usd":0.5,"result":"done"}
{"subtype":"lonely","inner":{"type":"assistant","message":{"usage":{"input_tokens":1000}}}}
 {  "type" : "stream_event" , "event" : { "type" : "ping" } , "uuid" : "u" , "session_id" : "s" }
{"type":"not_known_yet","note":"text","empty":{},"none":[]}
{"type":"assistant","message":{"role":"assistant","model":"m","id":"i","content":[]},"session_id":"s"}
"#;

/// The expected results, counted by hand.
const ANSWERS: &[(&str, &str)] = &[
    ("lines", "10 lines"),
    ("J0", "10 lines"),
    (
        "J1",
        "none/lonely 1, assistant/none 3, not_known_yet/none 1, \
         result/success 1, stream_event/none 1, system/init 1, user/none 2",
    ),
    ("J2", "3 tokens in, 12 out"),
    ("J3", "260 bytes, sum 27965"),
    ("J4", "10 messages, 3 assistant, 260 bytes, sum 27965"),
    ("J6", "10 records, 121 bytes, 15 tokens"),
];

/// Lines that are not one object each: a document over several lines, and one
/// that ends too early. No engine is given them.
const OTHERS: &str = "{\n  \"type\": \"user\"\n}\n{\"type\":\n[]\n";

/// Job, engine, and the reason why its result differs from that of serde_json.
const OTHERWISE: &[(&str, &str, &str)] = &[
    ("J1", "simdjson On-Demand", "it compares keys as they are escaped"),
    ("J1", "simdjson, stops at type", "it compares keys as they are escaped"),
];

#[test]
fn engines_agree_with_serde_json() {
    let folder = env::temp_dir().join(format!("peers-{}", process::id()));
    for name in ["transcripts", "stream-json"] {
        fs::create_dir_all(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("lines.jsonl"), LINES).unwrap();
        fs::write(folder.join(name).join("others.jsonl"), OTHERS).unwrap();
    }
    let (rows, tables) = run(&folder);
    fs::remove_dir_all(&folder).unwrap();
    let mut natives = 0;
    for row in &rows {
        let [job, engine] = ["job", "engine"].map(|k| row[k].as_str());
        let (job, engine) = (job.unwrap(), engine.unwrap());
        let native = engine.strip_suffix(" (native)");
        natives += usize::from(native.is_some());
        let engine = native.unwrap_or(engine);
        let mut otherwise = OTHERWISE.iter();
        let otherwise = otherwise.any(|o| (o.0, o.1) == (job, engine));
        // An engine that agrees must be removed from the list.
        assert_eq!(row["agrees"], !otherwise, "{engine} on {job}\n{tables}");
        let mut answers = ANSWERS.iter().filter(|answer| answer.0 == job);
        if let (Some((_, answer)), false) = (answers.next(), otherwise) {
            assert_eq!(row["answer"], *answer, "{engine} on {job}");
        }
        check_ratio(&rows, row);
    }
    assert_eq!(natives > 0, cfg!(feature = "sonic-rs"), "{tables}");
}

/// The ratio is the engine's speed divided by that of the fastest linetape:
/// of those that skim or make a `String`, if the engine does too. A wrong engine
/// has no ratio.
fn check_ratio(rows: &[Value], row: &Value) {
    let speed = |row: &Value| row["mb_per_s"].as_f64().unwrap();
    let name = |row: &Value| row["engine"].as_str().unwrap().to_owned();
    let has = |row: &Value, part: &str| name(row).contains(part);
    let way = |row: &Value| {
        let skims = has(row, " skim ") || has(row, "stops at type");
        (skims, has(row, ", String"))
    };
    if row["agrees"] == false {
        assert!(row["ratio_to_linetape"].is_null(), "{row}");
        return;
    }
    let ours = rows.iter().filter(|other| {
        other["job"] == row["job"]
            && name(other).starts_with("linetape")
            && way(other) == way(row)
    });
    let fastest = ours.map(speed).fold(0.0, f64::max);
    let ratio = row["ratio_to_linetape"].as_f64().unwrap();
    assert!((ratio - speed(row) / fastest).abs() < 1e-9, "{row}");
}

/// Returns the rows and the tables. The first engine of each job is
/// serde_json.
fn run(corpus: &Path) -> (Vec<Value>, String) {
    let file = corpus.join("rows.json");
    let binary = env!("CARGO_BIN_EXE_linetape-peers");
    let mut command = Command::new(binary);
    command.args(["--quick", "--data", "transcripts", "--json"]).arg(&file);
    command.env("LINETAPE_CORPUS", corpus);
    // The program is its own child here, which tests the protocol.
    command.env("PEERS_NATIVE_BINARY", binary);
    let output = command.output().unwrap();
    let [tables, errors] = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{tables}{errors}");
    let mut report: Value =
        serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    (report["rows"].as_array_mut().unwrap().split_off(0), tables)
}
