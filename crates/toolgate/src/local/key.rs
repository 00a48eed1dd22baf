//! The beginning of a connection to a socket of the data folder: a key that the gateway creates at each start
//! and keeps in the folder. The mode of a socket admits every process of its owner, and the servers behind
//! the gateway are such processes; the key is in a folder that they cannot see.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncRead, AsyncReadExt};

const FILE_NAME: &str = "gateway.key";
const KEY_BYTES: usize = 32;
/// The beginning of the line. Neither JSON nor a request of HTTP starts like this.
const WORD: &str = "toolgate-key ";
/// The length of the whole line: all lines are equally long, so nothing after it is read with it.
const LINE_BYTES: usize = WORD.len() + 2 * KEY_BYTES + 1;

/// The line that opens a socket.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SocketKey([u8; LINE_BYTES]);

impl SocketKey {
    /// Makes a key and keeps it in the data folder, in place of that of an earlier start.
    pub(crate) fn renew(data: &Path) -> io::Result<Self> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let key =
            Self::of_text(&format!("{WORD}{digits}\n")).expect("the parts have the lengths of the whole");
        let draft = data.join(format!("{FILE_NAME}.new"));
        // A leftover may have any mode.
        drop(fs::remove_file(&draft));
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(&key.0)?;
        fs::rename(&draft, Self::path(data))?;
        Ok(key)
    }

    /// The key of the running gateway of this data folder.
    pub(super) fn read(data: &Path) -> Option<Self> {
        Self::of_text(&fs::read_to_string(Self::path(data)).ok()?)
    }

    pub(crate) fn path(data: &Path) -> PathBuf {
        data.join(FILE_NAME)
    }

    pub(super) fn line(&self) -> &[u8] {
        &self.0
    }

    /// True if the connection begins with this key. Reads the line and nothing after it.
    pub(crate) async fn opens(&self, connection: &mut (impl AsyncRead + Unpin)) -> bool {
        let mut line = [0; LINE_BYTES];
        connection.read_exact(&mut line).await.is_ok() && self.is(&line)
    }

    /// Takes as long whichever byte differs.
    fn is(&self, line: &[u8; LINE_BYTES]) -> bool {
        self.0.iter().zip(line).fold(0, |differing, (ours, theirs)| differing | (ours ^ theirs)) == 0
    }

    fn of_text(text: &str) -> Option<Self> {
        text.as_bytes().try_into().ok().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test]
    async fn the_key_of_the_folder_opens_and_leaves_what_follows() {
        let folder = tempfile::tempdir().unwrap();
        let key = SocketKey::renew(folder.path()).unwrap();
        let shown = SocketKey::read(folder.path()).expect("it is kept");
        let sent = [shown.line(), b"{}\n"].concat();
        let mut connection = &sent[..];
        assert!(key.opens(&mut connection).await);
        assert_eq!(connection, b"{}\n");
        let mode = fs::metadata(SocketKey::path(folder.path())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[tokio::test]
    async fn nothing_else_opens() {
        let folder = tempfile::tempdir().unwrap();
        let old = SocketKey::renew(folder.path()).unwrap();
        let key = SocketKey::renew(folder.path()).unwrap();
        let other = format!("{WORD}{}\n", "0".repeat(2 * KEY_BYTES));
        let get = format!("GET / HTTP/1.1\r\n{}\r\n\r\n", "x".repeat(LINE_BYTES));
        for sent in [old.line(), b"", b"{}\n", other.as_bytes(), get.as_bytes(), &key.line()[1..]] {
            assert!(!key.opens(&mut &*sent).await, "{}", String::from_utf8_lossy(sent));
        }
    }
}
