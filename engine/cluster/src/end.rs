use std::io;

use ballista_executor::terminate::sig_term;
use tokio::sync::watch;

/// Whether the user has told this process to end.
#[derive(Clone, Debug)]
pub(crate) struct End(watch::Receiver<bool>);

impl End {
    /// Waits for Ctrl-C and SIGTERM from now on.
    ///
    /// Ballista does that as well, but only while it works. A signal in between would
    /// have no effect, since it no longer ends the process by itself.
    pub(crate) fn by_signals() -> End {
        let (told, end) = watch::channel(false);
        tokio::spawn(async move {
            let received: io::Result<()> = tokio::select! {
                received = tokio::signal::ctrl_c() => received,
                received = sig_term() => received,
            };
            match received {
                // If nobody listens any more, it has ended.
                Ok(()) => drop(told.send(true)),
                Err(error) => {
                    log::warn!("cannot wait for signals: {error}");
                    // Without it, `wait` would return.
                    told.closed().await;
                }
            }
        });
        End(end)
    }

    /// Returns whether the signal has come.
    pub(crate) fn is_told(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits for the signal.
    pub(crate) async fn wait(&mut self) {
        // It is an error if the sender is gone, which is so after the signal only.
        let _ = self.0.wait_for(|told| *told).await;
    }
}
