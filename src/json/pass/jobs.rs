use crate::{
    json::{
        Index, Stated, StatedKey,
        index::Indexing,
        pass::{
            Checks, Extent, Miss, Policy, Route, Span,
            flat::Flat,
            route::{Routing, each_bit},
            run,
        },
    },
    scan::{Job, MaybeUtf8, Scanner, Simd, StringMasks, Strings, part},
};

/// Finds the end of a line and, for `route`, its kind. `None` if the line has a fault, or if
/// the kind has to be read on a slower way: there are escapes in keys or in the
/// type, the type is not a string or occurs twice, or the line does not begin
/// with a brace.
#[inline(always)]
pub(crate) fn route(
    scanner: Scanner,
    line: Extent<'_>,
    max_depth: usize,
    route: &mut Route,
) -> Option<usize> {
    let Extent { text, ending } = line;
    route_apart(scanner, text, ending, max_depth, route)
}

/// Does the same. It is not inlined into each loop of a caller, and so takes
/// what fits into registers.
#[inline(never)]
fn route_apart(
    scanner: Scanner,
    text: &[u8],
    ending: u64,
    max_depth: usize,
    route: &mut Route,
) -> Option<usize> {
    let line = Extent { text, ending };
    let (end, is_ascii) = scanner.run(FindRoute { line, max_depth, route })?;
    if !is_ascii {
        simdutf8::basic::from_utf8(text.get(..end)?).ok()?;
    }
    Some(end)
}

/// Checks a whole line. Returns its end.
///
/// # Errors
///
/// Returns [`Miss::Slow`] if the line is good, but the key `type` or `subtype`
/// may be duplicate.
#[inline(always)]
pub(crate) fn check(
    scanner: Scanner,
    line: Extent<'_>,
    max_depth: usize,
) -> Result<usize, Miss> {
    let Extent { text, ending } = line;
    check_apart(scanner, text, ending, max_depth)
}

/// Does the same, as [`route_apart`] does.
#[inline(never)]
fn check_apart(
    scanner: Scanner,
    text: &[u8],
    ending: u64,
    max_depth: usize,
) -> Result<usize, Miss> {
    let line = Extent { text, ending };
    match scanner.run(Check { line, max_depth }) {
        Some((end, Passed::Ascii)) => Ok(end),
        Some((end, passed)) => after_utf8(line, end, passed),
        None => Err(Miss::Bad),
    }
}

#[cold]
fn after_utf8(
    line: Extent<'_>,
    end: usize,
    passed: Passed,
) -> Result<usize, Miss> {
    if simdutf8::basic::from_utf8(part(line.text, ..end)).is_err() {
        return Err(Miss::Bad);
    }
    match passed {
        Passed::Doubtful => Err(Miss::Slow),
        Passed::Ascii | Passed::NotAscii => Ok(end),
    }
}

/// Indexes a line. Returns it as a string. `None` if a string or bracket is not
/// closed, or if the line is not UTF-8.
#[inline(never)]
pub(crate) fn index<'t>(
    scanner: Scanner,
    line: Extent<'t>,
    max_depth: usize,
    index: &mut Index,
) -> Option<&'t str> {
    let notes = Indexing::new(index, line.text)?;
    scanner.run(MakeIndex { line, max_depth, notes })?.validated()
}

/// Checks a whole line, and indexes it in the same pass. Returns it as a
/// string, and whether the key `type` or `subtype` may be duplicate. `None` if
/// the line has a fault.
#[inline(never)]
pub(crate) fn check_and_index<'t>(
    scanner: Scanner,
    line: Extent<'t>,
    max_depth: usize,
    index: &mut Index,
) -> Option<(&'t str, bool)> {
    let notes = Indexing::new(index, line.text)?;
    let job = CheckAndIndex { line, max_depth, notes };
    let (line, is_doubtful) = scanner.run(job)?;
    Some((line.validated()?, is_doubtful))
}

struct FindRoute<'t, 'r> {
    line: Extent<'t>,
    max_depth: usize,
    route: &'r mut Route,
}

