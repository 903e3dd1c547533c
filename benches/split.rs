//! How much linetape adds to the search for newlines.

mod shared;

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shared::{data, split::ENGINES};

fn split(c: &mut Criterion) {
    for data in data::sets() {
        let bytes = &data.bytes[..];
        let mut group = c.benchmark_group(format!("split/{}", data.name));
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.measurement_time(Duration::from_secs(2));
        group.warm_up_time(Duration::from_millis(500));
        let expected = ENGINES[0].1(bytes);
        for (name, run) in ENGINES {
            assert_eq!(run(bytes), expected, "{name} counts other lines");
            group.bench_function(*name, |b| b.iter(|| run(black_box(bytes))));
        }
        group.finish();
    }
}

criterion_group!(benches, split);
criterion_main!(benches);
