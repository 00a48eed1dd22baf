//! Videos and an address to fetch them from, made here.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

fn ebml(id: &[u8], content: &[u8]) -> Vec<u8> {
    [id, &(content.len() as u64 | 1 << 56).to_be_bytes(), content].concat()
}

/// A Matroska file with one German text track, number 2.
pub(crate) fn mkv(texts: &[(i16, u16, &str)]) -> Vec<u8> {
    let head = ebml(&[0x1a, 0x45, 0xdf, 0xa3], &ebml(&[0x42, 0x82], b"matroska"));
    let entry = [
        ebml(&[0xd7], &[2]),
        ebml(&[0x83], &[0x11]),
        ebml(&[0x86], b"S_TEXT/UTF8"),
        ebml(&[0x22, 0xb5, 0x9c], b"ger"),
    ]
    .concat();
    let tracks = ebml(&[0x16, 0x54, 0xae, 0x6b], &ebml(&[0xae], &entry));
    let blocks = texts.iter().flat_map(|(at, duration, text)| {
        let block = [&[0x82][..], &at.to_be_bytes(), &[0], text.as_bytes()].concat();
        ebml(&[0xa0], &[ebml(&[0xa1], &block), ebml(&[0x9b], &duration.to_be_bytes())].concat())
    });
    let cluster: Vec<u8> = ebml(&[0xe7], &[0]).into_iter().chain(blocks).collect();
    let segment = [tracks, ebml(&[0x1f, 0x43, 0xb6, 0x75], &cluster)].concat();
    [head, ebml(&[0x18, 0x53, 0x80, 0x67], &segment)].concat()
}

/// Answers of the address.
#[derive(Clone)]
pub(crate) enum Served {
    Whole(Vec<u8>),
    /// A status without a body.
    Status(&'static str),
    /// Begins and never ends.
    Endless,
}

/// An address on this machine that answers every request in the same way.
pub(crate) fn serve(served: Served) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/video.mkv?signature=secret", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let served = served.clone();
            // A client that hangs up is no failure.
            std::thread::spawn(move || drop(respond(stream, &served)));
        }
    });
    address
}

fn respond(mut stream: TcpStream, served: &Served) -> std::io::Result<()> {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request)?;
    match served {
        Served::Whole(bytes) => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                bytes.len()
            )?;
            stream.write_all(bytes)
        }
        Served::Status(status) => write!(
            stream,
            "HTTP/1.1 {status}\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        ),
        Served::Endless => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n")?;
            loop {
                stream.write_all(&[0; 1024])?;
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
    }
}

/// A WAV file of silence.
pub(crate) fn silence(seconds: u32) -> Vec<u8> {
    let data = vec![0; (seconds * 32_000) as usize];
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend([1, 0, 1, 0]);
    file.extend(16_000u32.to_le_bytes());
    file.extend(32_000u32.to_le_bytes());
    file.extend([2, 0, 16, 0]);
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}
