//! A place in the ledger from which reading goes on, as clients hand it back.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::HybridTime;

/// Longer texts are no positions of ours.
const TEXT_BYTES_MAX: usize = 16 * 1024;
const VERSION: u8 = 1;
/// What a person writes for the position before the first event.
const FROM_THE_START: &str = "0";

/// Directly after one event, in the order of hybrid time, stream and number.
///
/// Streams commit in any order, so an event with an earlier time may appear in another stream later. A
/// position therefore also has the numbers up to which such streams were read: of all that had been read to
/// their ends. Of every other stream, exactly the events with earlier times have been read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    time: HybridTime,
    stream: Arc<str>,
    number: i64,
    others: Arc<[(Arc<str>, i64)]>,
}

impl Position {
    /// Before the first event.
    pub fn start() -> Self {
        Self::new(HybridTime::START, "".into(), 0, Vec::new())
    }

    /// After an event; `others` are streams that were read up to a number.
    pub fn new(time: HybridTime, stream: Arc<str>, number: i64, others: Vec<(Arc<str>, i64)>) -> Self {
        Self { time, stream, number, others: others.into() }
    }

    pub fn time(&self) -> HybridTime {
        self.time
    }

    pub fn stream(&self) -> &Arc<str> {
        &self.stream
    }

    /// The number up to which a stream was read, if that does not follow from the time.
    pub fn number_in(&self, stream: &str) -> Option<i64> {
        if *self.stream == *stream {
            return Some(self.number);
        }
        self.others.iter().find(|(name, _)| **name == *stream).map(|(_, number)| *number)
    }

    /// Its own stream and all others that it has a number of.
    pub fn streams(&self) -> impl Iterator<Item = (&str, i64)> {
        let others = self.others.iter().map(|(stream, number)| (&**stream, *number));
        std::iter::once((&*self.stream, self.number)).chain(others)
    }

    /// True if this event was read before.
    pub fn covers(&self, stream: &str, number: i64, time: HybridTime) -> bool {
        match self.number_in(stream) {
            Some(read) => number <= read,
            None => (time, stream) <= (self.time, &*self.stream),
        }
    }

    fn encoded(&self) -> Vec<u8> {
        let mut to = vec![VERSION];
        put(&mut to, self.time.number());
        put_stream(&mut to, &self.stream, self.number);
        self.others.iter().for_each(|(stream, number)| put_stream(&mut to, stream, *number));
        to
    }
}

fn put(to: &mut Vec<u8>, number: i64) {
    let mut rest = number.unsigned_abs();
    while rest >= 0x80 {
        to.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

fn put_stream(to: &mut Vec<u8>, stream: &str, number: i64) {
    put(to, stream.len() as i64);
    to.extend_from_slice(stream.as_bytes());
    put(to, number);
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("not a position in the ledger")]
pub struct BadPosition;

impl FromStr for Position {
    type Err = BadPosition;

    fn from_str(text: &str) -> Result<Self, BadPosition> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(BadPosition);
        }
        if text == FROM_THE_START {
            return Ok(Self::start());
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| BadPosition)?;
        let mut rest = bytes.strip_prefix(&[VERSION]).ok_or(BadPosition)?;
        let time = HybridTime::from_number(take(&mut rest)?);
        let (stream, number) = take_stream(&mut rest)?;
        let mut others = Vec::new();
        while !rest.is_empty() {
            others.push(take_stream(&mut rest)?);
        }
        Ok(Self::new(time, stream, number, others))
    }
}

fn take(from: &mut &[u8]) -> Result<i64, BadPosition> {
    let mut number = 0u64;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = from.split_first().ok_or(BadPosition)?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return i64::try_from(number).map_err(|_| BadPosition);
        }
    }
    Err(BadPosition)
}

fn take_stream(from: &mut &[u8]) -> Result<(Arc<str>, i64), BadPosition> {
    let length = usize::try_from(take(from)?).map_err(|_| BadPosition)?;
    let (name, rest) = from.split_at_checked(length).ok_or(BadPosition)?;
    *from = rest;
    let name = std::str::from_utf8(name).map_err(|_| BadPosition)?;
    Ok((name.into(), take(from)?))
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.encoded()))
    }
}

impl serde::Serialize for Position {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position() -> Position {
        let others = vec![("two".into(), 7), ("drei".into(), 0)];
        Position::new(HybridTime::of_ms(1_780_000_000_123), "one".into(), 300, others)
    }

    #[test]
    fn a_position_is_read_as_it_was_written() {
        for one in [position(), Position::start()] {
            assert_eq!(one.to_string().parse(), Ok(one));
        }
        assert_eq!("0".parse(), Ok(Position::start()));
        let whole = position().to_string();
        for bad in ["", "7", "AQ", "ä", &whole[..whole.len() - 2], &"A".repeat(TEXT_BYTES_MAX + 1)] {
            assert_eq!(bad.parse::<Position>(), Err(BadPosition), "{bad}");
        }
    }

    #[test]
    fn it_covers_what_was_read() {
        let (at, earlier) = (position(), HybridTime::of_ms(1));
        let later = at.time().next(0);
        assert!(at.covers("one", 300, later) && !at.covers("one", 301, earlier));
        assert!(at.covers("two", 7, later) && !at.covers("two", 8, earlier));
        assert!(at.covers("others", 9, earlier) && !at.covers("others", 1, later));
        assert!(at.covers("a", 1, at.time()) && !at.covers("z", 1, at.time()), "ties go by name");
        assert!(!Position::start().covers("one", 1, HybridTime::START));
    }
}
