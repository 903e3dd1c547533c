//! Reads newline-delimited JSON that no agent has written: the access log of
//! a web server. No schema is needed; three JSON Pointers are read in one
//! pass over each line, and the rest of the line is left alone.
//!
//! ```text
//! cargo run --release --example ndjson -- access.ndjson
//! ```

use std::{collections::BTreeMap, env, error::Error, fs};

use linetape::{Escaped, Projection, lines};

const SAMPLE: &str = r#"
{"time":"09:14:07","request":{"method":"GET","path":"/"},"status":200,"ms":3.1}
{"time":"09:14:08","request":{"method":"GET","path":"/pears"},"status":404,"ms":0.4}
{"time":"09:14:09","request":{"method":"GET","pa
{"time":"09:14:11","request":{"method":"POST","path":"/apples"},"status":503,"ms":41}
"#;

#[derive(Default)]
struct Path {
    requests: u64,
    failed: u64,
    ms: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let log = match env::args_os().nth(1) {
        Some(path) => fs::read(path)?,
        None => SAMPLE.into(),
    };
    let wanted = Projection::new(["/request/path", "/status", "/ms"]);
    let mut paths = BTreeMap::<String, Path>::new();
    let mut lines = lines(&log);
    while let Some(line) = lines.next_line() {
        let line = line?;
        let values = match line.projected(&wanted) {
            Ok(values) => values,
            // A torn line, for instance, is an error; the next call reads on.
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        let path = values.at(0).and_then(|path| path.as_str());
        let status = values.at(1).and_then(|status| status.as_u64());
        let ms = values.at(2).and_then(|ms| ms.as_f64());
        let path = paths.entry(path.unwrap_or("?").to_string()).or_default();
        path.requests += 1;
        path.failed += u64::from(status.is_none_or(|status| status >= 400));
        path.ms += ms.unwrap_or_default();
    }
    for (name, Path { requests, failed, ms }) in paths {
        let name = Escaped::new(&name);
        println!("{name}: {requests} requests, {failed} failed, {ms:.1} ms");
    }
    Ok(())
}
