//! Small sounds: what readers of containers expect, and a file with two tracks.

/// WAV with one and two channels, and FLAC of one value.
pub(crate) fn sounds() -> Vec<Vec<u8>> {
    vec![wav(8_000, 1), wav(44_100, 2), flac()]
}

fn wav(rate: u32, channels: u16) -> Vec<u8> {
    let data: Vec<u8> = (0..2_000i32).flat_map(|at| ((at * 37 % 20_000) as i16).to_le_bytes()).collect();
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend([1, 0]);
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend((rate * u32::from(channels) * 2).to_le_bytes());
    file.extend((channels * 2).to_le_bytes());
    file.extend([16, 0]);
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

/// The head of a FLAC file and a frame that is cut off.
fn flac() -> Vec<u8> {
    let format = (16_000u64 << 44) | (15 << 36) | 4_096;
    let info = [&[0x10, 0, 0x10, 0][..], &[0; 6], &format.to_be_bytes(), &[0; 16]].concat();
    [&b"fLaC\x80\0\0\x22"[..], &info, &[0xff, 0xf8, 0x70, 0x08, 0, 0x0f, 0xff, 0, 0, 0, 0]].concat()
}
