use crate::scan::is_key;

/// Which of the keys that must not occur twice have been seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stated {
    name: bool,
    subtype: bool,
    /// The first key that was seen twice, and where the second one is.
    pub(crate) second: Option<(&'static str, usize)>,
}

impl Stated {
    /// Looks at a key as it is written, and says whether it is one of them.
    #[inline(always)]
    pub(crate) fn see(&mut self, written: &[u8], at: usize) -> bool {
        // The first byte settles nearly all.
        match written.first() {
            Some(b't' | b's' | b'\\') => self.look(written, at),
            _ => false,
        }
    }

    fn look(&mut self, written: &[u8], at: usize) -> bool {
        for (key, seen) in
            [("type", &mut self.name), ("subtype", &mut self.subtype)]
        {
            if is_key(written, key) {
                if *seen && self.second.is_none() {
                    self.second = Some((key, at));
                }
                *seen = true;
                return true;
            }
        }
        false
    }
}
