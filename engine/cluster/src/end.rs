use std::io;

use tokio::sync::watch;

/// How often the user has told this process to end.
#[derive(Clone, Debug)]
pub(crate) struct End(watch::Receiver<u8>);

impl End {
    /// Waits for signals from now on: Ctrl-C, SIGTERM and SIGHUP.
    ///
    /// Ballista waits for the first two as well, but only while it works. A signal in
    /// between would have no effect, since it no longer ends the process by itself.
    pub(crate) fn by_signals() -> End {
        let (told, end) = watch::channel(0);
        // They are waited for when this returns, and not only when the task begins.
        let signals = Signals::new();
        tokio::spawn(async move {
            if let Err(error) = count(signals, &told).await {
                log::warn!("cannot wait for signals: {error}");
                // Without it, `wait` would return.
                told.closed().await;
            }
        });
        End(end)
    }

    /// Returns whether a signal has come.
    pub(crate) fn is_told(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Waits for a signal.
    pub(crate) async fn wait(&mut self) {
        self.wait_for(1).await;
    }

    /// Waits for the second signal.
    pub(crate) async fn wait_for_second(&mut self) {
        self.wait_for(2).await;
    }

    async fn wait_for(&mut self, count: u8) {
        // It is an error if the sender is gone, which is so with the runtime only.
        let _ = self.0.wait_for(|told| *told >= count).await;
    }
}

/// Counts the signals until nobody asks for their number any more.
async fn count(
    signals: io::Result<Signals>,
    told: &watch::Sender<u8>,
) -> io::Result<()> {
    let mut signals = signals?;
    loop {
        tokio::select! {
            received = signals.next() => received?,
            () = told.closed() => return Ok(()),
        }
        told.send_modify(|count| *count = count.saturating_add(1));
    }
}

/// The signals that end an executor.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// `None` if it is ignored.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};

        let hangup = match linetape_sql::obeys_hangup() {
            true => Some(signal(SignalKind::hangup())?),
            // It has its usual effect, or none.
            false => None,
        };
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
        })
    }

    async fn next(&mut self) -> io::Result<()> {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangup => {}
        }
        Ok(())
    }
}

/// The signals that end an executor.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) -> io::Result<()> {
        tokio::select! {
            received = tokio::signal::ctrl_c() => received,
            received = ballista_executor::terminate::sig_term() => received,
        }
    }
}
