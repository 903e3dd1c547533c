//! `linetape normalize`: each record in a canonical form.

use std::io;

use linetape::{Level, Writer};

use crate::{
    complaints::Complaints, files::Files, live::Live, outcome::Outcome,
    output::Output,
};

/// Writes each record as an owned message, which has a canonical form.
/// Reports bad lines on standard error.
pub fn run(files: &Files, output: &Output) -> io::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    let mut complaints = Complaints::default();
    let Some((inputs, out)) =
        Live::open(files, output, output.prints(), false, &mut outcome)
    else {
        return Ok(Outcome::CouldNotRun);
    };
    let mut writer = Writer::new(&out);
    for input in &inputs {
        let Some(source) = input.open_or_report(&mut outcome) else {
            continue;
        };
        let mut reader = files.reader(Level::Line).build(out.feed(source));
        while let Some(record) = reader.next_record() {
            match record {
                Ok(record) => writer.write_value(&record.into_owned())?,
                Err(error) => {
                    out.check()?;
                    complaints.error(input, &error, &mut outcome);
                }
            }
        }
        complaints.end(input);
    }
    out.finish()?;
    Ok(outcome)
}
