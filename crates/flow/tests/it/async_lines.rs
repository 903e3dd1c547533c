//! Lines of asynchronous sources.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use linetape::{
    BytesLine, Chunks, Decoder as LineDecoder, Error, ErrorKind, Reader,
    ReaderBuilder, owned,
};
use linetape_flow::{LineCodec, LineStream};
use tokio::{
    io::{AsyncRead, AsyncWriteExt, ReadBuf},
    time::{Sleep, sleep, timeout},
};
use tokio_util::{
    bytes::{Bytes, BytesMut},
    codec::{Decoder, Encoder, FramedRead},
};

use crate::support::log;

/// A line or an error, in a comparable form.
type Found = Result<BytesLine, String>;

fn found(line: Result<BytesLine, Error>) -> Found {
    line.map_err(|error| error.to_string())
}

/// The reference implementation: all bytes at once.
fn at_once(builder: &ReaderBuilder, stream: &[u8]) -> Vec<Found> {
    let mut chunks: Chunks = builder.chunks();
    chunks.push(stream.to_vec());
    chunks.finish();
    let mut lines = vec![];
    while let Some(line) = chunks.next_line() {
        lines.push(found(line));
    }
    lines
}

/// Does what `FramedRead` does with pieces of a stream.
fn decoded(codec: &mut LineCodec, pieces: &[&[u8]]) -> Vec<Found> {
    let (mut lines, mut buffer) = (vec![], BytesMut::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        while let Some(line) = codec.decode(&mut buffer).unwrap() {
            lines.push(found(line));
        }
    }
    while let Some(line) = codec.decode_eof(&mut buffer).unwrap() {
        lines.push(found(line));
    }
    assert!(buffer.is_empty());
    lines
}

const STREAM: &[u8] =
    b"\xEF\xBB\xBF{\"a\":1}\r\n\n{\"b\":\"too long\"}\n{}{}\nnoise\n{\"c\"";

/// Settings that return other lines, or errors.
fn builders() -> [ReaderBuilder; 4] {
    let builder = Reader::builder();
    [
        builder.clone(),
        builder.clone().max_line(8),
        builder.clone().skip_noise(true).skip_bad_lines(true).max_line(9),
        builder.salvage(true),
    ]
}

#[tokio::test(start_paused = true)]
async fn every_split_has_the_same_lines() {
    for builder in builders() {
        let expected = at_once(&builder, STREAM);
        assert!(expected.len() >= 3);
        for first in 0..=STREAM.len() {
            for second in first..=STREAM.len() {
                let pieces = [
                    &STREAM[..first],
                    &STREAM[first..second],
                    &STREAM[second..],
                ];
                let mut codec = LineCodec::with_builder(builder.clone());
                let lines = decoded(&mut codec, &pieces);
                assert_eq!(lines, expected, "{first} {second}");
                assert_eq!(codec.stats().bytes, STREAM.len() as u64);
                let lines = streamed(&builder, &pieces).await;
                assert_eq!(lines, expected, "{first} {second}");
            }
        }
    }
}

/// A stream of chunks, each of which takes a second to arrive.
struct Body {
    chunks: Vec<io::Result<Bytes>>,
    wait: Option<Pin<Box<Sleep>>>,
    polled_after_end: bool,
}

impl Body {
    fn new(pieces: &[&[u8]]) -> Body {
        let chunk = |piece: &&[u8]| Ok(Bytes::copy_from_slice(piece));
        let mut chunks: Vec<_> = pieces.iter().map(chunk).collect();
        chunks.reverse();
        Body { chunks, wait: None, polled_after_end: false }
    }
}

impl Stream for Body {
    type Item = io::Result<Bytes>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Bytes>>> {
        assert!(!self.polled_after_end, "asked after the end");
        let second = || Box::pin(sleep(Duration::from_secs(1)));
        let wait = self.wait.get_or_insert_with(second);
        if wait.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.wait = None;
        self.polled_after_end = self.chunks.is_empty();
        Poll::Ready(self.chunks.pop())
    }
}

/// Reads a stream whose futures are dropped again and again.
async fn lines_of(mut lines: LineStream<Body>) -> Vec<Found> {
    let mut all = vec![];
    loop {
        let next = std::future::poll_fn(|context| {
            Pin::new(&mut lines).poll_next(context)
        });
        // Time is paused: this drops the future before a chunk arrives, and
        // the chunk must not be lost.
        match timeout(Duration::from_millis(300), next).await {
            Ok(Some(line)) => all.push(found(line)),
            Ok(None) => return all,
            Err(_) => {}
        }
    }
}

