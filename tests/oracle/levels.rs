//! Lines that a reader prepares while it finds their ends, read by several
//! methods in any order, compared with lines that are not prepared and are read
//! by one method.

use linetape::{
    Error, Kernel, Level, Limits, Line, Projection, Reader, Stats,
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
    |line| say(line.peek().map(|m| format!("{m:?} {:?}", m.value()))),
    |line| say(line.check().map(|()| String::new())),
    |line| say(line.checked().map(|m| format!("{m:?} {:?}", m.value()))),
    |line| say(line.to_owned_line().map(|l| format!("{:?}", l.value()))),
    |line| {
        let paths = Projection::new(["/type", "/message/usage", "/a"]);
        say(line.projected(&paths).map(|found| format!("{found:?}")))
    },
    |line| {
        let kind = line.skim().kind().map(|kind| kind.to_string());
        let mut found = [None; 2];
        let paths = Projection::new(["/type", "/message/usage"]);
        let skimmed = line.skim().project(&paths, &mut found);
        say(kind) + &say(skimmed.map(|()| format!("{found:?}")))
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
type Reading = (Vec<Result<(u64, u64, Answers), Told>>, Stats);

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
        let mut read = vec![];
        while let Some(line) = lines.next_line() {
            let order = &$orders[read.len() % $orders.len()];
            read.push(match line {
                Ok(line) => {
                    let (number, offset) = (line.number(), line.offset());
                    Ok((number, offset, answers(line, order)))
                }
                Err(error) => Err(told(&error)),
            });
        }
        (read, lines.stats())
    }};
}

/// Asserts that a stream is read in the same way, whatever its lines are
/// prepared for and in whatever order the methods are called.
pub fn agree(
    stream: &[u8],
    kernel: Kernel,
    limits: Limits,
    (pieces, capacity): (&[usize], usize),
    orders: &[Vec<usize>],
) {
    let builder = Reader::builder().limits(limits);
    let builder = builder.buffer_capacity(capacity).kernel(kernel).unwrap();
    let expected: Reading = read_all!(builder.lines(stream), orders);
    // The answer of a method does not depend on those before it.
    for (number, method) in METHODS.iter().enumerate() {
        let mut lines = builder.lines(stream);
        for (at, read) in expected.0.iter().enumerate() {
            let line = lines.next_line().unwrap();
            let (Ok(line), Ok((_, _, answers))) = (line, read) else {
                continue;
            };
            let order = &orders[at % orders.len()];
            let called = order.iter().position(|m| *m == number);
            if let Some(called) = called {
                let alone = method(&line);
                let shown = show(line.as_bytes());
                assert_eq!(answers[called], alone, "{order:?}: {shown}");
            }
        }
    }
    for level in LEVELS {
        let builder = builder.clone().level(level);
        let what =
            || format!("{kernel} {level:?} {orders:?}: {}", show(stream));
        if level != Level::Line {
            let found: Reading = read_all!(builder.lines(stream), orders);
            assert_eq!(found, expected, "{}", what());
        }
        let source = InPieces::new(stream, pieces);
        let found: Reading = read_all!(builder.build(source), orders);
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
    let kernel = input.one_of(&kernels());
    agree(input.text, kernel, limits, (&pieces[..], capacity), &orders);
}
