use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use linetape::{BytesLine, Chunks, Error, Position, ReaderBuilder, Stats};
use tokio_util::bytes::Bytes;

/// Splits a stream of chunks into lines: an HTTP body, an object from an object
/// store, or the messages of a socket.
///
/// It is a stream of `Result<BytesLine, Error>`. A bad line is returned as an
/// item, and the stream continues. If the source fails, its error is the last
/// item, unless the error [is recoverable](Error::is_recoverable).
///
/// A line within one chunk is not copied: it shares the chunk and keeps it in
/// memory. `next` is cancel safe: if its future is dropped, no bytes are lost.
/// The memory is bounded by one chunk, and twice
/// [`Limits::max_line`](linetape::Limits::max_line).
///
/// With a [range](ReaderBuilder::range), the source must begin one byte before
/// the range (or at 0). The stream ends after the last line of the range,
/// without waiting for more chunks.
///
/// # Example
///
/// This shows the lines of two chunks.
///
/// ```
/// use linetape_flow::LineStream;
/// # use std::{pin::Pin, task::{Context, Poll, Waker}};
/// # use futures_core::Stream;
/// # use tokio_util::bytes::Bytes;
/// # struct Body(Vec<&'static str>);
/// # impl Stream for Body {
/// #     type Item = std::io::Result<Bytes>;
/// #     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>)
/// #         -> Poll<Option<Self::Item>>
/// #     {
/// #         Poll::Ready(match self.0.is_empty() {
/// #             true => None,
/// #             false => Some(Ok(self.0.remove(0).into())),
/// #         })
/// #     }
/// # }
/// # let body = Body(vec!["{\"n\":1}\n{\"n\"", ":2}\n"]);
/// let mut lines = LineStream::new(body);
/// // With `StreamExt` of tokio-stream or futures: `lines.next().await`.
/// # let mut cx = Context::from_waker(Waker::noop());
/// # let mut next = || match Pin::new(&mut lines).poll_next(&mut cx) {
/// #     Poll::Ready(line) => line,
/// #     Poll::Pending => unreachable!(),
/// # };
/// let line = next().unwrap()?;
/// assert_eq!(line.as_bytes(), b"{\"n\":1}");
/// let line = next().unwrap()?;
/// assert_eq!((line.number(), line.offset()), (2, 8));
/// assert!(next().is_none());
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Debug)]
pub struct LineStream<S> {
    source: S,
    chunks: Chunks,
    /// Whether the source has failed. An incomplete last line is not returned
    /// then.
    has_failed: bool,
}

impl<S> LineStream<S> {
    /// Creates a stream of the lines of `source`, with the default settings.
    pub fn new(source: S) -> LineStream<S> {
        LineStream::with_builder(source, &ReaderBuilder::new())
    }

    /// Creates a stream with other settings, such as limits, `skip_noise` or
    /// `salvage`.
    pub fn with_builder(source: S, builder: &ReaderBuilder) -> LineStream<S> {
        LineStream { source, chunks: builder.chunks(), has_failed: false }
    }

    /// Returns the position of the next line, which may be blank.
    pub fn position(&self) -> Position {
        self.chunks.position()
    }

    /// Returns the counts of lines, bytes and errors up to
    /// [`position`](LineStream::position).
    pub fn stats(&self) -> Stats {
        self.chunks.stats()
    }

    /// Returns the source.
    pub fn into_inner(self) -> S {
        self.source
    }
}

impl<S> Stream for LineStream<S>
where
    S: Stream<Item = io::Result<Bytes>> + Unpin,
{
    type Item = Result<BytesLine, Error>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<BytesLine, Error>>> {
        let LineStream { source, chunks, has_failed } = &mut *self;
        loop {
            if let Some(line) = chunks.next_line() {
                return Poll::Ready(Some(line));
            }
            if *has_failed || chunks.is_done() {
                return Poll::Ready(None);
            }
            match Pin::new(&mut *source).poll_next(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(chunk))) => chunks.push(chunk),
                Poll::Ready(Some(Err(error))) => {
                    let at = chunks.position();
                    let error = Error::from(error).with_position(at);
                    *has_failed = !error.is_recoverable();
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(None) => chunks.finish(),
            }
        }
    }
}