async fn streamed(builder: &ReaderBuilder, pieces: &[&[u8]]) -> Vec<Found> {
    lines_of(LineStream::with_builder(Body::new(pieces), builder)).await
}

/// A source that reads a piece each second.
struct Slow<'p> {
    pieces: &'p [&'p [u8]],
    wait: Option<Pin<Box<Sleep>>>,
}

impl AsyncRead for Slow<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let second = || Box::pin(sleep(Duration::from_secs(1)));
        let wait = self.wait.get_or_insert_with(second);
        if wait.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.wait = None;
        if let Some((first, rest)) = self.pieces.split_first() {
            to.put_slice(first);
            self.pieces = rest;
        }
        Poll::Ready(Ok(()))
    }
}

/// A future of `FramedRead` that is dropped loses nothing.
#[tokio::test(start_paused = true)]
async fn framed_read_goes_on_after_bad_lines_and_dropped_futures() {
    for builder in builders() {
        for size in [1, 2, 5, 13, 100] {
            let pieces: Vec<&[u8]> = STREAM.chunks(size).collect();
            let source = Slow { pieces: &pieces, wait: None };
            let codec = LineCodec::with_builder(builder.clone());
            let mut frames = FramedRead::new(source, codec);
            let mut all = vec![];
            loop {
                let next = std::future::poll_fn(|context| {
                    Pin::new(&mut frames).poll_next(context)
                });
                match timeout(Duration::from_millis(300), next).await {
                    Ok(Some(line)) => all.push(found(line.unwrap())),
                    Ok(None) => break,
                    Err(_) => {}
                }
            }
            assert_eq!(all, at_once(&builder, STREAM), "pieces of {size}");
        }
    }
}

/// Lines from another task arrive while it goes on.
#[tokio::test]
async fn a_line_is_returned_before_the_next_one_is_there() {
    let (mut writer, reader) = tokio::io::duplex(64);
    let mut frames = FramedRead::new(reader, LineCodec::new());
    for n in 0..5 {
        let text = format!("{{\"n\":{n}}}\n{{");
        writer.write_all(text.as_bytes()).await.unwrap();
        let line = std::future::poll_fn(|context| {
            Pin::new(&mut frames).poll_next(context)
        });
        let line = line.await.unwrap().unwrap().unwrap();
        let expected = match n {
            0 => "{\"n\":0}".to_string(),
            n => format!("{{{{\"n\":{n}}}"),
        };
        assert_eq!(line.as_bytes(), expected.as_bytes());
    }
}

/// A source that goes on after its end begins a new line, with the right
/// position.
#[test]
fn a_source_may_go_on_after_its_end() {
    let mut codec = LineCodec::new();
    let lines = decoded(&mut codec, &[b"\xEF\xBB\xBF{}\n{\"a\""]);
    assert_eq!(lines.len(), 2);
    let lines = decoded(&mut codec, &[b":1}\n{}\n"]);
    let positions: Vec<String> = lines
        .iter()
        .map(|line| line.as_ref().unwrap().position().to_string())
        .collect();
    assert_eq!(positions, ["line 3 (byte 10)", "line 4 (byte 14)"]);
    // Asking again at the end changes nothing.
    assert_eq!(decoded(&mut codec, &[]), []);
    assert_eq!(decoded(&mut codec, &[b""]), []);
    assert_eq!((codec.stats().lines, codec.stats().bytes), (4, 17));
    assert_eq!(codec.position().byte(), 17);
}

/// A line within one read is not copied.
#[test]
fn a_line_that_was_read_at_once_is_not_copied() {
    let mut codec = LineCodec::new();
    let mut buffer = BytesMut::from("{\"a\":1}\n{\"b\":2}\n");
    let start = buffer.as_ptr().addr();
    let first = codec.decode(&mut buffer).unwrap().unwrap().unwrap();
    let second = codec.decode(&mut buffer).unwrap().unwrap().unwrap();
    assert_eq!(first.as_bytes().as_ptr().addr(), start);
    assert_eq!(second.as_bytes().as_ptr().addr(), start + 8);
}

