//! The machine that a query runs on.

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
