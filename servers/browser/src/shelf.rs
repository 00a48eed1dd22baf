//! A context's downloads: within the limits they are kept until they are taken, past them they are broken off.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::download::Download;
use crate::journal::Journal;
use crate::news::News;

const NAME_CHARS_MAX: usize = 120;
const OTHER: &str = "application/octet-stream";
/// By the ending of a name, in lower case.
const MEDIA_TYPES: [(&str, &str); 18] = [
    ("csv", "text/csv"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("gif", "image/gif"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("txt", "text/plain"),
    ("webp", "image/webp"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

pub(crate) struct DownloadShelf {
    folder: PathBuf,
    bytes_max: u64,
    kept_max: usize,
    journal: Arc<Journal>,
    state: Mutex<ShelfState>,
}

#[derive(Default)]
struct ShelfState {
    /// By Chromium's name of a download.
    running: HashMap<String, RunningDownload>,
    ended: Vec<Download>,
}

struct RunningDownload {
    name: String,
    refused: Option<String>,
}

/// What Chromium says of a download.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DownloadStage {
    Running { total: u64, received: u64 },
    Completed,
    Canceled,
}

/// What is to be done about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DownloadVerdict {
    Continue,
    BreakOff,
}

impl DownloadShelf {
    pub(crate) fn new(folder: PathBuf, bytes_max: u64, kept_max: usize, journal: Arc<Journal>) -> Self {
        Self { folder, bytes_max, kept_max, journal, state: Mutex::default() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn begin(&self, id: &str, suggested: &str) -> DownloadVerdict {
        let name = file_name(suggested);
        let mut state = self.state.lock();
        let is_full = state.running.len() + state.ended.len() >= self.kept_max;
        let refused =
            is_full.then(|| format!("{} downloads are kept at a time, and so many are here", self.kept_max));
        let verdict = if is_full { DownloadVerdict::BreakOff } else { DownloadVerdict::Continue };
        state.running.insert(id.to_owned(), RunningDownload { name: name.clone(), refused });
        drop(state);
        if !is_full {
            self.journal.push(News::DownloadStarted { name });
        }
        verdict
    }

    pub(crate) fn hear(&self, id: &str, stage: DownloadStage) -> DownloadVerdict {
        match stage {
            DownloadStage::Running { total, received } => self.weigh(id, total.max(received)),
            DownloadStage::Completed | DownloadStage::Canceled => {
                let ended = self.state.lock().running.remove(id);
                if let Some(ended) = ended {
                    self.end(id, ended, stage);
                }
                DownloadVerdict::Continue
            }
        }
    }

    fn weigh(&self, id: &str, bytes: u64) -> DownloadVerdict {
        let mut state = self.state.lock();
        let Some(running) = state.running.get_mut(id) else { return DownloadVerdict::BreakOff };
        if bytes <= self.bytes_max || running.refused.is_some() {
            return DownloadVerdict::Continue;
        }
        running.refused = Some(self.too_large());
        DownloadVerdict::BreakOff
    }

    fn too_large(&self) -> String {
        format!("it is larger than {} MiB", self.bytes_max >> 20)
    }

    fn end(&self, id: &str, download: RunningDownload, stage: DownloadStage) {
        let RunningDownload { name, refused } = download;
        let path = self.folder.join(id);
        let bytes = fs::metadata(&path).map(|data| data.len());
        let refused = refused.or_else(|| match (stage, &bytes) {
            (DownloadStage::Completed, Ok(bytes)) if *bytes <= self.bytes_max => None,
            (DownloadStage::Completed, Ok(_)) => Some(self.too_large()),
            (DownloadStage::Completed, Err(error)) => Some(format!("its file cannot be read: {error}")),
            _ => Some("it was broken off".to_owned()),
        });
        let ended = match refused {
            Some(why) => {
                // It may never have been there.
                drop(fs::remove_file(&path));
                self.journal.push(News::DownloadRefused { name: name.clone(), why: why.clone() });
                Download::Refused { name, why }
            }
            None => {
                let bytes = bytes.unwrap_or_default();
                self.journal.push(News::DownloadDone { name: name.clone(), bytes });
                Download::Done { media_type: media_type(&name).to_owned(), name, path, bytes }
            }
        };
        let mut state = self.state.lock();
        // Refusals take no space on the disk, and are not counted by anyone: the oldest make way.
        if state.ended.len() >= self.kept_max {
            state.ended.remove(0);
        }
        state.ended.push(ended);
    }

    pub(crate) fn take(&self) -> Vec<Download> {
        std::mem::take(&mut self.state.lock().ended)
    }

    pub(crate) fn running(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.state.lock().running.values().map(|download| download.name.clone()).collect();
        names.sort();
        names
    }
}

/// A name without folders and signs that no name has.
fn file_name(suggested: &str) -> String {
    let last = suggested.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|sign| !sign.is_control()).take(NAME_CHARS_MAX).collect();
    let name = name.trim_matches(['.', ' ']);
    if name.is_empty() { "download".to_owned() } else { name.to_owned() }
}

fn media_type(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    MEDIA_TYPES.iter().find(|(known, _)| *known == ending).map_or(OTHER, |(_, media_type)| media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 1 << 20;

    fn shelf(folder: &Path) -> DownloadShelf {
        DownloadShelf::new(folder.to_owned(), LIMIT, 2, Arc::default())
    }

    #[test]
    fn a_download_that_says_it_is_too_large_or_grows_too_large_is_broken_off_and_its_file_removed() {
        let folder = tempfile::tempdir().unwrap();
        for (total, received) in [(2 << 30, 0), (0, LIMIT + 1)] {
            let shelf = shelf(folder.path());
            assert_eq!(shelf.begin("g1", "a.zip"), DownloadVerdict::Continue);
            fs::write(folder.path().join("g1"), "part").unwrap();
            assert_eq!(
                shelf.hear("g1", DownloadStage::Running { total: 0, received: 4 }),
                DownloadVerdict::Continue
            );
            assert_eq!(
                shelf.hear("g1", DownloadStage::Running { total, received }),
                DownloadVerdict::BreakOff
            );
            shelf.hear("g1", DownloadStage::Canceled);
            let [Download::Refused { name, why }] = &shelf.take()[..] else { panic!("it is refused") };
            assert!(name == "a.zip" && why.contains("larger than 1 MiB"), "{why}");
            assert!(!folder.path().join("g1").exists());
        }
    }

    #[test]
    fn only_so_many_are_kept_until_they_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = shelf(folder.path());
        for id in ["g1", "g2"] {
            shelf.begin(id, "../../etc/pass\u{0}wd.PDF");
            fs::write(folder.path().join(id), "x").unwrap();
            shelf.hear(id, DownloadStage::Completed);
        }
        assert_eq!(shelf.begin("g3", "c.txt"), DownloadVerdict::BreakOff);
        let taken = shelf.take();
        let path = folder.path().join("g1");
        let media_type = "application/pdf".to_owned();
        assert_eq!(taken[0], Download::Done { name: "passwd.PDF".to_owned(), media_type, path, bytes: 1 });
        assert_eq!(taken.len(), 2);
        shelf.hear("g3", DownloadStage::Canceled);
        assert!(matches!(&shelf.take()[..], [Download::Refused { why, .. }] if why.contains("2 downloads")));
    }
}
