use std::collections::HashMap;

use super::*;

fn row(hash: u64, payload: u32) -> [u8; 12] {
    let mut row = [0; 12];
    row[..8].copy_from_slice(&hash.to_le_bytes());
    row[8..].copy_from_slice(&payload.to_le_bytes());
    row
}

fn saved(table: &Table<12>) -> Vec<u8> {
    let mut state = vec![];
    table.save(&mut state);
    assert_eq!(state.len(), table.saved_len());
    state
}

fn load<const ROW: usize>(state: &[u8]) -> Result<Table<ROW>, Error> {
    Table::load(BytesMut::from(state))
}

/// Hashes that share their low bits, as if an adversary had chosen them,
/// and rows without a hash.
#[test]
fn rows_are_found_by_hash_after_any_number_of_others() {
    let mut table = Table::<12>::default();
    let mut expected = HashMap::new();
    for n in 0..2000_u64 {
        let hash = if n % 7 == 0 { 0 } else { n << 32 };
        let index = table.push(&row(hash, n as u32));
        assert_eq!(index as u64, n);
        if hash != 0 {
            expected.insert(hash, index);
        }
        if n % 100 == 0 {
            table = load(&saved(&table)).unwrap();
        }
    }
    assert_eq!((table.len(), table.find(0)), (2000, None));
    for (hash, index) in expected {
        assert_eq!(table.find(hash), Some(index), "{hash}");
        assert_eq!(table.find(hash + 1), None, "{hash}");
        assert_eq!(table.row(index), Some(&row(hash, index as u32)));
    }
    assert_eq!(table.rows().count(), 2000);
    assert_eq!(table.row(2000), None);
}

/// A row had five bytes of slots in a state, and up to eleven before that.
#[test]
fn a_saved_table_has_one_index_for_a_row() {
    for count in [1, 12, 13, 1000, 65_536, 65_537] {
        let mut table = Table::<12>::default();
        (1..=count).for_each(|n| _ = table.push(&row(n, 0)));
        let count = count as usize;
        let order = table.saved_len() - HEADER - 12 * count;
        let width = if count <= 65_536 { 2 } else { 3 };
        assert_eq!(order, width * count);
        let mut loaded: Table<12> = load(&saved(&table)).unwrap();
        let more = count + count / 16;
        for n in count + 1..=more {
            assert_eq!(loaded.find(n as u64), None);
            loaded.push(&row(n as u64, 0));
        }
        // What was loaded stays as it is.
        assert_eq!(loaded.order.len(), count);
        let again: Table<12> = load(&saved(&loaded)).unwrap();
        for n in 1..=more {
            assert_eq!(loaded.find(n as u64), Some(n - 1), "{count}");
            assert_eq!(again.find(n as u64), Some(n - 1), "{count}");
        }
        assert_eq!(again.order.len(), more);
    }
}

/// Rows with one hash are found in order, wherever they are.
#[test]
fn all_rows_with_a_hash_are_found() {
    let mut table = Table::<12, 6>::default();
    // Only the first six bytes are the hash.
    let hash = |n: u64| (n % 50 + 1) | (n << 48);
    for n in 0..400 {
        table.push(&row(hash(n), n as u32));
        if n == 200 {
            let mut state = vec![];
            table.save(&mut state);
            table = Table::load(BytesMut::from(&*state)).unwrap();
        }
    }
    for n in 0..50 {
        let found: Vec<usize> = table.all(n as u64 + 1).collect();
        let expected: Vec<usize> = (0..8).map(|k| n + 50 * k).collect();
        assert_eq!(found, expected);
    }
    assert_eq!((table.all(51).count(), table.all(0).count()), (0, 0));
}

/// A forged order leads to no row or to a wrong one, but to no panic.
#[test]
fn a_forged_order_does_not_panic() {
    let mut table = Table::<12>::default();
    (1..=500).for_each(|n| _ = table.push(&row(n, 0)));
    let good = saved(&table);
    for byte in [0, 1, 0x7f, 0xff] {
        let mut forged = good.clone();
        forged[HEADER..HEADER + 2 * 500].fill(byte);
        let table: Table<12> = load(&forged).unwrap();
        let found = (1..=1000).filter_map(|n| table.find(n));
        assert!(found.count() <= 1);
    }
}

#[test]
fn a_header_that_contradicts_the_rows_is_refused() {
    let mut table = Table::<12>::default();
    (1..30).for_each(|n| _ = table.push(&row(n, 0)));
    let good = saved(&table);
    assert!(load::<12>(&good).is_ok());
    assert!(load::<12>(&good[1..]).is_err());
    assert!(load::<16>(&good).is_err());
    assert!(load::<12>(&good[..good.len() - 1]).is_err());
    assert!(load::<12>(&[]).is_err());
    for field in 0..2 {
        for value in [1, 3, 64, u64::MAX] {
            let mut bad = good.clone();
            let at = 8 * field;
            bad[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
            assert!(load::<12>(&bad).is_err(), "{field} {value}");
        }
    }
}
