//! The key of the vault: 32 bytes from a file, from an environment variable, or made at the first start.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

const KEY_BYTES: usize = 32;
/// No way of writing 32 bytes is longer.
const FILE_BYTES_MAX: u64 = 4_096;
const OTHERS: u32 = 0o077;
const ONLY_OWNER: u32 = 0o600;

/// Enough to distinguish keys, too little to help in finding one.
pub(crate) const KEY_ID_BYTES: usize = 8;

/// The source of a key, in words for error messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeySource {
    File(PathBuf),
    /// The name of the variable.
    Environment(String),
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeySource::File(path) => write!(f, "the file {}", path.display()),
            KeySource::Environment(name) => write!(f, "the environment variable {name}"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum KeyProblem {
    #[error("the key of the vault could not be read from {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the key of the vault could not be kept in {}: {source}", path.display())]
    Make { path: PathBuf, source: std::io::Error },
    #[error("others may read the key of the vault in {} (mode {mode:04o})\nhint: chmod 600 {}", path.display(), path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error(
        "{source_of_key} does not hold a key of the vault\n\
         hint: it is 32 bytes, as they are or in base64 or hex: `openssl rand -base64 32` makes one"
    )]
    Form { source_of_key: KeySource },
    #[error("this machine gives no random bytes for a key: {0}")]
    Random(getrandom::Error),
}

/// The key and its source.
#[derive(Clone)]
pub struct VaultKey {
    bytes: Zeroizing<[u8; KEY_BYTES]>,
    source: KeySource,
}

impl fmt::Debug for VaultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultKey").field("source", &self.source).finish_non_exhaustive()
    }
}

impl VaultKey {
    /// From a file that only its owner may read.
    pub fn from_file(path: &Path) -> Result<Self, KeyProblem> {
        let unread = |source| KeyProblem::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(unread)?;
        let mode = file.metadata().map_err(unread)?.mode() & 0o7777;
        if mode & OTHERS != 0 {
            return Err(KeyProblem::Open { path: path.to_owned(), mode });
        }
        let mut text = Zeroizing::new(Vec::new());
        file.take(FILE_BYTES_MAX).read_to_end(&mut text).map_err(unread)?;
        Self::read(&text, KeySource::File(path.to_owned()))
    }

    /// From the value of an environment variable.
    pub fn from_environment(name: &str, value: &str) -> Result<Self, KeyProblem> {
        Self::read(value.as_bytes(), KeySource::Environment(name.to_owned()))
    }

    /// From the file if it exists, otherwise a new key that is stored there.
    pub fn from_file_or_new(path: &Path) -> Result<Self, KeyProblem> {
        match Self::make(path) {
            Err(KeyProblem::Make { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
                Self::from_file(path)
            }
            made => made,
        }
    }

    pub fn source(&self) -> &KeySource {
        &self.source
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.bytes
    }

    /// The id in an entry of the key that sealed it.
    pub(crate) fn id(&self) -> [u8; KEY_ID_BYTES] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.bytes[..]).expect("a key of any length will do");
        mac.update(b"toolgate vault key id");
        let digest = mac.finalize().into_bytes();
        std::array::from_fn(|place| digest[place])
    }

    /// The file appears under its name only when the key is in it and on disk: a concurrent start finds a
    /// whole key or none.
    fn make(path: &Path) -> Result<Self, KeyProblem> {
        let unmade = |source| KeyProblem::Make { path: path.to_owned(), source };
        if path.try_exists().map_err(unmade)? {
            return Err(unmade(ErrorKind::AlreadyExists.into()));
        }
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(&mut bytes[..]).map_err(KeyProblem::Random)?;
        let text = Zeroizing::new(STANDARD.encode(&bytes[..]));
        keep(path, &text).map_err(unmade)?;
        Ok(Self { bytes, source: KeySource::File(path.to_owned()) })
    }

    fn read(text: &[u8], source: KeySource) -> Result<Self, KeyProblem> {
        let bytes = decode(text).ok_or_else(|| KeyProblem::Form { source_of_key: source.clone() })?;
        Ok(Self { bytes, source })
    }
}

