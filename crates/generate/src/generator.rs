//! The generator of lines.

use std::io;

use crate::{
    Shape,
    log::{Log, Tool},
    pathological, stream, transcript,
};

/// Tools with huge results.
const HEAVY: [Tool; 4] = [
    (1, "Read", [10_000, 15_000, 40_000, 140_000, 280_000, 430_000]),
    (1, "Edit", [20_000, 30_000, 90_000, 300_000, 600_000, 900_000]),
    (2, "Bash.diff", [10_000, 15_000, 45_000, 150_000, 300_000, 450_000]),
    (1, "Grep", [10_000, 15_000, 45_000, 150_000, 300_000, 450_000]),
];

fn plan_heavy(log: &mut Log) {
    log.call(&HEAVY);
    log.push("heavy_call");
    log.push("heavy_result");
}

/// Generates the lines of a log without end.
///
/// Two generators with the same shape and seed generate the same lines.
///
/// # Example
///
/// This shows how to generate a log line by line:
///
/// ```
/// use linetape_generate::{Generator, Shape};
///
/// let mut log = Generator::new(Shape::Transcript, 1);
/// for _ in 0..100 {
///     let line = log.next_line();
///     assert!(line.starts_with(b"{") && line.ends_with(b"}"));
///     assert!(!line.contains(&b'\n'));
/// }
/// ```
#[derive(Debug)]
pub struct Generator {
    log: Log,
    /// A reused buffer for the last line.
    line: String,
}

impl Generator {
    /// Creates a generator for a shape and a seed.
    ///
    /// # Example
    ///
    /// ```
    /// use linetape_generate::{Generator, Shape};
    ///
    /// let mut one = Generator::new(Shape::Stream, 1);
    /// let mut two = Generator::new(Shape::Stream, 2);
    /// assert_ne!(one.next_line(), two.next_line());
    /// ```
    pub fn new(shape: Shape, seed: u64) -> Generator {
        let plan: fn(&mut Log) = match shape {
            Shape::Transcript => transcript::plan,
            Shape::Stream => stream::plan,
            Shape::ToolHeavy => plan_heavy,
            Shape::Tiny => |log| log.push("tiny"),
            Shape::Unicode => |log| log.push("unicode"),
            Shape::Pathological => pathological::plan,
        };
        Generator { log: Log::new(seed, plan), line: String::new() }
    }

    /// Returns the next line, without its newline. A line contains no newline.
    ///
    /// # Example
    ///
    /// ```
    /// use linetape_generate::{Generator, Shape};
    ///
    /// let mut log = Generator::new(Shape::Tiny, 1);
    /// assert!(log.next_line().len() <= 60);
    /// ```
    pub fn next_line(&mut self) -> &[u8] {
        self.line.clear();
        self.log.line(&mut self.line);
        self.line.as_bytes()
    }

    /// Writes whole lines, each with its newline, until there are at least
    /// `size` bytes. Returns the number of bytes.
    ///
    /// A second call continues after the first one. Lines are written one by
    /// one, so wrap a file in a [`BufWriter`](io::BufWriter).
    ///
    /// # Errors
    ///
    /// Returns the errors of `out`. Part of a line may have been written.
    ///
    /// # Example
    ///
    /// ```
    /// use linetape_generate::{Generator, Shape};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let mut bytes = Vec::new();
    /// let mut log = Generator::new(Shape::Unicode, 1);
    /// let written = log.write(10_000, &mut bytes)?;
    /// assert_eq!(written, bytes.len() as u64);
    /// assert_eq!(bytes.last(), Some(&b'\n'));
    /// # Ok(())
    /// # }
    /// ```
    pub fn write(
        &mut self,
        size: u64,
        mut out: impl io::Write,
    ) -> io::Result<u64> {
        let mut written = 0;
        while written < size {
            self.next_line();
            self.line.push('\n');
            out.write_all(self.line.as_bytes())?;
            written += self.line.len() as u64;
        }
        Ok(written)
    }
}

/// Returns a log in memory: whole lines, each with its newline, until there
/// are at least `size` bytes.
///
/// # Example
///
/// ```
/// use linetape_generate::{Shape, generate};
///
/// let log = generate(Shape::Transcript, 1, 100_000);
/// assert!(log.len() >= 100_000);
/// assert_eq!(log, generate(Shape::Transcript, 1, 100_000));
/// ```
pub fn generate(shape: Shape, seed: u64, size: usize) -> Vec<u8> {
    let mut generator = Generator::new(shape, seed);
    let mut out = Vec::with_capacity(size);
    while out.len() < size {
        out.extend_from_slice(generator.next_line());
        out.push(b'\n');
    }
    out
}
