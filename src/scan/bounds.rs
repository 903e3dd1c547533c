use std::slice::SliceIndex;

/// A part of `slice` that is there, if our own invariants hold. If they do
/// not, this is loud in debug builds, and empty in others.
#[inline(always)]
pub(crate) fn part<T, I>(slice: &[T], range: I) -> &[T]
where
    I: SliceIndex<[T], Output = [T]>,
{
    slice.get(range).unwrap_or_else(out_of_bounds)
}

/// A call of its own, so that the check is a branch that is never taken and
/// not a step of the hot path.
#[cold]
fn out_of_bounds<'a, T>() -> &'a [T] {
    debug_assert!(false, "a range outside of its slice");
    &[]
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn a_part_is_what_lies_in_the_range() {
        assert_eq!(part(b"abc", 1..), b"bc");
        assert_eq!(part(b"abc", 3..), b"");
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "outside of its slice")]
    fn a_range_that_is_wrong_is_loud() {
        part(b"abc", 2..4);
    }
}
