/*!
Parses the name of a kernel. This is not in `scan`, because `scan` does not
depend on `error`.
*/

use std::str::FromStr;

use crate::{
    error::{Error, ErrorKind},
    scan::Kernel,
};

impl Kernel {
    /// Returns the error for a CPU that does not support this kernel.
    pub(crate) fn unsupported(self) -> Error {
        let text = format!("kernel {self} not supported by this CPU");
        Error::new(ErrorKind::Unsupported, text)
    }
}

impl FromStr for Kernel {
    type Err = Error;

    /// Parses a name that [`as_str`](Kernel::as_str) returns, even if this CPU
    /// does not support the kernel.
    ///
    /// # Errors
    ///
    /// Returns `ErrorKind::InvalidInput` for any other text.
    fn from_str(name: &str) -> Result<Kernel, Error> {
        let mut all = Kernel::ALL.into_iter();
        all.find(|kernel| kernel.as_str() == name)
            .ok_or_else(|| Error::unknown_name("kernel", name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_read_from_its_name_and_from_no_other() {
        for kernel in Kernel::ALL {
            let name = kernel.to_string();
            assert_eq!(name.parse::<Kernel>().unwrap(), kernel);
        }
        let error = "AVX2".parse::<Kernel>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), "unknown kernel `AVX2`");
    }
}
