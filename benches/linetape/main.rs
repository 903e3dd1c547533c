//! The speed of each step of linetape, measured by criterion.
//!
//! `cargo bench` measures, `cargo bench -- --test` runs everything once, and
//! `cargo bench -- peek/kind` runs only the benches with that name: a name
//! consists of the step, the job and the data set. `benches/peers` compares
//! linetape with other libraries.

mod data;
mod decode;
mod end_to_end;
mod levels;
mod message;
mod owned;
mod peek;
mod session;
mod split;
mod write;

// The reference implementation, shared with the tests. A bench uses a part of
// it.
#[allow(dead_code)]
#[path = "../../tests/support/usage.rs"]
mod usage;

use std::{fmt::Debug, hint::black_box, time::Duration};

use criterion::{
    BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use data::Data;

/// A job: its name, and its function.
type Job<A> = (&'static str, fn(&Data) -> A);

/// Measures the jobs of a step on every data set, after each has returned the
/// expected result.
fn step<A: PartialEq + Debug>(
    c: &mut Criterion,
    name: &str,
    expected: fn(&Data) -> A,
    jobs: &[Job<A>],
) {
    let mut group = c.benchmark_group(name);
    group.sample_size(20);
    group.warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    for data in data::sets() {
        group.throughput(Throughput::Bytes(data.bytes.len() as u64));
        let expected = expected(data);
        for (job, run) in jobs {
            let set = data.name;
            assert_eq!(run(data), expected, "{name}/{job}/{set}");
            group.bench_with_input(
                BenchmarkId::new(*job, set),
                data,
                |bencher, data| bencher.iter(|| run(black_box(data))),
            );
        }
    }
    group.finish();
}

criterion_group!(
    benches,
    split::step,
    decode::step,
    peek::step,
    levels::step,
    message::step,
    session::step,
    owned::step,
    write::step,
    end_to_end::step
);
criterion_main!(benches);
