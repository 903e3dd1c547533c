use std::fmt;

#[cfg(target_arch = "x86_64")]
use crate::scan::{avx2, avx512, sse2};
use crate::scan::{portable, simd::Job};

/// The SIMD instruction set used for scanning.
///
/// The best one that the CPU supports is chosen at run time. All kernels
/// return the same results.
///
/// # Example
///
/// This prints the kernel in use, and reads with the kernel that every CPU
/// supports.
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
    /// AVX-512 with VBMI2, available since Ice Lake and Zen 4.
    Avx512,
    /// AVX2 with BMI2.
    Avx2,
    /// SSE2, available on every x86-64 CPU.
    Sse2,
    /// Safe code without intrinsics, for any CPU.
    Portable,
}

impl Kernel {
    /// All kernels, in order of preference.
    pub const ALL: [Kernel; 4] =
        [Kernel::Avx512, Kernel::Avx2, Kernel::Sse2, Kernel::Portable];

    /// Returns the best kernel that this CPU supports.
    pub fn best() -> Kernel {
        let mut all = Kernel::ALL.into_iter();
        all.find(|kernel| kernel.is_available()).unwrap_or(Kernel::Portable)
    }

    /// Returns whether this CPU supports the kernel.
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

    /// Returns the name of the kernel: `avx512`, `avx2`, `sse2` or `portable`.
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

/// A kernel that this CPU supports. The constructors guarantee it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner(Kernel);

impl Scanner {
    pub(crate) fn best() -> Scanner {
        Scanner(Kernel::best())
    }

    /// Returns `None` if this CPU does not support the kernel.
    pub(crate) fn new(kernel: Kernel) -> Option<Scanner> {
        kernel.is_available().then_some(Scanner(kernel))
    }

    /// Runs a job with this kernel.
    #[inline(always)]
    pub(crate) fn run<J: Job>(self, job: J) -> J::Output {
        debug_assert!(self.0.is_available());
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the constructors of `Scanner` ensure that the CPU
            // supports the kernel.
            Kernel::Avx512 => unsafe { avx512::run(job) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the constructors of `Scanner` ensure that the CPU
            // supports the kernel.
            Kernel::Avx2 => unsafe { avx2::run(job) },
            #[cfg(target_arch = "x86_64")]
            Kernel::Sse2 => sse2::run(job),
            _ => portable::run(job),
        }
    }
}
