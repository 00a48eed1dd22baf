//! Writes the ranks of o200k down in the compact form that `src/tokens/ranks.rs` reads: for each token, in the order of
//! its rank, its length as one byte and then its bytes.

use std::error::Error;
use std::path::PathBuf;

/// One more than the highest rank of an ordinary token.
const TOKENS: u32 = 199_998;

fn main() -> Result<(), Box<dyn Error>> {
    let encoding = tiktoken_rs::o200k_base()?;
    let mut ranks = Vec::new();
    for rank in 0..TOKENS {
        let token = encoding.decode_bytes(&[rank])?;
        ranks.push(u8::try_from(token.len())?);
        ranks.extend(token);
    }
    let folder = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(folder.join("o200k.ranks"), ranks)?;
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
