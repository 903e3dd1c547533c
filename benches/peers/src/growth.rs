//! Time and memory of the `linetape` command as a log grows.

use std::{
    env,
    fs::{self, File},
    io::{self, BufWriter},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use linetape_generate::{Generator, Shape};
use serde_json::{Value, json};

const MB: u64 = 1_000_000;

/// The sizes of a full run: time should grow linearly, and memory only by the
/// ids of messages.
pub const SIZES: &[u64] = &[MB, 10 * MB, 100 * MB, 1_000 * MB, 2 << 30];
pub const QUICK_SIZES: &[u64] = &[MB, 10 * MB];

const COMMANDS: &[&[&str]] = &[&["stats"], &["stats", "--peek"]];

/// A run of the command on a file.
pub struct Grown {
    command: String,
    bytes: u64,
    longest_line: u64,
    seconds: f64,
    /// The peak memory, if the system reports it.
    peak_memory: Option<u64>,
}

/// Measures the command at `binary` on files of these sizes, which are
/// generated one after the other.
pub fn measure(binary: &Path, sizes: &[u64]) -> io::Result<Vec<Grown>> {
    let file = TemporaryFile::new()?;
    let mut grown = vec![];
    for &size in sizes {
        let (bytes, longest_line) = make(&file.0, size)?;
        for arguments in COMMANDS {
            // A long run needs no repetition.
            let rounds = if size <= 100 * MB { 5 } else { 1 };
            let mut best: Option<Ran> = None;
            for _ in 0..rounds {
                let ran = run(binary, arguments, &file.0)?;
                best = Some(match best {
                    Some(best) => Ran {
                        seconds: ran.seconds.min(best.seconds),
                        peak_memory: ran.peak_memory.max(best.peak_memory),
                    },
                    None => ran,
                });
            }
            let Some(Ran { seconds, peak_memory }) = best else { continue };
            grown.push(Grown {
                command: format!("linetape {}", arguments.join(" ")),
                bytes,
                longest_line,
                seconds,
                peak_memory,
            });
        }
    }
    Ok(grown)
}

/// Writes a file of at least `size` bytes. Returns its size, and the length of
/// its longest line.
fn make(path: &Path, size: u64) -> io::Result<(u64, u64)> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut generator = Generator::new(Shape::Transcript, 1);
    let (mut bytes, mut longest) = (0, 0);
    while bytes < size {
        let line = generator.next_line();
        io::Write::write_all(&mut out, line)?;
        io::Write::write_all(&mut out, b"\n")?;
        bytes += line.len() as u64 + 1;
        longest = longest.max(line.len() as u64);
    }
    out.into_inner().map_err(|error| error.into_error())?;
    Ok((bytes, longest))
}

struct Ran {
    seconds: f64,
    peak_memory: Option<u64>,
}

/// Runs the command. The peak of its memory never falls, so the last value
/// before the end is used.
fn run(binary: &Path, arguments: &[&str], file: &Path) -> io::Result<Ran> {
    let start = Instant::now();
    let mut child = Command::new(binary)
        .args(arguments)
        .arg(file)
        .stdout(Stdio::null())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak_memory = None;
    loop {
        if let Some(peak) = peak(&status) {
            peak_memory = Some(peak);
        }
        if let Some(code) = child.try_wait()? {
            let seconds = start.elapsed().as_secs_f64();
            return match code.success() {
                true => Ok(Ran { seconds, peak_memory }),
                false => Err(io::Error::other(format!("{code}"))),
            };
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Returns the peak memory of a process so far, in bytes.
fn peak(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}

/// Removes the file at the end, even after a panic.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new() -> io::Result<TemporaryFile> {
        let name = format!("linetape-growth-{}.jsonl", std::process::id());
        let path = env::temp_dir().join(name);
        File::create(&path)?;
        Ok(TemporaryFile(path))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

pub fn print(grown: &[Grown]) {
    println!("### Growth: the command on generated transcripts\n");
    println!("| command | MB | seconds | MB/s | peak memory | longest line |");
    println!("|---|---:|---:|---:|---:|---:|");
    for run in grown {
        let Grown { command, bytes, longest_line, seconds, peak_memory } = run;
        let mb = *bytes as f64 / MB as f64;
        let speed = mb / seconds;
        let peak = match peak_memory {
            Some(peak) => format!("{:.1} MiB", *peak as f64 / 1048576.0),
            None => "not known".to_owned(),
        };
        println!(
            "| `{command}` | {mb:.0} | {seconds:.3} | {speed:.0} | {peak} | {:.1} MiB |",
            *longest_line as f64 / 1048576.0,
        );
    }
    println!();
}

pub fn json(grown: &[Grown]) -> Vec<Value> {
    let row = |run: &Grown| {
        json!({
            "command": run.command,
            "bytes": run.bytes,
            "longest_line": run.longest_line,
            "seconds": run.seconds,
            "mb_per_s": run.bytes as f64 / MB as f64 / run.seconds,
            "peak_memory": run.peak_memory,
        })
    };
    grown.iter().map(row).collect()
}
