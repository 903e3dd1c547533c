//! How fast lines are decoded, looked into, and owned.

mod shared;

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shared::{data, decode};

fn decode(c: &mut Criterion) {
    let jobs =
        [("kind", decode::KIND), ("text", decode::TEXT), ("own", decode::OWN)];
    for data in data::sets() {
        let bytes = &data.bytes[..];
        for (job, engines) in jobs {
            let name = format!("decode/{job}/{}", data.name);
            let mut group = c.benchmark_group(name);
            group.throughput(Throughput::Bytes(bytes.len() as u64));
            group.measurement_time(Duration::from_secs(2));
            group.warm_up_time(Duration::from_millis(500));
            group.sample_size(20);
            let expected = engines[0].1(bytes);
            for (engine, run) in engines {
                assert_eq!(run(bytes), expected, "{engine} says otherwise");
                group.bench_function(*engine, |b| {
                    b.iter(|| run(black_box(bytes)));
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
