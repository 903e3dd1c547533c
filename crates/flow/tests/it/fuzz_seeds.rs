//! The oracles of the fuzz targets, on the seeds and on random bytes.

use std::{fs, path::Path};

use crate::{
    oracle::TARGETS,
    support::{Random, log},
};

/// Returns all seeds, and findings of the fuzzer.
fn seeds() -> Vec<Vec<u8>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut seeds = vec![];
    for folder in ["seeds", "regressions"] {
        for entry in fs::read_dir(fuzz.join(folder)).unwrap() {
            seeds.push(fs::read(entry.unwrap().path()).unwrap());
        }
    }
    assert!(seeds.len() > 20);
    seeds
}

#[test]
fn every_seed_passes_every_oracle() {
    for seed in seeds() {
        for (_, oracle) in TARGETS {
            oracle(&seed);
        }
    }
}

#[test]
fn damaged_seeds_with_parameters_pass() {
    let mut random = Random(0x5EED);
    let mut seeds = seeds();
    seeds.push(log(30));
    for round in 0..300 {
        let mut seed = seeds[random.below(seeds.len())].clone();
        seed.truncate(5000);
        for _ in 0..random.below(4) {
            if let Some(last) = seed.len().checked_sub(1) {
                let at = random.below(last + 1);
                seed[at] = random.below(256) as u8;
            }
        }
        seed.push(0xFF);
        for _ in 0..12 {
            seed.push(random.below(255) as u8);
        }
        // Saving waits for the disk.
        let (_, oracle) = TARGETS[[0, 2, 0, 2, 1][round % 5]];
        oracle(&seed);
    }
}

/// Each oracle has a target.
#[test]
fn every_oracle_is_a_target() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        let path = fuzz.join(format!("fuzz_targets/{name}.rs"));
        let code = fs::read_to_string(path).unwrap();
        assert!(code.contains(&format!("flow::{name}(data)")), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
}
