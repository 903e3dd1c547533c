//! The oracles of the fuzz targets, on the seeds and on random choices.

use std::{fs, path::Path};

use crate::oracle::TARGETS;

/// Returns all seeds and findings of the fuzzer, and the lines of the fixtures.
fn seeds() -> Vec<Vec<u8>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut seeds = vec![];
    for folder in ["seeds", "regressions"] {
        for entry in fs::read_dir(fuzz.join(folder)).unwrap() {
            seeds.push(fs::read(entry.unwrap().path()).unwrap());
        }
    }
    assert!(seeds.len() > 20);
    for (_, log) in crate::logs::fixtures() {
        let lines = log.split(|byte| *byte == b'\n').step_by(5);
        seeds.extend(lines.map(<[u8]>::to_vec));
    }
    seeds
}

#[test]
fn every_seed_passes_with_several_choices() {
    for seed in seeds() {
        for (_, oracle) in TARGETS {
            oracle(&seed);
            for choice in 0..20 {
                oracle(&[&seed[..], b"\xFF", &[choice]].concat());
            }
        }
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
        assert!(code.contains(&format!("redaction::{name}(data)")), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
}
