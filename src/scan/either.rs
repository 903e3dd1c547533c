use std::{marker::PhantomData, ptr::NonNull};

/// A reference to one of two types, in the size of one reference.
///
/// The lowest bit of the address says which: the address of a type with an
/// alignment of at least 2 is even.
pub(crate) struct EitherRef<'a, A, B> {
    /// With the bit `IS_SECOND` in its address.
    tagged: NonNull<u8>,
    to: PhantomData<(&'a A, &'a B)>,
}

const IS_SECOND: usize = 1;

/// What an [`EitherRef`] refers to.
pub(crate) enum Either<A, B> {
    First(A),
    Second(B),
}

impl<A, B> Clone for EitherRef<'_, A, B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, B> Copy for EitherRef<'_, A, B> {}

impl<'a, A, B> EitherRef<'a, A, B> {
    const ARE_EVEN: () = assert!(align_of::<A>() > 1 && align_of::<B>() > 1);

    #[inline(always)]
    pub(crate) fn first(to: &'a A) -> Self {
        let () = Self::ARE_EVEN;
        EitherRef { tagged: NonNull::from_ref(to).cast(), to: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn second(to: &'a B) -> Self {
        let () = Self::ARE_EVEN;
        let tagged = NonNull::from_ref(to).cast::<u8>();
        let tagged = tagged.map_addr(|address| address | IS_SECOND);
        EitherRef { tagged, to: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn get(self) -> Either<&'a A, &'a B> {
        let tagged = self.tagged.as_ptr();
        debug_assert!(tagged.addr() > IS_SECOND);
        match tagged.addr() & IS_SECOND {
            // SAFETY: the bit is not set, so `first` made this from a reference
            // to an `A` that lives for 'a.
            0 => Either::First(unsafe { &*tagged.cast() }),
            // SAFETY: the bit is set, so `second` made this from a reference to
            // a `B` that lives for 'a, and has only set the bit, which is not
            // one of an even address.
            _ => Either::Second(unsafe {
                &*tagged.map_addr(|address| address - IS_SECOND).cast()
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refers_to_what_it_was_made_of() {
        let (number, text) = (7_u64, String::from("text"));
        let first = EitherRef::<u64, String>::first(&number);
        let second = EitherRef::<u64, String>::second(&text);
        assert!(matches!(first.get(), Either::First(7)));
        let found = match second.get() {
            Either::Second(text) => text.as_str(),
            Either::First(_) => "the other one",
        };
        assert_eq!(found, "text");
        assert_eq!(size_of_val(&first), size_of::<&u64>());
    }
}
