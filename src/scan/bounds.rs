use std::slice::SliceIndex;

/// Returns a part of `slice`. If the range is out of bounds, which is a bug of
/// the caller, this panics in debug builds and returns an empty slice in
/// release builds.
#[inline(always)]
pub(crate) fn part<T, I>(slice: &[T], range: I) -> &[T]
where
    I: SliceIndex<[T], Output = [T]>,
{
    slice.get(range).unwrap_or_else(out_of_bounds)
}

/// A separate cold function, to keep the failure path out of the hot code.
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
