//! Writes the tokens of o200k down as the table that `src/tokens/ranks.rs` reads.

use std::error::Error;
use std::path::PathBuf;

/// Shared with the reader of the table.
#[path = "src/tokens/bucket.rs"]
mod bucket;

/// One more than the highest rank of an ordinary token.
const TOKENS: u32 = 199_998;

#[expect(clippy::disallowed_methods, reason = "cargo names the folder in the environment")]
fn main() -> Result<(), Box<dyn Error>> {
    let encoding = tiktoken_rs::o200k_base()?;
    let mut buckets = vec![Vec::new(); bucket::BUCKETS];
    for rank in 0..TOKENS {
        let token = encoding.decode_bytes(&[rank])?;
        let length = u8::try_from(token.len())?;
        let [low, middle, high, _] = rank.to_le_bytes();
        let head: [u8; bucket::HEAD] = [low, middle, high, length];
        let place = bucket::of(&token);
        buckets[place].extend(head);
        buckets[place].extend(token);
    }
    let mut starts = vec![0; 4];
    let mut end = 0;
    for bucket in &buckets {
        end += bucket.len();
        starts.extend(u32::try_from(end)?.to_le_bytes());
    }
    let folder = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(folder.join("o200k.tokens"), buckets.concat())?;
    std::fs::write(folder.join("o200k.starts"), starts)?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/bucket.rs");
    Ok(())
}
