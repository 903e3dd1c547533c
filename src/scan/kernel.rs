use std::fmt;

use crate::scan::{Simd, portable::Portable};
#[cfg(target_arch = "x86_64")]
use crate::scan::{avx2, avx512, sse2};

/// The instructions that text is scanned with.
///
/// The best that the CPU has is chosen at run time, so there is no need to
/// choose. All kernels give the same answers.
///
/// # Example
///
/// This shows how to find out what is in use, and how to read with the kernel
/// that every CPU has.
///
/// ```
/// use linetape::{Kernel, Reader};
///
/// println!("scanning with {}", Kernel::best());
/// let builder = Reader::builder().kernel("portable".parse()?)?;
/// let mut reader = builder.build(&b"{\"type\":\"user\"}\n"[..]);
/// let line = reader.next_line().unwrap()?;
/// assert!(line.kind()?.is("user"));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// AVX-512 with VBMI2, which is what came with Ice Lake and Zen 4.
    Avx512,
    /// AVX2, and BMI2.
    Avx2,
    /// SSE2, which every x86-64 has.
    Sse2,
    /// Plain code for any CPU.
    Portable,
}

impl Kernel {
    /// All kernels, the best first.
    pub const ALL: [Kernel; 4] =
        [Kernel::Avx512, Kernel::Avx2, Kernel::Sse2, Kernel::Portable];

    /// Returns the best kernel that this CPU has.
    pub fn best() -> Kernel {
        let mut all = Kernel::ALL.into_iter();
        all.find(|kernel| kernel.is_available()).unwrap_or(Kernel::Portable)
    }

    /// Returns whether this CPU has what the kernel needs.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => avx512::is_available(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::is_available(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Sse2 => true,
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx512 | Kernel::Avx2 | Kernel::Sse2 => false,
            Kernel::Portable => true,
        }
    }

    /// Returns the kernel's name: `avx512`, `avx2`, `sse2` or `portable`.
    pub fn as_str(self) -> &'static str {
        match self {
            Kernel::Avx512 => "avx512",
            Kernel::Avx2 => "avx2",
            Kernel::Sse2 => "sse2",
            Kernel::Portable => "portable",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Something to be done with masks, whichever kernel makes them.
///
/// For `run`, and for all that it calls with a `Simd`, use `inline(always)`:
/// only what is inlined is compiled for the kernel's CPU.
pub(crate) trait Job {
    type Output;

    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A kernel that this CPU has. Nothing else can become one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner(Kernel);

impl Scanner {
    pub(crate) fn best() -> Scanner {
        Scanner(Kernel::best())
    }

    /// `None` if this CPU lacks what the kernel needs.
    pub(crate) fn new(kernel: Kernel) -> Option<Scanner> {
        kernel.is_available().then_some(Scanner(kernel))
    }

    /// Does a job with this kernel.
    #[inline]
    pub(crate) fn run<J: Job>(self, job: J) -> J::Output {
        debug_assert!(self.0.is_available());
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a scanner is only made of a kernel that is available.
            Kernel::Avx512 => unsafe { avx512::run(job) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a scanner is only made of a kernel that is available.
            Kernel::Avx2 => unsafe { avx2::run(job) },
            #[cfg(target_arch = "x86_64")]
            Kernel::Sse2 => sse2::run(job),
            _ => job.run(Portable),
        }
    }
}
