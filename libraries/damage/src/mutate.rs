//! Ways to damage bytes.

use crate::random::Random;

/// The maximum size of an input.
const BYTES_MAX: usize = 256 << 10;
const DAMAGES_MAX: usize = 8;
/// Numbers that readers do not expect.
const NUMBERS: [&[u8]; 7] =
    [b"0", b"-1", b"65536", b"2147483647", b"4294967296", b"99999999999999999999", b"1e308"];

/// A damaged copy of one of the seeds.
pub fn damaged(seeds: &[Vec<u8>], words: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let seed = random.pick(seeds).clone();
    let other = random.pick(seeds).clone();
    damage(seed, &other, words, random)
}

/// The same input after some damage; `other` is a source of parts.
pub fn damage(mut bytes: Vec<u8>, other: &[u8], words: &[&[u8]], random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(DAMAGES_MAX) {
        one_damage(&mut bytes, other, words, random);
    }
    bytes.truncate(BYTES_MAX);
    bytes
}

fn one_damage(bytes: &mut Vec<u8>, other: &[u8], words: &[&[u8]], random: &mut Random) {
    if bytes.is_empty() {
        let word: &&[u8] = random.pick(words);
        bytes.extend_from_slice(word);
        return;
    }
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(64)).min(bytes.len());
    match random.below(9) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = u8::try_from(random.below(256)).expect("below 256"),
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => drop(bytes.splice(at..at, random.pick(words).iter().copied())),
        5 => drop(bytes.splice(at..end, random.pick(words).iter().copied())),
        6 => {
            let part = bytes[at..end].repeat(1 + random.below(32));
            drop(bytes.splice(at..at, part));
        }
        7 if !other.is_empty() => {
            let from = random.below(other.len());
            let to = (from + 1 + random.below(512)).min(other.len());
            drop(bytes.splice(at..end, other[from..to].iter().copied()));
        }
        _ => change_number(bytes, at, random),
    }
}

/// Changes the next number in the text: readers trust lengths and offsets.
fn change_number(bytes: &mut Vec<u8>, from: usize, random: &mut Random) {
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|offset| from + offset) else {
        return;
    };
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    drop(bytes.splice(start..start + digits, random.pick(&NUMBERS).iter().copied()));
}
