//! Reads columns of logs, and prints how many rows there are and how long it
//! took. The time is that of linetape-arrow alone, without a query engine.
//!
//! ```sh
//! cargo run --release -p linetape-arrow --example scan -- lines type logs/
//! cargo run --release -p linetape-arrow --example scan -- blocks text logs/ \
//!     phrase="the test" block_type=text
//! ```

use std::{env, error::Error, time::Instant};

use linetape_arrow::{Batches, Options, Table, Wanted, log_files};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(table), Some(names)) = (arguments.next(), arguments.next())
    else {
        return Err("scan TABLE COLUMN,... PATH... [phrase=TEXT]".into());
    };
    let table: Table = table.parse()?;
    let schema = table.schema();
    let names = names.split(',').filter(|name| !name.is_empty());
    let columns: Vec<usize> =
        names.map(|name| schema.index_of(name)).collect::<Result<_, _>>()?;
    let mut files = vec![];
    let mut wanted = Wanted::default();
    for argument in arguments {
        match argument.split_once('=') {
            Some(("phrase", text)) => wanted.phrases.push(text.to_string()),
            Some(("block_type", name)) => {
                let types = wanted.block_types.get_or_insert_default();
                types.push(name.to_string());
            }
            _ => files.extend(log_files(argument)?),
        }
    }
    let mut options = Options::default();
    options.reader = options.reader_for(table, &columns, &wanted);
    let start = Instant::now();
    let (mut rows, mut bytes) = (0, 0);
    for file in files {
        bytes += file.metadata()?.len();
        let batches = Batches::open(file, table, &options)?;
        let batches = batches.columns(&columns)?.wanted(wanted.clone());
        for batch in batches {
            rows += batch?.num_rows();
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let speed = bytes as f64 / 1e9 / seconds;
    println!("{rows} rows, {seconds:.2} s, {speed:.2} GB/s");
    Ok(())
}
