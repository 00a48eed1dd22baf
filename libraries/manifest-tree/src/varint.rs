//! Numbers of variable length: seven bits in each byte, the lowest first, in the shortest form only.

/// Appends `number` to `buffer`.
pub(crate) fn write(buffer: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        buffer.push(number as u8 | 0x80);
        number >>= 7;
    }
    buffer.push(number as u8);
}

/// The outcome of reading a number that is not there as it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberFault {
    CutShort,
    NotShortest,
}

/// Takes a number off the front of `bytes`.
pub(crate) fn read(bytes: &mut &[u8]) -> Result<u64, NumberFault> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(NumberFault::CutShort)?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 || shift > 0 && *byte == 0 {
            return Err(NumberFault::NotShortest);
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(NumberFault::NotShortest)
}