impl Job for FindRoute<'_, '_> {
    /// The end of the line, and whether the line is ASCII.
    type Output = Option<(usize, bool)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let FindRoute { line, max_depth, route } = self;
        if line.text.first() != Some(&b'{') {
            return None;
        }
        if let Some(flat) = Flat::new(simd, line)
            && let Some(found) = flat_route(flat)
        {
            *route = found;
            return Some((flat.len(), true));
        }
        let mut routing = Routing::new(line.text, route);
        let found = run(simd, line, max_depth, &mut routing)?;
        let is_ascii = matches!(found, MaybeUtf8::Ascii(_));
        Some((found.len(), is_ascii))
    }
}

/// Returns the route of a line that is [`Flat`].
#[inline(always)]
fn flat_route(flat: Flat<'_>) -> Option<Route> {
    let find = |key| flat.find(key).ok();
    let span = |(start, end)| Span::new(start, end);
    let name = find(StatedKey::Type)?.and_then(span);
    let subtype = find(StatedKey::Subtype)?.and_then(span);
    Some(Route { name, subtype, message: None })
}

struct Check<'t> {
    line: Extent<'t>,
    max_depth: usize,
}

/// The result of a check that has found no fault but for UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    Ascii,
    NotAscii,
    /// A key may be duplicate.
    Doubtful,
}

impl Job for Check<'_> {
    /// The end of the line.
    type Output = Option<(usize, Passed)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Check { line, max_depth } = self;
        if let Some(flat) = Flat::new(simd, line)
            && flat.is_clear()
        {
            return Some((flat.len(), Passed::Ascii));
        }
        check_blocks(simd, line, max_depth)
    }
}

/// Checks a line of any kind.
#[inline(always)]
fn check_blocks<S: Simd>(
    simd: S,
    line: Extent<'_>,
    max_depth: usize,
) -> Option<(usize, Passed)> {
    let mut checking = Checking::new(line.text, Nothing);
    let found = run(simd, line, max_depth, &mut checking)?;
    let passed = match found {
        _ if checking.is_doubtful() => Passed::Doubtful,
        MaybeUtf8::Ascii(_) => Passed::Ascii,
        MaybeUtf8::Unvalidated(_) => Passed::NotAscii,
    };
    Some((found.len(), passed))
}

struct CheckAndIndex<'i, 't> {
    line: Extent<'t>,
    max_depth: usize,
    notes: Indexing<'i>,
}

impl<'t> Job for CheckAndIndex<'_, 't> {
    /// The second value is whether a key may be duplicate.
    type Output = Option<(MaybeUtf8<'t>, bool)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let CheckAndIndex { line, max_depth, notes } = self;
        let mut checking = Checking::new(line.text, notes);
        let found = run(simd, line, max_depth, &mut checking)?;
        Some((found, checking.is_doubtful()))
    }
}

struct MakeIndex<'i, 't> {
    line: Extent<'t>,
    max_depth: usize,
    notes: Indexing<'i>,
}

impl<'t> Job for MakeIndex<'_, 't> {
    type Output = Option<MaybeUtf8<'t>>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let MakeIndex { line, max_depth, mut notes } = self;
        run(simd, line, max_depth, &mut notes)
    }
}

/// Notes nothing.
struct Nothing;

impl Policy for Nothing {
    const CHECKS: Checks = Checks::Brackets;
}

/// Checks everything, with the notes of another policy.
struct Checking<'t, N> {
    text: &'t [u8],
    stated: Stated,
    /// Whether there is a key with an escape, which may be one of them: then,
    /// this is not 0.
    escaped: u64,
    notes: N,
}

impl<'t, N> Checking<'t, N> {
    #[inline(always)]
    fn new(text: &'t [u8], notes: N) -> Checking<'t, N> {
        let stated = Stated::default();
        Checking { text, stated, escaped: 0, notes }
    }

    /// Returns whether a key may be duplicate.
    #[inline(always)]
    fn is_doubtful(&self) -> bool {
        self.stated.second.is_some() || self.escaped != 0
    }
}

impl<N: Policy> Policy for Checking<'_, N> {
    const CHECKS: Checks = Checks::All;

    #[inline(always)]
    fn open(&mut self, at: usize) {
        self.notes.open(at);
    }

    #[inline(always)]
    fn close(&mut self, at: usize, before: u64) {
        self.notes.close(at, before);
    }

