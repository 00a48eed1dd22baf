//! A picture that every program can show: noise, so that it is not small.

const SIDE: u32 = 32;

pub(super) fn png() -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [SIDE.to_be_bytes(), SIDE.to_be_bytes()].concat();
    // Eight bits for each of red, green and blue; the only defined compression and filter; not interlaced.
    header.extend_from_slice(&[8, 2, 0, 0, 0]);
    push_chunk(&mut png, *b"IHDR", &header);
    push_chunk(&mut png, *b"IDAT", &stored(&rows()));
    push_chunk(&mut png, *b"IEND", &[]);
    png
}

/// Each row begins with its filter, which is none.
fn rows() -> Vec<u8> {
    let mut state = 7_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let row = |_| std::iter::once(0).chain((0..SIDE * 3).map(|_| noise())).collect::<Vec<_>>();
    (0..SIDE).flat_map(row).collect()
}

/// A zlib stream of one block that is not compressed.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("the picture is small");
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend_from_slice(&length.to_le_bytes());
    stream.extend_from_slice(&(!length).to_le_bytes());
    stream.extend_from_slice(bytes);
    stream.extend_from_slice(&adler32(bytes).to_be_bytes());
    stream
}

fn push_chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let checked = [&kind, data].concat();
    png.extend_from_slice(&u32::try_from(data.len()).expect("the picture is small").to_be_bytes());
    png.extend_from_slice(&checked);
    png.extend_from_slice(&crc32(&checked).to_be_bytes());
}

fn adler32(bytes: &[u8]) -> u32 {
    let (low, high) = bytes.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksums_are_the_well_known_ones() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11E6_0398);
        assert!(png().len() > 2 << 10);
    }
}
