use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

use ballista_core::error::{BallistaError, Result};

/// Where a process listens, and how others call it.
///
/// # Example
///
/// This shows that a process can only be reached from its own machine, unless
/// told otherwise.
///
/// ```
/// use linetape_cluster::Bind;
///
/// let bind = Bind::default();
/// assert!(bind.address.is_loopback());
/// assert_eq!(bind.host, None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// The address of the network interface.
    pub address: IpAddr,
    /// The name or address by which other processes reach this one. `None`
    /// means `address`, which must be a real one then, and not `0.0.0.0`.
    pub host: Option<String>,
}

impl Default for Bind {
    fn default() -> Bind {
        Bind { address: IpAddr::V4(Ipv4Addr::LOCALHOST), host: None }
    }
}

impl Bind {
    /// Returns the name by which other processes reach this one.
    pub(crate) fn host(&self) -> Result<String> {
        match &self.host {
            Some(host) => Ok(host.clone()),
            None if self.address.is_unspecified() => {
                Err(BallistaError::Configuration(format!(
                    "other processes cannot call {}: name this machine with \
                     --host",
                    self.address
                )))
            }
            None => Ok(self.text()),
        }
    }

    /// Returns the address as it is written before a port.
    pub(crate) fn text(&self) -> String {
        match self.address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        }
    }

    /// Returns the port, or a free one for port 0.
    ///
    /// Ballista needs the number before it listens. Another process may take the port
    /// in between.
    pub(crate) fn port(&self, port: u16) -> Result<u16> {
        let address = SocketAddr::new(self.address, port);
        let listener = TcpListener::bind(address);
        let listener = listener.map_err(|error| {
            let why = format!("cannot listen on {address}: {error}");
            BallistaError::Configuration(why)
        })?;
        Ok(listener.local_addr()?.port())
    }
}
