//! Lines that a reader indexes or checks while it searches their ends,
//! compared with lines for which it does not.

use linetape::{Kernel, Limits, Line, Projection, Reader, Stats};

use crate::{
    oracle::input::Input,
    support::{
        framing::InPieces,
        json::{Told, kernels, show, told},
    },
};

/// A line of more than one block, so that it is worth a pass of its own. After
/// several of them, a reader expects the next line to be used in the same way.
const WARM_UP: &str = "{\"type\":\"user\",\"padding\":\
    \"0123456789012345678901234567890123456789\"}\n";

/// The uses after which a reader prepares the next line: by their index in
/// [`USES`].
pub const HABITS: [usize; 3] = [0, 1, 2];

/// The number of these lines.
const WARM_UPS: usize = 6;

/// How lines are used.
pub const USES: [fn(Line<'_>) -> String; 10] = [
    |line| say(line.peek().map(|m| format!("{m:?} {:?}", m.value()))),
    |line| say(line.check().map(|()| String::new())),
    |line| say(line.checked().map(|m| format!("{m:?} {:?}", m.value()))),
    |line| say(line.to_owned_line().map(|l| format!("{:?}", l.value()))),
    |line| {
        let paths = Projection::new(["/type", "/message/usage", "/a"]);
        say(line.projected(&paths).map(|found| format!("{found:?}")))
    },
    |line| {
        let kind = say(line.kind().map(|kind| kind.to_string()));
        let peeked = line.peek().map(|m| format!("{:?}", m.kind()));
        let checked = line.checked().map(|m| format!("{m:?}"));
        let decoded = line.decode().map(|r| format!("{:?}", r.value()));
        [kind, say(peeked), say(checked), say(decoded)].concat()
    },
    |line| {
        let kind = line.skim().kind().map(|kind| kind.to_string());
        let mut found = [None; 2];
        let paths = Projection::new(["/type", "/message/usage"]);
        let skimmed = line.skim().project(&paths, &mut found);
        let skimmed = skimmed.map(|()| format!("{found:?}"));
        let peeked = line.peek().map(|m| format!("{m:?}"));
        [say(kind), say(skimmed), say(peeked)].concat()
    },
    |line| {
        say(line
            .strings()
            .map(|strings| format!("{:?}", strings.collect::<Vec<_>>())))
    },
    |line| say(line.decode().map(|r| format!("{:?}", r.value()))),
    // Nothing but its bytes.
    |line| show(line.as_bytes()),
];

/// Returns a result in a comparable form.
fn say(result: Result<String, linetape::Error>) -> String {
    format!("{:?}", result.map_err(|error| told(&error)))
}

/// All results of reading a stream.
type Reading = (Vec<Result<(u64, u64, String), Told>>, Stats);

/// Reads to the end. The lines of the warm-up are used in the way `$habit`, and
/// those after it in the ways `$plan`, in turns. The two types of readers have no
/// trait in common.
macro_rules! read_all {
    ($lines:expr, $habit:expr, $plan:expr, $next:expr) => {{
        let mut lines = $lines;
        let mut read = vec![];
        while let Some(line) = $next(&mut lines) {
            read.push(match line {
                Ok(line) => {
                    let (number, offset) = (line.number(), line.offset());
                    let used =
                        match (number as usize).checked_sub(WARM_UPS + 1) {
                            None => $habit,
                            Some(turn) => $plan[turn % $plan.len()],
                        };
                    Ok((number, offset, USES[used](line)))
                }
                Err(error) => Err(told(&error)),
            });
        }
        (read, lines.stats())
    }};
}

/// Asserts that a stream after other lines is read in the same way, whether
/// its lines are prepared or not. The lines before it are used in the way
/// `habit`.
pub fn agree(
    stream: &[u8],
    kernel: Kernel,
    limits: Limits,
    (pieces, capacity): (&[usize], usize),
    (habit, plan): (usize, &[usize]),
) {
    let stream = [WARM_UP.repeat(WARM_UPS).as_bytes(), stream].concat();
    let builder = Reader::builder().limits(limits);
    let builder = builder.buffer_capacity(capacity).kernel(kernel).unwrap();
    // `next_where` does not prepare lines.
    let expected: Reading =
        read_all!(builder.lines(&stream), habit, plan, |lines| {
            linetape::Lines::next_where(lines, |_| true)
        });
    let shown = show(&stream);
    let found: Reading = read_all!(
        builder.lines(&stream),
        habit,
        plan,
        linetape::Lines::next_line
    );
    assert_eq!(found, expected, "{kernel} {habit} {plan:?}: {shown}");
    let source = InPieces::new(&stream, pieces);
    let found: Reading =
        read_all!(builder.build(source), habit, plan, Reader::next_line);
    assert_eq!(
        found, expected,
        "{kernel} {habit} {plan:?} {pieces:?}: {shown}"
    );
}

/// Asserts the same for any stream, in any pieces, with any uses.
pub fn ahead(data: &[u8]) {
    let mut input = Input::of(data);
    let (pieces, _) = input.plan();
    let capacity = 1 + input.below(1 << 10);
    let max_line = input.one_of(&[1 << 20, 200, 117]);
    let max_nodes = input.one_of(&[1 << 20, 150]);
    let limits = Limits { max_line, max_nodes, ..Limits::default() };
    let count = 1 + input.below(3);
    let plan: Vec<usize> =
        (0..count).map(|_| input.below(USES.len())).collect();
    let habit = input.below(USES.len());
    let kernel = input.one_of(&kernels());
    let pieces = (&pieces[..], capacity);
    agree(input.text, kernel, limits, pieces, (habit, &plan));
}
