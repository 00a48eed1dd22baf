//! Frames: four bytes that say how long, then that many bytes of JSON. Workers read and write them with threads, the
//! server with tasks.

use std::io::{self, Read, Write};

use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Longer than anything within the limits of input and answers; a longer one is not a frame.
const FRAME_BYTES_MAX: usize = 2 << 30;

/// `value` as a frame.
pub(super) fn pack(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; size_of::<u32>()];
    serde_json::to_writer(&mut frame, value)?;
    let length = u32::try_from(frame.len() - size_of::<u32>()).map_err(io::Error::other)?;
    frame[..size_of::<u32>()].copy_from_slice(&length.to_be_bytes());
    Ok(frame)
}

pub(super) fn write(to: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    to.write_all(frame)?;
    to.flush()
}

/// The content of the next frame; `None` at the end.
pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; size_of::<u32>()];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut content = vec![0; length_of(length)?];
    from.read_exact(&mut content)?;
    Ok(Some(content))
}

/// The same, with an end as a failure. Cancelling it loses the read part: the worker has to end then.
pub(super) async fn receive(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut length = [0; size_of::<u32>()];
    from.read_exact(&mut length).await?;
    let mut content = vec![0; length_of(length)?];
    from.read_exact(&mut content).await?;
    Ok(content)
}

fn length_of(bytes: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_be_bytes(bytes) as usize;
    if length > FRAME_BYTES_MAX {
        return Err(io::Error::other(format!("a frame of {length} bytes")));
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn frames_come_out_as_they_went_in() {
        let values = [json!({ "a": [1, "ü"] }), json!(null), json!("x".repeat(100_000))];
        let mut pipe = Vec::new();
        for value in &values {
            write(&mut pipe, &pack(value).unwrap()).unwrap();
        }
        let mut from = pipe.as_slice();
        for value in &values {
            let content = read(&mut from).unwrap().unwrap();
            assert_eq!(serde_json::from_slice::<serde_json::Value>(&content).unwrap(), *value);
        }
        assert!(read(&mut from).unwrap().is_none());
    }

    #[test]
    fn half_a_frame_and_an_absurd_one_are_failures() {
        let frame = pack(&json!("something")).unwrap();
        assert!(read(&mut &frame[..frame.len() - 1]).is_err());
        assert!(read(&mut [0xff_u8; 8].as_slice()).is_err());
    }
}
