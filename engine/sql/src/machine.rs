//! The machine that a query runs on, and what it tells of this process.

use std::fs;

/// Returns the memory that this process may use, in bytes: that of the machine, or of its
/// container. `None` if the system does not tell.
pub(crate) fn memory() -> Option<usize> {
    // Only Linux has these files.
    let machine = fs::read_to_string("/proc/meminfo").ok()?;
    let machine = of_machine(&machine)?;
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok());
    Some(container.map_or(machine, |container: usize| machine.min(container)))
}

/// Reads `MemTotal:       16314192 kB`.
fn of_machine(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns whether it is known that SIGHUP ends this process. `nohup` starts a process that
/// ignores the signal, and a process that waits for it does not ignore it any more. So ask
/// before waiting. Only Linux tells it; elsewhere, this returns false.
///
/// # Example
///
/// This shows that a process which ignores the signal must not wait for it.
///
/// ```
/// let waits_for_hangup = linetape_sql::obeys_hangup();
/// assert!(cfg!(target_os = "linux") || !waits_for_hangup);
/// ```
pub fn obeys_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status");
    let status = status.unwrap_or_default();
    let ignored = status.lines().find_map(|line| {
        let mask = line.strip_prefix("SigIgn:")?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    // The first bit is that of SIGHUP.
    ignored.is_some_and(|mask| mask & 1 == 0)
}
