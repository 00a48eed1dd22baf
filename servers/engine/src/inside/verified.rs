//! Index files that were read to their end and found whole.
//!
//! They are remembered across starts by their length, the time of their last change and the number of the file, so that the first search
//! after a start need not read them all. Such files are read again behind the search (`behind.rs`).

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine_protocol::{ContentId, IndexFile};
use parking_lot::Mutex;

use crate::contents::{ContentStamp, Contents};

/// In the folder of open versions.
const FILE: &str = "verified-files";
/// Files that are known to be whole. Past this they are read again.
const VERIFIED_MAX: usize = 100_000;
/// Files that are remembered across starts.
const REMEMBERED_MAX: usize = 20_000;

pub(super) struct VerifiedFiles {
    contents: Arc<Contents>,
    folder: PathBuf,
    state: Mutex<VerifiedState>,
}

#[derive(Default)]
struct VerifiedState {
    /// Read since the start.
    read: HashSet<ContentId>,
    /// Read by this engine or an earlier one, as they were then.
    remembered: BTreeMap<ContentId, ContentStamp>,
}

/// Files of a version that were not read since the start.
pub(super) struct UnreadFiles<'a> {
    /// To be read before the version is opened.
    pub(super) unknown: Vec<&'a IndexFile>,
    /// Unchanged since an earlier engine has read them.
    pub(super) remembered: Vec<&'a IndexFile>,
}

impl VerifiedFiles {
    pub(super) fn load(contents: Arc<Contents>, folder: PathBuf) -> Self {
        let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
        let remembered = text.lines().filter_map(parse).take(REMEMBERED_MAX).collect();
        let state = Mutex::new(VerifiedState { read: HashSet::new(), remembered });
        Self { contents, folder, state }
    }

    pub(super) fn unread<'a>(&self, files: &'a [IndexFile]) -> UnreadFiles<'a> {
        let state = self.state.lock();
        let unread = files.iter().filter(|file| !state.read.contains(&file.content));
        let is_remembered = |file: &&IndexFile| {
            let then = state.remembered.get(&file.content);
            let now = self.contents.stamp(&file.content);
            then.is_some_and(|then| then.bytes == file.bytes && now == Some(*then))
        };
        let (remembered, unknown) = unread.partition(is_remembered);
        UnreadFiles { unknown, remembered }
    }

    /// These were read and are whole.
    pub(super) fn note<'a>(&self, ids: impl IntoIterator<Item = &'a ContentId>) {
        let mut state = self.state.lock();
        if state.read.len() >= VERIFIED_MAX {
            state.read.clear();
        }
        let mut is_changed = false;
        for id in ids {
            state.read.insert(id.clone());
            if let Some(stamp) = self.contents.stamp(id) {
                is_changed |= state.remembered.insert(id.clone(), stamp) != Some(stamp);
            }
        }
        if is_changed {
            self.keep(&mut state);
        }
    }

    /// It was damaged, and is not there any more.
    pub(super) fn forget(&self, id: &ContentId) {
        let mut state = self.state.lock();
        state.read.remove(id);
        state.remembered.remove(id);
        self.keep(&mut state);
    }

    fn keep(&self, state: &mut VerifiedState) {
        state.remembered.retain(|id, stamp| self.contents.stamp(id) == Some(*stamp));
        while state.remembered.len() > REMEMBERED_MAX {
            state.remembered.pop_first();
        }
        if let Err(error) = write(&self.folder, &state.remembered) {
            tracing::debug!(%error, "the verified files are not remembered: the next start reads them again");
        }
    }
}

/// In one step: a file that is half there names some of them.
fn write(folder: &Path, remembered: &BTreeMap<ContentId, ContentStamp>) -> io::Result<()> {
    let mut text = String::new();
    for (id, ContentStamp { bytes, changed_ns, number }) in remembered {
        writeln!(text, "{} {bytes} {changed_ns} {number}", id.as_str()).expect("a text can be written to");
    }
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(folder.join(FILE)).map(drop).map_err(|error| error.error)
}

fn parse(line: &str) -> Option<(ContentId, ContentStamp)> {
    let mut words = line.split(' ');
    let id = ContentId::try_from(words.next()?.to_owned()).ok()?;
    let bytes = words.next()?.parse().ok()?;
    let changed_ns = words.next()?.parse().ok()?;
    let number = words.next()?.parse().ok()?;
    Some((id, ContentStamp { bytes, changed_ns, number }))
}
