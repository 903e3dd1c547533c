//! Writes a synthetic log to standard output.

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use linetape_generate::{Generator, Shape};

const USAGE: &str = "\
usage: linetape-generate [--shape SHAPE] [--seed N] [--bytes SIZE]

Writes a log of at least SIZE bytes (1000, 64K, 16M or 1G; by default 1M) to
standard output. The same shape, seed and size give the same bytes.

shapes:";

/// What to write.
struct Options {
    shape: Shape,
    seed: u64,
    bytes: u64,
}

fn main() -> ExitCode {
    let options = match parse(env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("linetape-generate: {error}\n{USAGE}");
            for shape in Shape::ALL {
                eprintln!("  {:<12} {}", shape.name(), shape.description());
            }
            return ExitCode::from(2);
        }
    };
    let mut out = io::BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let mut log = Generator::new(options.shape, options.seed);
    let written = log.write(options.bytes, &mut out);
    match written.and_then(|_| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("linetape-generate: cannot write: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse(
    mut arguments: impl Iterator<Item = String>,
) -> Result<Options, String> {
    let mut options =
        Options { shape: Shape::Transcript, seed: 1, bytes: 1 << 20 };
    while let Some(name) = arguments.next() {
        let value = arguments.next();
        let value = value.ok_or(format!("{name}: expected a value"))?;
        let wrong = |why: &str| format!("{name} {value}: {why}");
        match &*name {
            "--shape" => {
                let shape = value.parse();
                options.shape = shape.map_err(|_| wrong("unknown shape"))?;
            }
            "--seed" => {
                let seed = value.parse();
                options.seed = seed.map_err(|_| wrong("expected a number"))?;
            }
            "--bytes" => {
                options.bytes = size(&value).ok_or_else(|| {
                    wrong("expected a size such as 1000, 64K, 16M or 1G")
                })?;
            }
            _ => return Err(format!("{name}: unknown option")),
        }
    }
    Ok(options)
}

/// Parses a size such as `64K`, in bytes, KiB, MiB or GiB.
fn size(text: &str) -> Option<u64> {
    let units = [("K", 10), ("M", 20), ("G", 30)];
    let unit = units
        .iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Result<Options, String> {
        parse(arguments.iter().map(|word| word.to_string()))
    }

    #[test]
    fn options_are_read_and_others_are_refused() {
        let given = ["--shape", "tiny", "--seed", "7", "--bytes", "3K"];
        let options = of(&given).unwrap();
        assert_eq!(options.shape, Shape::Tiny);
        assert_eq!((options.seed, options.bytes), (7, 3 << 10));
        let options = of(&[]).unwrap();
        assert_eq!((options.seed, options.bytes), (1, 1 << 20));
        for bad in [
            &["--shape", "round"][..],
            &["--seed", "-1"],
            &["--bytes"],
            &["tiny", "1"],
        ] {
            assert!(of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn sizes_are_bytes_or_multiples_of_1024() {
        assert_eq!(size("0"), Some(0));
        assert_eq!(size("1000"), Some(1000));
        assert_eq!(size("2M"), Some(2 << 20));
        for bad in
            ["", "K", "1k", "1T", "1.5M", "-1", "17179869184G", "\u{e9}"]
        {
            assert_eq!(size(bad), None, "{bad}");
        }
    }
}
