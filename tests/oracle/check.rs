//! `check`, compared with decoding: both accept the same lines, and reject the
//! others with the same error at the same position.

use linetape::{Decoder, Kernel, Limits};

use crate::support::json::{Told, decoders, kernels, show, told, verdict};

/// Checks one line with every kernel, and returns the result.
pub fn judge(line: &[u8], limits: Limits) -> Result<(), Told> {
    judge_with(kernels().into_iter().zip(decoders(limits)), line, limits)
}

/// The same with some kernels only.
pub fn judge_with(
    decoders: impl IntoIterator<Item = (Kernel, Decoder)>,
    line: &[u8],
    limits: Limits,
) -> Result<(), Told> {
    let expected = verdict(line, limits);
    for (kernel, mut decoder) in decoders {
        let line = decoder.line(line);
        let found = line.check().map_err(|error| told(&error));
        assert_eq!(found, expected, "{kernel}: {}", show(line.as_bytes()));
        // A second check returns the same result.
        let _ = (line.kind(), line.peek());
        let again = line.check().map_err(|error| told(&error));
        assert_eq!(again, expected, "{kernel}: {}", show(line.as_bytes()));
    }
    expected
}
