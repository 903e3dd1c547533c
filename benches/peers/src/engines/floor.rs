//! A lower bound: the work that no parser can avoid.

use memchr::memchr_iter;

use super::{Engine, serde::is_assistant, split::lines};
use crate::jobs::Job;

pub const ENGINES: &[Engine] = &[
    Engine::peer("memchr split, all lines", Job::Select, |data, tally| {
        lines(data).for_each(|line| tally.select(line));
    }),
    Engine::prepared("memchr split, told which lines", Job::Select, |data| {
        let numbered = lines(data).enumerate();
        let wanted = numbered.filter(|(_, line)| is_assistant(line));
        let wanted: Vec<usize> = wanted.map(|(number, _)| number).collect();
        Box::new(move |data, tally| {
            let mut wanted = wanted.iter().copied();
            let mut next = wanted.next();
            let (bytes, mut start) = (data.bytes(), 0);
            for (number, end) in memchr_iter(b'\n', bytes).enumerate() {
                if next == Some(number) {
                    tally.select(&bytes[start..end]);
                    next = wanted.next();
                }
                start = end + 1;
            }
        })
    }),
];
