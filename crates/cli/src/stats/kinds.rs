use std::{cmp::Reverse, collections::HashMap};

/// How many kinds are looked through one by one, which is faster than a map.
const FEW: usize = 16;

/// Records and bytes by kind.
#[derive(Default)]
pub struct Kinds {
    counts: Vec<KindCount>,
    /// The place of each count, by type and subtype.
    places: HashMap<Box<[u8]>, usize>,
    /// Where keys are put together.
    key: Vec<u8>,
}

/// The records of one kind.
pub struct KindCount {
    /// The type, if there is one.
    pub name: Option<String>,
    pub subtype: Option<String>,
    pub records: u64,
    /// Their bytes, with those of the terminators.
    pub bytes: u64,
}

impl Kinds {
    /// The count for a kind.
    pub fn count(
        &mut self,
        name: Option<&str>,
        subtype: Option<&str>,
    ) -> &mut KindCount {
        // There are few kinds, mostly.
        let mut few = self.counts.iter().take(FEW);
        let found = few.position(|count| {
            count.name.as_deref() == name
                && count.subtype.as_deref() == subtype
        });
        if let Some(place) = found {
            return &mut self.counts[place];
        }
        self.key.clear();
        for part in [name, subtype] {
            // No text has these bytes in it.
            self.key.push(if part.is_some() { 0xFE } else { 0xFF });
            self.key.extend_from_slice(part.unwrap_or_default().as_bytes());
        }
        let place = match self.places.get(self.key.as_slice()) {
            Some(place) => *place,
            None => {
                let place = self.counts.len();
                self.places.insert(self.key.as_slice().into(), place);
                let name = name.map(str::to_string);
                let subtype = subtype.map(str::to_string);
                let (records, bytes) = (0, 0);
                self.counts.push(KindCount { name, subtype, records, bytes });
                place
            }
        };
        &mut self.counts[place]
    }

    pub fn append(&mut self, later: &Kinds) {
        for KindCount { name, subtype, records, bytes } in &later.counts {
            let count = self.count(name.as_deref(), subtype.as_deref());
            count.records += records;
            count.bytes += bytes;
        }
    }

    /// How many records there are in all.
    pub fn records(&self) -> u64 {
        self.counts.iter().map(|count| count.records).sum()
    }

    /// All kinds, the one with the most records first.
    pub fn by_size(&self) -> Vec<&KindCount> {
        let mut counts: Vec<_> = self.counts.iter().collect();
        counts.sort_by_key(|count| {
            (Reverse(count.records), &count.name, &count.subtype)
        });
        counts
    }
}
