/*!
The JSON of a line, as a source of owned types.
*/

use std::iter::FusedIterator;

use crate::json::{self, Object, Value};

/// A value of a line that is being owned.
///
/// Only this crate creates it: for a line that has been checked, or for a line
/// that is checked while it is copied. A value of an unchecked line could lose
/// data, because its lists may end early.
#[derive(Clone, Copy, Debug)]
pub struct LineValue<'a>(pub(crate) Value<'a>);

/// An object of a line that is being owned: see [`LineValue`].
#[derive(Clone, Copy, Debug)]
pub struct LineObject<'a>(pub(crate) Object<'a>);

/// An iterator over the members of a [`LineObject`].
#[derive(Clone, Debug)]
pub struct LineMembers<'a>(json::Members<'a>);

impl<'a> IntoIterator for LineObject<'a> {
    type Item = (&'a str, LineValue<'a>);
    type IntoIter = LineMembers<'a>;

    #[inline]
    fn into_iter(self) -> LineMembers<'a> {
        LineMembers(self.0.iter())
    }
}

impl<'a> Iterator for LineMembers<'a> {
    type Item = (&'a str, LineValue<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.0.next()?;
        Some((key, LineValue(value)))
    }
}

impl FusedIterator for LineMembers<'_> {}
