//! Lines that a reader prepares while it finds their ends, read by several
//! methods in any order, compared with lines that are not prepared and are read
//! by one method.

use linetape::{
    Error, Level, Limits, Line, Position, Projection, Reader, ReaderBuilder,
    Stats,
};

use crate::{
    oracle::input::Input,
    support::{
        framing::InPieces,
        json::{LEVELS, Told, kernels, show, told},
    },
};

/// The methods that read a line and leave it as it is.
pub const METHODS: [fn(&Line<'_>) -> String; 8] = [
    |line| say(line.kind().map(|kind| kind.to_string())),
    |line| {
        say(line
            .peek()
            .map(|m| format!("{:?} {m:?} {:?}", m.kind(), m.value())))
    },
    |line| say(line.check().map(|()| String::new())),
    |line| say(line.checked().map(|m| format!("{m:?} {:?}", m.value()))),
    |line| say(line.to_owned_line().map(|l| format!("{:?}", l.value()))),
    |line| {
        let paths = Projection::new(["/type", "/message/usage", "/a"]);
        say(line.projected(&paths).map(|found| format!("{found:?}")))
    },
    |line| {
        let kind = line.skim().kind().map(|kind| kind.to_string());
        let paths = Projection::new(["/type", "/message/usage"]);
        let skimmed = line.skim().projected(&paths);
        say(kind) + &say(skimmed.map(|found| format!("{found:?}")))
    },
    |line| {
        say(line
            .strings()
            .map(|strings| format!("{:?}", strings.collect::<Vec<_>>())))
    },
];

/// Returns a result in a comparable form.
fn say(result: Result<String, Error>) -> String {
    format!("{:?}", result.map_err(|error| told(&error)))
}

/// What the methods have returned for one line: the last one is `decode`.
type Answers = Vec<String>;

/// All results of reading a stream.
#[derive(Debug, PartialEq)]
struct Reading {
    lines: Vec<Result<Seen, Told>>,
    /// The position of the next line, before each line and at the end.
    positions: Vec<Position>,
    stats: Stats,
}

/// All results for one line.
#[derive(Debug, PartialEq)]
struct Seen {
    position: Position,
    bytes: Vec<u8>,
    terminator: &'static [u8],
    answers: Answers,
}

/// Calls methods in an order, and then `decode`.
fn answers(line: Line<'_>, order: &[usize]) -> Answers {
    let mut answers: Answers =
        order.iter().map(|method| METHODS[*method](&line)).collect();
    answers.push(say(line.decode().map(|r| format!("{:?}", r.value()))));
    answers
}

/// Reads to the end, each line in the next of the orders. The two types of
/// readers have no trait in common.
macro_rules! read_all {
    ($lines:expr, $orders:expr) => {{
        let mut lines = $lines;
        let (mut read, mut positions) = (vec![], vec![]);
        loop {
            positions.push(lines.position());
            let Some(line) = lines.next_line() else { break };
            let order = &$orders[read.len() % $orders.len()];
            read.push(match line {
                Ok(line) => Ok(Seen {
                    position: line.position(),
                    bytes: line.as_bytes().to_vec(),
                    terminator: line.terminator(),
                    answers: answers(line, order),
                }),
                Err(error) => Err(told(&error)),
            });
        }
        assert!(lines.next_line().is_none(), "the end is the end");
        Reading { lines: read, positions, stats: lines.stats() }
    }};
}

/// Asserts that a stream is read in the same way, whatever its lines are
/// prepared for and in whatever order the methods are called.
pub fn agree(
    stream: &[u8],
    builder: &ReaderBuilder,
    pieces: &[usize],
    orders: &[Vec<usize>],
) {
    let expected = read_all!(builder.lines(stream), orders);
    // The answer of a method does not depend on those before it.
    for (number, method) in METHODS.iter().enumerate() {
        let mut lines = builder.lines(stream);
        for (at, read) in expected.lines.iter().enumerate() {
            let line = lines.next_line().unwrap();
            let (Ok(line), Ok(seen)) = (line, read) else { continue };
            let order = &orders[at % orders.len()];
            if let Some(called) = order.iter().position(|m| *m == number) {
                let alone = method(&line);
                let shown = show(line.as_bytes());
                assert_eq!(seen.answers[called], alone, "{order:?}: {shown}");
            }
        }
    }
    for level in LEVELS {
        let builder = builder.clone().level(level);
        let what = || format!("{builder:?} {orders:?}: {}", show(stream));
        if level != Level::Line {
            let found = read_all!(builder.lines(stream), orders);
            assert_eq!(found, expected, "{}", what());
        }
        let source = InPieces::new(stream, pieces);
        let found = read_all!(builder.build(source), orders);
        assert_eq!(found, expected, "{pieces:?} {}", what());
    }
}

/// Returns all methods in an order: each order begins with another one.
pub fn order(number: usize) -> Vec<usize> {
    let count = METHODS.len();
    // An odd step reaches all of them.
    let step = 2 * (number / count) + 1;
    (0..count).map(|at| (number + at * step) % count).collect()
}

/// Asserts the same for any stream, in any pieces, with any orders.
pub fn levels(data: &[u8]) {
    let mut input = Input::of(data);
    let (pieces, _) = input.plan();
    let capacity = 1 + input.below(1 << 10);
    let max_line = input.one_of(&[1 << 20, 200, 117]);
    let max_nodes = input.one_of(&[1 << 20, 150]);
    let limits = Limits { max_line, max_nodes, ..Limits::default() };
    let count = 1 + input.below(3);
    let orders: Vec<Vec<usize>> = (0..count)
        .map(|_| {
            let count = 1 + input.below(METHODS.len());
            (0..count).map(|_| input.below(METHODS.len())).collect()
        })
        .collect();
    let builder = Reader::builder().limits(limits).buffer_capacity(capacity);
    let builder = builder.kernel(input.one_of(&kernels())).unwrap();
    let builder = builder.reject_duplicate_keys(input.one_of(&[false, true]));
    agree(input.text, &builder, &pieces, &orders);
}
