//! Records and bytes by kind.

use std::{cmp::Reverse, collections::HashMap};

use serde::{Deserialize, Serialize};

/// How many kinds are searched linearly, which is faster than a map.
const FEW: usize = 16;

/// Records and bytes by kind.
#[derive(Default)]
pub struct Kinds {
    counts: Vec<KindCount>,
    /// The index of each count, by type and subtype.
    indices: HashMap<Box<[u8]>, usize>,
    /// A buffer for the keys of `indices`.
    key: Vec<u8>,
}

/// The records of one kind.
#[derive(Serialize, Deserialize)]
pub struct KindCount {
    /// The type, if the records have one.
    pub name: Option<String>,
    pub subtype: Option<String>,
    /// The file that the type belongs to: see [`owner`](crate::owner::owner).
    pub of: Option<String>,
    pub records: u64,
    /// Their bytes, including line terminators.
    pub bytes: u64,
}

impl Kinds {
    /// Returns the count of a kind.
    pub fn count(
        &mut self,
        name: Option<&str>,
        subtype: Option<&str>,
        of: Option<&str>,
    ) -> &mut KindCount {
        // Most logs have few kinds.
        let mut few = self.counts.iter().take(FEW);
        let found = few.position(|count| {
            count.name.as_deref() == name
                && count.subtype.as_deref() == subtype
                && count.of.as_deref() == of
        });
        if let Some(index) = found {
            return &mut self.counts[index];
        }
        self.key.clear();
        for part in [name, subtype, of] {
            // These bytes never occur in UTF-8.
            self.key.push(if part.is_some() { 0xFE } else { 0xFF });
            self.key.extend_from_slice(part.unwrap_or_default().as_bytes());
        }
        let index = match self.indices.get(self.key.as_slice()) {
            Some(index) => *index,
            None => {
                let index = self.counts.len();
                self.indices.insert(self.key.as_slice().into(), index);
                let name = name.map(str::to_string);
                let subtype = subtype.map(str::to_string);
                let of = of.map(str::to_string);
                let (records, bytes) = (0, 0);
                let count = KindCount { name, subtype, of, records, bytes };
                self.counts.push(count);
                index
            }
        };
        &mut self.counts[index]
    }

    /// Adds the counts of [`all`](Kinds::all) kinds of a later part.
    pub fn append(&mut self, later: &[KindCount]) {
        for KindCount { name, subtype, of, records, bytes } in later {
            let (name, subtype) = (name.as_deref(), subtype.as_deref());
            let count = self.count(name, subtype, of.as_deref());
            count.records += records;
            count.bytes += bytes;
        }
    }

    pub fn all(&self) -> &[KindCount] {
        &self.counts
    }

    /// Returns the number of all records.
    pub fn records(&self) -> u64 {
        self.counts.iter().map(|count| count.records).sum()
    }

    /// Returns all kinds, by number of records, the largest first.
    pub fn by_size(&self) -> Vec<&KindCount> {
        let mut counts: Vec<_> = self.counts.iter().collect();
        counts.sort_by_key(|count| {
            (Reverse(count.records), &count.name, &count.subtype, &count.of)
        });
        counts
    }
}