    #[inline(always)]
    fn strings<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        masks: StringMasks,
        special: u64,
        strings: &mut Strings,
    ) {
        self.notes.strings(simd, start, masks, special, strings);
    }

    #[inline(always)]
    fn keys(&mut self, start: usize, four: u64, seven: u64) -> Option<()> {
        each_bit(four | seven, |bit| {
            self.stated.see_plain(part(self.text, ..=start + bit));
            Some(())
        })
    }

    #[inline(always)]
    fn escaped_keys(&mut self, bytes: u64) -> Option<()> {
        self.escaped |= bytes;
        Some(())
    }

    #[inline(always)]
    fn end(&mut self) {
        self.notes.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{Kernel, MAX_DEPTH};

    /// Runs the general path alone.
    struct Blocks<'t>(Extent<'t>);

    impl Job for Blocks<'_> {
        type Output = Option<(usize, Passed)>;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            check_blocks(simd, self.0, MAX_DEPTH)
        }
    }

    #[test]
    fn a_short_line_is_checked_as_any_other() {
        // Parts of members, and members.
        const TOKENS: [&str; 12] = [
            "\"a\"", "\"type\"", ":", ",", "1", "true", " ", "x", "\"", "{}",
            "\\", "-",
        ];
        const MEMBERS: [&str; 15] = [
            "\"a\":1,",
            " \"a\" : true ,",
            "\"type\":\"b\",",
            "\"type\": \"b\",",
            "\"type\":2,",
            "\"subtype\":\"c\",",
            "\"a\":[],",
            "\"a\":\"\\n\",",
            "\"a\":\"é\",",
            "\"a\":\"\\x\",",
            "\"a\":\"\t\",",
            "\"a\\\":1,",
            "\"a\":-0.5e1,",
            "\"a\":",
            "\"e\":0",
        ];
        let (mut flat, mut other) = (0, 0);
        for (parts, most) in [(&TOKENS[..], 4), (&MEMBERS[..], 3)] {
            for number in 0..parts.len().pow(most) {
                let mut line = "{".to_owned();
                let mut rest = number;
                while rest > 0 {
                    line.push_str(parts[rest % parts.len()]);
                    rest /= parts.len();
                }
                line.push('}');
                for kernel in Kernel::ALL {
                    let Some(scanner) = Scanner::new(kernel) else { continue };
                    let text = Extent::whole(line.as_bytes());
                    let expected = scanner.run(Blocks(text));
                    let max_depth = MAX_DEPTH;
                    let found = scanner.run(Check { line: text, max_depth });
                    assert_eq!(found, expected, "{kernel} {line}");
                    match scanner.run(IsFlat(text)) {
                        true => flat += 1,
                        false if expected.is_some() => other += 1,
                        false => {}
                    }
                }
            }
        }
        // Both paths are taken.
        assert!(flat > 100 && other > 100, "{flat} {other}");
    }

    struct IsFlat<'t>(Extent<'t>);

    impl Job for IsFlat<'_> {
        type Output = bool;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> bool {
            Flat::new(simd, self.0).is_some()
        }
    }

    #[test]
    fn the_index_of_a_check_is_the_index_of_the_line() {
        let tails = [
            r#""type":"user","n":[1,{"a":"b\n\"","c":[]},"\u00e9é"]}"#,
            r#""a":{},"b":[[],[{"":""}]],"c":"x\\"}"#,
            r#""long":"0123456789012345678901234567890123456789012345678901234567890123456789\t0123456789","k\u0065y":null} "#,
        ];
        for kernel in Kernel::ALL {
            let Some(scanner) = Scanner::new(kernel) else { continue };
            for (tail, padding) in
                tails.iter().flat_map(|tail| (0..140).map(move |n| (tail, n)))
            {
                let line =
                    format!(r#"{{"p":"{}",{tail}"#, "x".repeat(padding));
                let mut made = Index::default();
                let text = Extent::whole(line.as_bytes());
                let checked =
                    check_and_index(scanner, text, MAX_DEPTH, &mut made);
                let (text_of_check, is_doubtful) = checked.unwrap();
                assert_eq!(text_of_check, line, "{kernel}");
                assert_eq!(is_doubtful, tail.contains("k\\u0065y"));
                let mut filled = Index::default();
                let found = index(scanner, text, MAX_DEPTH, &mut filled);
                assert_eq!(found, Some(line.as_str()));
                let (made, filled) = (made.view(), filled.view());
                assert_eq!(made.quotes, filled.quotes, "{line}");
                assert_eq!(made.escaped, filled.escaped, "{line}");
                assert_eq!(made.containers, filled.containers, "{line}");
            }
        }
    }
}
