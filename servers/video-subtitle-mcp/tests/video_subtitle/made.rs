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
    /// Half of it, and then silence; a request for a range gets the rest.
    InTwo(Vec<u8>),
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
    let length = stream.read(&mut request)?;
    match served {
        Served::InTwo(bytes) => in_two(&mut stream, bytes, &String::from_utf8_lossy(&request[..length])),
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

fn in_two(stream: &mut TcpStream, bytes: &[u8], request: &str) -> std::io::Result<()> {
    let range = request.lines().find_map(|line| {
        let line = line.to_ascii_lowercase();
        line.strip_prefix("range: bytes=")?.trim_end_matches('-').parse::<usize>().ok()
    });
    let all = bytes.len();
    if let Some(from) = range {
        let head = format!(
            "HTTP/1.1 206 Partial Content\r\ncontent-range: bytes {from}-{}/{all}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            all - 1,
            all - from
        );
        stream.write_all(head.as_bytes())?;
        return stream.write_all(&bytes[from..]);
    }
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {all}\r\n\r\n")?;
    stream.write_all(&bytes[..all / 2])?;
    stream.flush()?;
    // The other side gives up first.
    std::thread::sleep(std::time::Duration::from_secs(60));
    Ok(())
}

/// A WAV file of these samples, 16,000 a second. It claims `seconds` of them, which may be a lie.
pub(crate) fn wav(samples: &[i16], seconds: u32) -> Vec<u8> {
    let claimed = seconds * 32_000;
    let mut file = b"RIFF".to_vec();
    file.extend((36 + claimed).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend([1, 0, 1, 0]);
    file.extend(16_000u32.to_le_bytes());
    file.extend(32_000u32.to_le_bytes());
    file.extend([2, 0, 16, 0]);
    file.extend(b"data");
    file.extend(claimed.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    file
}

pub(crate) fn silence(seconds: u32) -> Vec<u8> {
    wav(&vec![0; (seconds * 16_000) as usize], seconds)
}

/// Chords that fade and a beat of drums.
pub(crate) fn music(seconds: u32) -> Vec<u8> {
    const CHORDS: [[f64; 3]; 3] = [[220.0, 261.63, 329.63], [174.61, 220.0, 261.63], [196.0, 246.94, 293.66]];
    let mut noise = 1u32;
    let sample = |at: u32| {
        let time = f64::from(at) / 16_000.0;
        let wave = |hertz: f64, time: f64| (std::f64::consts::TAU * hertz * time).sin();
        let chord =
            CHORDS[(time / 2.0) as usize % 3].iter().map(|hertz| wave(*hertz, time)).sum::<f64>() / 3.0;
        let beat = time % 0.5;
        let kick = wave(60.0, beat) * (beat * -18.0).exp();
        noise = noise.wrapping_mul(1_103_515_245).wrapping_add(12_345) % (1 << 31);
        let hiss = (f64::from(noise) / f64::from(1u32 << 30) - 1.0) * (((time + 0.25) % 0.5) * -40.0).exp();
        let mixed = 0.35 * chord * ((time % 2.0) * -0.8).exp() + 0.35 * kick + 0.12 * hiss;
        (mixed * 32_000.0) as i16
    };
    let samples: Vec<i16> = (0..seconds * 16_000).map(sample).collect();
    wav(&samples, seconds)
}

/// Samples of a block of the long file: 4.1 s.
const FLAC_BLOCK: u32 = 65_535;

/// A FLAC file of silence: ten hours of it are 130 kB.
pub(crate) fn flac(hours: u32) -> Vec<u8> {
    let blocks = hours * 3600 * 16_000 / FLAC_BLOCK;
    let all = u64::from(blocks) * u64::from(FLAC_BLOCK);
    let size = (FLAC_BLOCK as u16).to_be_bytes();
    // Rate, one channel, 16 bits, samples.
    let format = (16_000u64 << 44) | (15 << 36) | all;
    let info = [&size[..], &size, &[0; 6], &format.to_be_bytes(), &[0; 16]].concat();
    let mut file = [&b"fLaC\x80\0\0\x22"[..], &info].concat();
    for number in 0..blocks {
        // A block of 16 bits of size and the rate of the file, its number as UTF-8 would have it, its size less one.
        let mut frame = vec![0xff, 0xf8, 0x70, 0x08];
        frame.extend(char::from_u32(number).unwrap().to_string().bytes());
        frame.extend((FLAC_BLOCK as u16 - 1).to_be_bytes());
        frame.push(crc(&frame, 0x07, 8) as u8);
        // One value for all samples.
        frame.extend([0, 0, 0]);
        frame.extend((crc(&frame, 0x8005, 16) as u16).to_be_bytes());
        file.extend(frame);
    }
    file
}

fn crc(bytes: &[u8], polynomial: u32, bits: u32) -> u32 {
    bytes.iter().fold(0, |sum, byte| {
        let sum = sum ^ (u32::from(*byte) << (bits - 8));
        (0..8).fold(sum, |sum, _| {
            let next = sum << 1;
            let reduced = if (sum >> (bits - 1)) & 1 == 1 { next ^ polynomial } else { next };
            reduced & ((1 << bits) - 1)
        })
    })
}

/// The sentence in the recording, which flite made of it.
pub(crate) const SPOKEN: &str = "Please send the quarterly report to the finance team before Friday morning.";
pub(crate) const SPOKEN_MP4: &[u8] = include_bytes!("spoken.mp4");

fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// What the table of a track says about its one sample.
pub(crate) struct SampleTable {
    pub(crate) count: u32,
    pub(crate) bytes: u32,
    pub(crate) offset: u32,
}

/// An MP4 file with one text track whose only sample says `text`, and with a table that may say something else. `None` tells
/// the truth.
pub(crate) fn mp4(text: &str, lie: Option<SampleTable>) -> Vec<u8> {
    let sample = [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat();
    let moov = |table: &SampleTable| {
        let stsd = boxed(b"stsd", &[words(&[0, 1]), boxed(b"tx3g", &[0; 8])].concat());
        let stts = boxed(b"stts", &words(&[0, 1, table.count, 600]));
        let stsz = boxed(b"stsz", &words(&[0, table.bytes, table.count]));
        let stsc = boxed(b"stsc", &words(&[0, 1, 1, table.count, 1]));
        let stco = boxed(b"stco", &words(&[0, 1, table.offset]));
        let stbl = boxed(b"stbl", &[stsd, stts, stsz, stsc, stco].concat());
        let mdhd = boxed(b"mdhd", &[words(&[0, 0, 0, 600, 0]), vec![0x15, 0xc7, 0, 0]].concat());
        let hdlr = boxed(b"hdlr", &[words(&[0, 0]), b"sbtl".to_vec(), vec![0; 13]].concat());
        let mdia = boxed(b"mdia", &[mdhd, hdlr, boxed(b"minf", &stbl)].concat());
        let trak = boxed(b"trak", &[boxed(b"tkhd", &words(&[0, 0, 0, 3, 0])), mdia].concat());
        boxed(b"moov", &[boxed(b"mvhd", &words(&[0, 0, 0, 1000, 0])), trak].concat())
    };
    let head = boxed(b"ftyp", b"isom\0\0\0\0");
    let mut truth = SampleTable { count: 1, bytes: sample.len() as u32, offset: 0 };
    truth.offset = (head.len() + moov(&truth).len() + 8) as u32;
    [head, moov(lie.as_ref().unwrap_or(&truth)), boxed(b"mdat", &sample)].concat()
}
