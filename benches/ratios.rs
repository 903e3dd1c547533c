//! The tables of the README: ratios, from engines that take turns.
//!
//! A machine is never equally fast for long, so the engines run round and
//! round, each counts with its best run, and only ratios are printed.

mod shared;

use std::{hint::black_box, time::Instant};

use shared::{data, split::ENGINES};

fn main() {
    // `cargo bench -- --test` wants to know that it runs, not how fast.
    let rounds = if std::env::args().any(|a| a == "--test") { 1 } else { 100 };
    println!(
        "Time of one to time of the other, the best of {rounds} rounds\n"
    );
    let pairs = [
        ("lines", "memchr"),
        ("Reader", "read+memchr"),
        ("Reader", "read_until"),
        ("Reader", "bstr"),
    ];
    print!("| data |");
    for (one, other) in pairs {
        print!(" {one} / {other} |");
    }
    println!("\n|---|{}", "---|".repeat(pairs.len()));
    for data in data::sets() {
        let best = best_times(&data.bytes, rounds);
        let time = |name| {
            let at = ENGINES.iter().position(|engine| engine.0 == name);
            best[at.expect("an engine has that name")]
        };
        print!("| {} |", data.name);
        for (one, other) in pairs {
            print!(" {:.2} |", time(one) / time(other));
        }
        println!();
    }
}

/// The shortest time of each engine, in seconds.
fn best_times(bytes: &[u8], rounds: usize) -> Vec<f64> {
    let expected = ENGINES[0].1(bytes);
    let mut best = vec![f64::MAX; ENGINES.len()];
    for _ in 0..rounds {
        for ((name, run), best) in ENGINES.iter().zip(&mut best) {
            let start = Instant::now();
            let answer = run(black_box(bytes));
            *best = best.min(start.elapsed().as_secs_f64());
            assert_eq!(answer, expected, "{name} counts other lines");
        }
    }
    best
}