fn keep(path: &Path, text: &str) -> std::io::Result<()> {
    // A unique name, so that a draft left behind by a crash does no harm.
    let draft = path.with_extension(format!("{:016x}.new", getrandom::u64()?));
    let written = write_draft(&draft, text).and_then(|()| std::fs::hard_link(&draft, path));
    let removed = std::fs::remove_file(&draft);
    written?;
    removed?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

fn write_draft(draft: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(ONLY_OWNER).open(draft)?;
    writeln!(file, "{text}")?;
    file.sync_all()
}

fn decode(text: &[u8]) -> Option<Zeroizing<[u8; KEY_BYTES]>> {
    // Random bytes are not all printable; 32 characters that are have been thought up, or are half a key in hex.
    let thought_up = text.iter().all(u8::is_ascii_graphic);
    if let (Ok(raw), false) = (<[u8; KEY_BYTES]>::try_from(text), thought_up) {
        return Some(Zeroizing::new(raw));
    }
    let text = std::str::from_utf8(text).ok()?.trim();
    let bytes = from_hex(text).or_else(|| from_base64(text))?;
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    key.copy_from_slice(bytes.get(..).filter(|bytes| bytes.len() == KEY_BYTES)?);
    Some(key)
}

fn from_base64(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let alphabets = [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD];
    alphabets.iter().find_map(|alphabet| alphabet.decode(text).ok()).map(Zeroizing::new)
}

fn from_hex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    if text.len() != 2 * KEY_BYTES || !text.is_ascii() {
        return None;
    }
    let pairs = (0..KEY_BYTES).map(|place| u8::from_str_radix(&text[2 * place..2 * place + 2], 16));
    pairs.collect::<Result<Vec<u8>, _>>().ok().map(Zeroizing::new)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn write(path: &Path, text: &[u8], mode: u32) {
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_key_is_read_raw_in_hex_and_in_base64() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let raw: [u8; 32] = std::array::from_fn(|place| 200 + u8::try_from(place).unwrap());
        let hex: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
        let base64 = STANDARD.encode(raw);
        for text in [&raw[..], hex.as_bytes(), base64.as_bytes(), format!("{base64}\n").as_bytes()] {
            write(&path, text, 0o600);
            assert_eq!(VaultKey::from_file(&path).unwrap().bytes(), &raw);
        }
        let url_safe = URL_SAFE_NO_PAD.encode(raw);
        assert_eq!(VaultKey::from_environment("KEY", &url_safe).unwrap().bytes(), &raw);
    }

    #[test]
    fn a_key_file_that_others_may_read_is_refused_with_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        for mode in [0o640, 0o604, 0o660, 0o610] {
            write(&path, &[7; 32], mode);
            let refused = VaultKey::from_file(&path).unwrap_err().to_string();
            assert!(refused.contains("others may read") && refused.contains("hint: chmod 600"), "{refused}");
        }
        write(&path, &[7; 32], 0o400);
        assert!(VaultKey::from_file(&path).is_ok());
    }

    #[test]
    fn what_is_not_32_bytes_is_no_key_and_is_not_repeated_in_the_error() {
        let too_long = "ab".repeat(33);
        let thought_up = "secret-but-thought-up-by-a-person";
        for text in
            ["", "secret-but-short", too_long.as_str(), &"zz".repeat(32), &thought_up[..32], &"ab".repeat(16)]
        {
            let refused = VaultKey::from_environment("TOOLGATE_KEY", text).unwrap_err().to_string();
            assert!(refused.contains("TOOLGATE_KEY") && !refused.contains("secret-but"), "{refused}");
        }
    }

    #[test]
    fn a_made_key_is_only_its_owners_and_the_same_ever_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vault.key");
        let made = VaultKey::from_file_or_new(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(VaultKey::from_file_or_new(&path).unwrap().bytes(), made.bytes());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft stays behind");
    }

    #[test]
    fn those_who_start_together_have_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vault.key");
        let made: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..8).map(|_| scope.spawn(|| VaultKey::from_file_or_new(&path))).collect();
            starts.into_iter().map(|start| start.join().unwrap().unwrap()).collect()
        });
        let kept = VaultKey::from_file(&path).unwrap();
        assert!(made.iter().all(|key| key.bytes() == kept.bytes()));
    }
}
