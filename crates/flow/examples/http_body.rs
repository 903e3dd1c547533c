//! Reads the lines of an HTTP response while it arrives.
//!
//! `LineStream` takes any `Stream` of `Bytes`, such as the body of hyper, axum
//! or reqwest, and an object of object_store. Here a small server and a small
//! client take their place.

use std::{
    error, io,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use linetape_flow::LineStream;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    runtime,
    sync::mpsc,
};
use tokio_util::bytes::Bytes;

type Outcome = Result<(), Box<dyn error::Error>>;

/// How many lines the server sends.
const LINES: u64 = 10_000;

fn main() -> Outcome {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime?.block_on(run())
}

async fn run() -> Outcome {
    let server = TcpListener::bind("127.0.0.1:0").await?;
    let address = server.local_addr()?;
    let served = tokio::spawn(serve(server));

    let mut socket = TcpStream::connect(address).await?;
    socket.write_all(b"GET /log HTTP/1.1\r\nHost: x\r\n\r\n").await?;
    let mut lines = LineStream::new(body(socket));
    let (mut count, mut errors) = (0, 0);
    while let Some(line) =
        std::future::poll_fn(|cx| Pin::new(&mut lines).poll_next(cx)).await
    {
        match line {
            Ok(line) => {
                assert_eq!(line.number(), count + 1);
                count += 1;
            }
            Err(error) => {
                eprintln!("{error}");
                errors += 1;
            }
        }
    }
    served.await??;
    assert_eq!((count, errors), (LINES, 0));
    println!("{count} lines");
    Ok(())
}

/// Sends a body whose chunks do not end where lines do.
async fn serve(server: TcpListener) -> io::Result<()> {
    let (mut socket, _) = server.accept().await?;
    let mut request = [0; 1024];
    _ = socket.read(&mut request).await?;
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    socket.write_all(head.as_bytes()).await?;
    let log: String = (0..LINES)
        .map(|n| format!("{{\"type\":\"user\",\"n\":{n}}}\n"))
        .collect();
    for piece in log.as_bytes().chunks(1000) {
        let head = format!("{:x}\r\n", piece.len());
        socket.write_all(head.as_bytes()).await?;
        socket.write_all(piece).await?;
        socket.write_all(b"\r\n").await?;
    }
    socket.write_all(b"0\r\n\r\n").await
}

/// The chunks of a body.
struct Body(mpsc::Receiver<io::Result<Bytes>>);

impl Stream for Body {
    type Item = io::Result<Bytes>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Bytes>>> {
        self.0.poll_recv(cx)
    }
}

/// Reads a response. At most four chunks wait, so a slow consumer makes the
/// server wait.
fn body(socket: TcpStream) -> Body {
    let (sender, receiver) = mpsc::channel(4);
    tokio::spawn(async move {
        if let Err(error) = read_chunks(socket, &sender).await {
            _ = sender.send(Err(error)).await;
        }
    });
    Body(receiver)
}

async fn read_chunks(
    socket: TcpStream,
    sender: &mpsc::Sender<io::Result<Bytes>>,
) -> io::Result<()> {
    let mut socket = BufReader::new(socket);
    let mut line = String::new();
    // The head ends with an empty line.
    while line != "\r\n" {
        line.clear();
        socket.read_line(&mut line).await?;
    }
    loop {
        line.clear();
        socket.read_line(&mut line).await?;
        let size = usize::from_str_radix(line.trim_end(), 16);
        let size = size.map_err(io::Error::other)?;
        // The chunk, and the line break after it.
        let mut chunk = vec![0; size + 2];
        socket.read_exact(&mut chunk).await?;
        chunk.truncate(size);
        if size == 0 || sender.send(Ok(chunk.into())).await.is_err() {
            return Ok(());
        }
    }
}
