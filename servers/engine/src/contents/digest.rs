//! Digests of bytes and files.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use engine_protocol::ContentId;
use sha2::{Digest as _, Sha256};

const PIECE_BYTES: usize = 256 << 10;

pub(crate) fn digest_of(bytes: &[u8]) -> ContentId {
    named(&Sha256::digest(bytes))
}

pub(super) fn of_file(path: &Path) -> io::Result<ContentId> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(named(&digest.finalize())),
            read => digest.update(&piece[..read]),
        }
    }
}

fn named(digest: &[u8]) -> ContentId {
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        write!(text, "{byte:02x}").expect("a text can be written to");
    }
    ContentId::try_from(text).expect("a SHA-256 has 64 digits")
}
