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
                if linetape_sql::obeys_hangup()
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
