//! The tests of decoding alone. `ci/features.sh` runs them with other number
//! types of simd-json: they compile faster than all tests.

#[allow(dead_code)] // this binary uses a part of it
#[path = "oracle/mod.rs"]
mod oracle;
#[allow(dead_code)] // this binary uses a part of it
#[path = "support/mod.rs"]
mod support;

#[path = "it/decode"]
mod decode {
    mod differential;
    mod noise;
    mod numbers;
    mod other_types;
    mod raw_bytes;
    mod regressions;
    mod repeated_keys;
    mod texts;
    mod trailing_data;
    mod values;
}
