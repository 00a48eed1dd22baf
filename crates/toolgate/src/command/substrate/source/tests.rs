//! Files that are taken from folders, zips and work trees, and those that are not.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use manifest_tree::BlobDigest;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::ImportSource;
use super::found::FoundFiles;
use super::zipped::ZippedFiles;
use crate::cli::ImportKind;

async fn listed(path: &Path, kind: ImportKind) -> anyhow::Result<(Vec<String>, Vec<String>)> {
    let (mut source, left_out) = ImportSource::open(path, kind).await?;
    let files = source.take_files().iter().map(|file| file.path.to_string()).collect();
    let mut left_out: Vec<String> = left_out.into_iter().map(|one| one.path).collect();
    left_out.sort();
    Ok((files, left_out))
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it lies somewhere")).expect("made");
        fs::write(path, content).expect("written");
    }
    folder
}

fn zip(folder: &TempDir, files: &[(&str, &[u8])]) -> PathBuf {
    let path = folder.path().join("a.zip");
    let mut writer = ZipWriter::new(File::create(&path).expect("made"));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default()).expect("begun");
        writer.write_all(content).expect("written");
    }
    writer.finish().expect("finished");
    path
}

#[tokio::test]
async fn a_folder_is_its_files_without_links_and_devices() {
    let folder = folder(&[("b.txt", "1"), ("a/x.txt", "2"), ("a/y/z.txt", "3")]);
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).expect("linked");
    std::os::unix::fs::symlink(folder.path(), folder.path().join("a/loop")).expect("linked");
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).expect("bound");
    let (files, left_out) = listed(folder.path(), ImportKind::Folder).await.expect("listed");
    assert_eq!(files, ["a/x.txt", "a/y/z.txt", "b.txt"]);
    assert_eq!(left_out, ["a/loop", "link", "socket"]);
}

#[tokio::test]
async fn a_name_that_a_manifest_cannot_have_is_refused() {
    for name in ["a\\b", "line\nbreak", "e\u{301}.txt"] {
        let folder = folder(&[(name, "x")]);
        let refused = listed(folder.path(), ImportKind::Folder).await.expect_err("refused");
        assert!(refused.to_string().contains("hint: rename it"), "{refused:#}");
    }
}

#[tokio::test]
async fn names_of_a_zip_that_lead_elsewhere_are_refused() {
    for name in ["../evil", "/etc/passwd", "a/../../b", "./a", "a//b", "C:\\x"] {
        let folder = folder(&[]);
        let path = zip(&folder, &[("good", b"1"), (name, b"2")]);
        assert!(listed(&path, ImportKind::Zip).await.is_err(), "{name}");
    }
}

#[tokio::test]
async fn files_of_a_zip_are_unpacked_one_by_one() {
    let folder = folder(&[]);
    let path = zip(&folder, &[("b", b"two"), ("a/x", b"one")]);
    let (mut source, _) = ImportSource::open(&path, ImportKind::Zip).await.expect("opened");
    let files = source.take_files();
    let digests: Vec<BlobDigest> =
        files.iter().map(|file| source.measure(&file.place).expect("unpacked").digest).collect();
    assert_eq!(digests, [BlobDigest::of(b"one"), BlobDigest::of(b"two")]);
}

#[tokio::test]
async fn a_zip_that_unpacks_to_far_more_is_refused() {
    let folder = folder(&[]);
    let path = zip(&folder, &[("bomb", &[0; 4096])]);
    let mut found = FoundFiles::default();
    let mut files = ZippedFiles::open(&path, &mut found).expect("opened");
    files.allow_only(100);
    let refused = files.unpack(0).err().expect("refused");
    assert!(refused.to_string().contains("times its size"), "{refused:#}");
}

#[tokio::test]
async fn a_zip_that_breaks_off_is_refused() {
    let folder = folder(&[]);
    let path = zip(&folder, &[("a", b"content")]);
    let whole = fs::read(&path).expect("read");
    fs::write(&path, &whole[..whole.len() - 10]).expect("written");
    assert!(listed(&path, ImportKind::Zip).await.is_err());
}

#[tokio::test]
async fn a_work_tree_is_its_tracked_files() {
    let folder = folder(&[("kept.txt", "1"), ("gone.txt", "2"), ("new.txt", "3"), ("a/b.txt", "4")]);
    let git = |words: &[&str]| {
        let done = Command::new("git").arg("-C").arg(folder.path()).args(words).output();
        done.is_ok_and(|done| done.status.success())
    };
    if !git(&["init", "-q"]) {
        return;
    }
    assert!(git(&["add", "kept.txt", "gone.txt", "a/b.txt"]));
    fs::remove_file(folder.path().join("gone.txt")).expect("removed");
    let (files, left_out) = listed(folder.path(), ImportKind::Git).await.expect("listed");
    assert_eq!(files, ["a/b.txt", "kept.txt"]);
    assert_eq!(left_out, ["gone.txt"]);
}

#[tokio::test]
async fn a_folder_without_git_says_so() {
    let folder = folder(&[("a", "1")]);
    let refused = listed(folder.path(), ImportKind::Git).await.expect_err("no work tree");
    assert!(refused.to_string().contains("--kind folder"), "{refused:#}");
}
