//! Server-sent events and lines: the same for any split into pieces, and never larger than their limit.

use toolgate_wire::line::{Framer, WireLine};
use toolgate_wire::sse::{SseDecoder, SseEvent, TooLarge};

use crate::choices::Choices;

/// A byte that is no text becomes a mark of three.
const GROWTH_MAX: usize = 3;
const PIECES_MAX: usize = 8;

pub(crate) fn try_one(input: &[u8]) {
    let mut choices = Choices::new(input);
    let bytes_max = 1 + usize::from(choices.byte()) * 4;
    let cuts: Vec<usize> = (0..choices.below(PIECES_MAX)).map(|_| usize::from(choices.byte())).collect();
    let stream = choices.rest();
    let pieces = cut(stream, &cuts);
    let whole = events(&[stream], bytes_max);
    same(&whole, &events(&pieces, bytes_max));
    within(&whole.0, bytes_max);
    assert_eq!(lines(&[stream], bytes_max), lines(&pieces, bytes_max), "lines differ by how they are cut");
}

/// The stream in pieces of these lengths, and the rest. A piece may be empty.
fn cut<'a>(mut stream: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for length in lengths {
        let (piece, rest) = stream.split_at((*length).min(stream.len()));
        pieces.push(piece);
        stream = rest;
    }
    pieces.push(stream);
    pieces
}

type Read = (Vec<SseEvent>, Result<(), TooLarge>);

fn events(pieces: &[&[u8]], bytes_max: usize) -> Read {
    let mut decoder = SseDecoder::new(bytes_max);
    let mut events = Vec::new();
    let end = pieces.iter().try_for_each(|piece| decoder.push(piece, |event| events.push(event)));
    (events, end)
}

fn same(whole: &Read, in_pieces: &Read) {
    assert_eq!(whole, in_pieces, "events differ by how they are cut");
}

fn within(events: &[SseEvent], bytes_max: usize) {
    for event in events {
        let id = event.id.as_ref().map_or(0, String::len);
        let longest = event.data.len().max(event.name.len()).max(id);
        assert!(longest <= bytes_max * GROWTH_MAX, "{longest} bytes were kept of at most {bytes_max}");
    }
}

/// The kept part of an overlong line depends on the pieces that have arrived.
fn lines(pieces: &[&[u8]], bytes_max: usize) -> Vec<Option<Vec<u8>>> {
    let mut framer = Framer::new(bytes_max);
    let mut lines = Vec::new();
    for piece in pieces {
        framer.push(piece);
        while let Some(line) = framer.next_line() {
            lines.push(match line {
                WireLine::Whole(bytes) => Some(bytes.to_vec()),
                WireLine::TooLong { .. } => None,
            });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "events differ by how they are cut")]
    fn an_event_that_depends_on_the_cut_is_a_finding() {
        same(&events(&[b"data: a\n\n"], 100), &events(&[b"data: b\n\n"], 100));
    }

    #[test]
    #[should_panic(expected = "bytes were kept of at most 1")]
    fn an_event_beyond_its_limit_is_a_finding() {
        within(&events(&[b"data: abcdef\n\n"], 100).0, 1);
    }
}