/// A giant line is dropped while it is read: nothing of it stays in memory.
#[test]
fn the_memory_for_a_giant_line_is_bounded() {
    let builder = Reader::builder().max_line(1000);
    let mut codec = LineCodec::with_builder(builder);
    let mut buffer = BytesMut::with_capacity(4096);
    let mut most = 0;
    for _ in 0..10_000 {
        buffer.reserve(4096);
        most = most.max(buffer.capacity());
        buffer.extend_from_slice(&[b'x'; 4096]);
        assert!(codec.decode(&mut buffer).unwrap().is_none());
        assert!(buffer.is_empty());
    }
    // If a piece were kept, the buffer could not be used again.
    assert!(most <= 8192, "{most}");
    buffer.extend_from_slice(b"\n{}\n");
    let error = codec.decode(&mut buffer).unwrap().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LineTooLong);
    assert_eq!(error.found(), Some(40_960_000));
    let line = codec.decode(&mut buffer).unwrap().unwrap().unwrap();
    assert_eq!(line.as_bytes(), b"{}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_fails_ends_with_its_error() {
    use io::ErrorKind::{ConnectionReset, TimedOut};
    let mut body = Body::new(&[b"{}\n{\"a\""]);
    body.chunks.insert(0, Err(TimedOut.into()));
    body.chunks.insert(0, Ok(":1}\n{".into()));
    body.chunks.insert(0, Err(ConnectionReset.into()));
    body.chunks.insert(0, Ok("}\n".into()));
    let lines = lines_of(LineStream::new(body)).await;
    let shown: Vec<String> = lines
        .iter()
        .map(|line| match line {
            Ok(line) => line.position().to_string(),
            Err(error) => error.clone(),
        })
        .collect();
    let timed_out = io::Error::from(TimedOut);
    let reset = io::Error::from(ConnectionReset);
    let expected = [
        "line 1 (byte 0)".to_string(),
        format!("line 2 (byte 3): reading failed: {timed_out}"),
        "line 2 (byte 3)".to_string(),
        format!("line 3 (byte 11): reading failed: {reset}"),
    ];
    assert_eq!(shown, expected);
}

/// With a range, the rest of the stream is not waited for.
#[tokio::test(start_paused = true)]
async fn a_range_ends_the_stream() {
    let log = log(100);
    let range = 500..1500;
    let builder = Reader::builder().range(range.clone());
    let mut body = Body::new(&log[499..].chunks(64).collect::<Vec<_>>());
    let chunks = body.chunks.len();
    body.wait = None;
    let mut lines = LineStream::with_builder(body, &builder);
    let mut offsets = vec![];
    while let Some(line) =
        std::future::poll_fn(|context| Pin::new(&mut lines).poll_next(context))
            .await
    {
        offsets.push(line.unwrap().offset());
    }
    let expected: Vec<u64> = crate::support::split(&log)
        .into_iter()
        .map(|line| line.0)
        .filter(|offset| range.contains(offset))
        .collect();
    assert_eq!(offsets, expected);
    let left = lines.into_inner().chunks.len();
    assert!(left > chunks / 2, "{left} of {chunks}");
}

#[test]
fn what_is_encoded_can_be_decoded() {
    let text = b"{\"type\":\"user\",\"message\":{\"content\":\"a\\nb\"}}";
    let mut decoder = LineDecoder::new();
    let message = decoder.decode(text).unwrap().into_owned();
    let mut codec = LineCodec::new();
    let mut buffer = BytesMut::new();
    codec.encode(&message, &mut buffer).unwrap();
    codec.encode(message.clone(), &mut buffer).unwrap();
    let record = decoder.decode(text).unwrap();
    codec.encode(record.value(), &mut buffer).unwrap();
    let mut chunks = Chunks::new();
    chunks.push(&text[..]);
    chunks.finish();
    let line = chunks.next_line().unwrap().unwrap();
    codec.encode(line, &mut buffer).unwrap();
    drop(record);

    let mut read = 0;
    while let Some(line) = codec.decode_eof(&mut buffer).unwrap() {
        let line = line.unwrap();
        assert!(line.is_terminated());
        let record = line.line(&mut decoder).decode().unwrap();
        let again: owned::Message = record.into_owned();
        assert_eq!(again, message);
        read += 1;
    }
    assert_eq!(read, 4);
}

/// An error writes nothing.
#[test]
fn a_value_that_cannot_be_written_leaves_no_trace() {
    let mut decoder = LineDecoder::new();
    let mut lines = linetape::lines(b"{\"a\":{\"b\":x}}\n");
    let line = lines.next_line().unwrap().unwrap();
    let value = line.peek().unwrap().value();
    let mut codec = LineCodec::new();
    let mut buffer = BytesMut::from("{}\n");
    let error = codec.encode(value, &mut buffer).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    assert_eq!(&buffer[..], b"{}\n");
    assert!(decoder.decode(b"{}").is_ok());
}
