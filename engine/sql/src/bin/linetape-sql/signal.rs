//! Signals that end the command.

/// Waits for Ctrl-C, SIGTERM or SIGHUP, and returns the number of the signal. A Parquet
/// file that is not complete is removed then, and so are temporary files.
pub async fn signal() -> u8 {
    const INTERRUPT: u8 = 2;

    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        const HANGUP: u8 = 1;
        const TERMINATE: u8 = 15;
        if let Ok(mut term) = signal(SignalKind::terminate()) {
            let hangup = async {
                // If it is not waited for, it has its usual effect.
                if obeys_hangup()
                    && let Ok(mut hangup) = signal(SignalKind::hangup())
                {
                    hangup.recv().await;
                    return;
                }
                std::future::pending().await
            };
            return tokio::select! {
                _ = tokio::signal::ctrl_c() => INTERRUPT,
                _ = term.recv() => TERMINATE,
                () = hangup => HANGUP,
            };
        }
    }
    let _ = tokio::signal::ctrl_c().await;
    INTERRUPT
}

/// Returns whether it is known that SIGHUP ends this process. `nohup` starts one that
/// ignores it; whoever waits for the signal no longer does. Only Linux tells it.
#[cfg(unix)]
fn obeys_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status");
    let status = status.unwrap_or_default();
    let ignored = status.lines().find_map(|line| {
        let mask = line.strip_prefix("SigIgn:")?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    // The first bit is that of SIGHUP.
    ignored.is_some_and(|mask| mask & 1 == 0)
}
