/*!
The search for duplicate keys in any object of a line.
*/

use bumpalo::{Bump, collections::Vec};

use crate::json::TextValue;

/// Which objects are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Objects {
    /// The outermost one.
    Outermost,
    All,
}

/// Returns the offset of the first key that an earlier member of the same
/// object has. Takes O(n log n) for the n keys of an object, without recursion.
pub(crate) fn first_duplicate(
    value: TextValue<'_>,
    objects: Objects,
    arena: &Bump,
) -> Option<usize> {
    let mut first: Option<usize> = None;
    let mut keys = Vec::new_in(arena);
    let mut containers = Vec::new_in(arena);
    containers.push(value);
    while let Some(container) = containers.pop() {
        let mut rest = container.inside();
        if container.is_array() {
            while let Some(item) = rest.next_value() {
                containers.extend(container_of(item));
            }
            continue;
        }
        let mut at = rest.offset();
        while let Some((key, value)) = rest.next_member() {
            keys.push((key, at));
            if objects == Objects::All {
                containers.extend(container_of(value));
            }
            at = rest.offset();
        }
        keys.sort_unstable();
        for pair in keys.windows(2) {
            if let [(key, _), (again, at)] = pair
                && key == again
                && (first.is_none() || *at < first)
            {
                first = *at;
            }
        }
        keys.clear();
    }
    first
}

/// Returns the value if it is an object or an array.
fn container_of(value: TextValue<'_>) -> Option<TextValue<'_>> {
    (value.is_object() || value.is_array()).then_some(value)
}
