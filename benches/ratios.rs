//! The tables of the README: ratios, from engines that take turns.
//!
//! A machine is never equally fast for long, so the engines run round and
//! round, each counts with its best run, and only ratios are printed.

mod shared;

use std::{fmt::Debug, hint::black_box, time::Instant};

use shared::{data, decode, split};

fn main() {
    // `cargo bench -- --test` wants to know that it runs, not how fast.
    let test = std::env::args().any(|argument| argument == "--test");
    let rounds = |count| if test { 1 } else { count };
    table(
        "Lines",
        split::ENGINES,
        &[
            ("lines", "memchr"),
            ("Reader", "read+memchr"),
            ("Reader", "read_until"),
            ("Reader", "bstr"),
        ],
        rounds(100),
    );
    let peers = [
        ("linetape", "bare tape"),
        ("linetape", "serde_json Value"),
        ("linetape", "simd-json BorrowedValue"),
    ];
    table("Decode, kind", decode::KIND, &peers, rounds(10));
    table("Decode, text", decode::TEXT, &peers, rounds(10));
    let peers = [
        ("linetape", "serde_json, same types"),
        ("linetape", "serde_json Value"),
    ];
    table("Decode, own", decode::OWN, &peers, rounds(10));
}

/// An engine: its name, and what it makes of some bytes.
type Engine<T> = (&'static str, fn(&[u8]) -> T);

fn table<T: PartialEq + Debug>(
    title: &str,
    engines: &[Engine<T>],
    pairs: &[(&str, &str)],
    rounds: usize,
) {
    println!("{title}: time of one to time of the other, best of {rounds}\n");
    print!("| data |");
    for (one, other) in pairs {
        print!(" {one} / {other} |");
    }
    println!("\n|---|{}", "---|".repeat(pairs.len()));
    for data in data::sets() {
        let best = best_times(engines, &data.bytes, rounds);
        let time = |name: &str| {
            let at = engines.iter().position(|engine| engine.0 == name);
            best[at.expect("an engine has that name")]
        };
        print!("| {} |", data.name);
        for (one, other) in pairs {
            print!(" {:.2} |", time(one) / time(other));
        }
        println!();
    }
    println!();
}

/// The shortest time of each engine, in seconds.
fn best_times<T: PartialEq + Debug>(
    engines: &[Engine<T>],
    bytes: &[u8],
    rounds: usize,
) -> Vec<f64> {
    let expected = engines[0].1(bytes);
    let mut best = vec![f64::MAX; engines.len()];
    for _ in 0..rounds {
        for ((name, run), best) in engines.iter().zip(&mut best) {
            let start = Instant::now();
            let answer = run(black_box(bytes));
            *best = best.min(start.elapsed().as_secs_f64());
            assert_eq!(answer, expected, "{name} says otherwise");
        }
    }
    best
}
