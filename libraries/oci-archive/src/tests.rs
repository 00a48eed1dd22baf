//! Archives that come back as they were, and damaged ones that are refused.

use std::io::{BufReader, Cursor, Read as _};
use std::sync::Arc;

use manifest_tree::{BlobDigest, EntryKind, EntryPath, MemoryNodes, TreeEntry, build};
use proptest::prelude::*;

use super::*;
use crate::tar::{BLOCK_BYTES, END, header, padding};

type Files = Vec<(String, Vec<u8>)>;

fn entry(content: &[u8], metadata: &str) -> TreeEntry {
    TreeEntry {
        kind: EntryKind::Artifact,
        digest: BlobDigest::of(content),
        bytes: content.len() as u64,
        media_type: Arc::from("text/plain"),
        metadata: Arc::from(metadata.as_bytes()),
    }
}

fn entries(files: &Files) -> Vec<(EntryPath, TreeEntry)> {
    let mut entries: Vec<_> = files
        .iter()
        .map(|(path, content)| (EntryPath::new(path).unwrap(), entry(content, "{\"a\":1.50}")))
        .collect();
    entries.sort_by(|(left, _), (right, _)| left.cmp(right));
    entries
}

/// The manifest of these files, as an archive has it.
fn manifest(files: &Files, list: BlobDigest) -> ArchivedManifest {
    let root = build(entries(files), &mut MemoryNodes::default()).unwrap();
    ArchivedManifest {
        manifest: BlobDigest::of(b"a manifest"),
        root: root.digest,
        entries: root.count,
        bytes: root.bytes,
        list,
        message: "first".to_owned(),
        parents: Vec::new(),
        principal: "erna".to_owned(),
        run: None,
        metadata: None,
        created_at: "2026-11-17T00:00:00.000Z".to_owned(),
    }
}

fn write(files: &Files) -> Vec<u8> {
    write_changed(files, |_| {})
}

fn write_changed(files: &Files, change: impl FnOnce(&mut ArchivedManifest)) -> Vec<u8> {
    let mut writer = ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    writer.begin_entries().unwrap();
    for (path, entry) in entries(files) {
        writer.write_entries(&entry_line(&path, &entry).unwrap()).unwrap();
    }
    let list = writer.end_entries().unwrap();
    for (path, content) in files {
        if !writer.has(&BlobDigest::of(content)) {
            writer.begin_blob(BlobDigest::of(content), content.len() as u64, path).unwrap();
            content.chunks(7).for_each(|piece| writer.write_blob(piece).unwrap());
            writer.end_blob().unwrap();
        }
    }
    let mut manifest = manifest(files, list.digest);
    change(&mut manifest);
    let (sink, _) = writer.finish(vec![manifest]).unwrap();
    sink.into_inner()
}

/// Everything in an archive, checked.
fn read(bytes: &[u8]) -> Result<Files, ArchiveError> {
    let mut reader = ArchiveReader::open(Cursor::new(bytes))?;
    let manifest = reader.manifests().last().unwrap().clone();
    let listed: Result<Vec<_>, _> = reader.entries(&manifest)?.collect();
    let mut files = Vec::new();
    for (path, entry) in listed? {
        let mut content = Vec::new();
        reader.check_blob(&entry.digest, |piece| content.extend_from_slice(piece))?;
        files.push((path.to_string(), content));
    }
    Ok(files)
}

fn some_files() -> Files {
    let long = "x".repeat(2 * BLOCK_BYTES);
    let files = [("a.txt", "hello"), ("b/c.txt", ""), ("b/d.txt", long.as_str()), ("ä.txt", "hello")];
    files.map(|(path, content)| (path.to_owned(), content.as_bytes().to_vec())).to_vec()
}

/// A tar of these members.
fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut written = Vec::new();
    for (name, bytes) in members {
        written.extend_from_slice(&header(name, bytes.len() as u64));
        written.extend_from_slice(bytes);
        written.extend_from_slice(padding(bytes.len() as u64));
    }
    written.extend_from_slice(&END);
    written
}

#[test]
fn an_archive_comes_back_as_it_was() {
    let files = some_files();
    let bytes = write(&files);
    assert_eq!(read(&bytes).unwrap(), files);
    assert_eq!(bytes, write(&files), "the same content is the same archive");
    assert_eq!(read(&write(&Vec::new())).unwrap(), Files::new());
}

#[test]
fn equal_contents_are_there_once() {
    let bytes = write(&some_files());
    let name = format!("blobs/sha256/{}", BlobDigest::of(b"hello"));
    let in_tar = bytes.chunks(BLOCK_BYTES).filter(|block| block.starts_with(name.as_bytes()));
    assert_eq!(in_tar.count(), 1);
}

#[test]
fn lines_are_read_where_the_writer_put_them() {
    let mut writer = ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    let files = some_files();
    writer.begin_entries().unwrap();
    for (path, entry) in entries(&files) {
        writer.write_entries(&entry_line(&path, &entry).unwrap()).unwrap();
    }
    let list = writer.end_entries().unwrap();
    let (sink, _) = writer.finish(vec![manifest(&files, list.digest)]).unwrap();
    let written = sink.into_inner();
    let place = &written[list.offset as usize..][..list.bytes as usize];
    let read: Vec<_> = EntryLines::new(BufReader::new(place)).map(Result::unwrap).collect();
    assert_eq!(read, entries(&files));
}

#[test]
fn blobs_behind_the_first_thousands_are_in_packs() {
    let files: Files =
        (0..LAYERS_MAX + 50).map(|number| (format!("f{number}"), number.to_string().into_bytes())).collect();
    let mut sorted = files.clone();
    sorted.sort();
    let mut read = read(&write(&files)).unwrap();
    read.sort();
    assert_eq!(read, sorted);
}

#[test]
fn a_tree_that_claims_another_root_is_refused() {
    let bytes = write_changed(&some_files(), |manifest| manifest.root = BlobDigest::of(b"another"));
    assert!(matches!(read(&bytes), Err(ArchiveError::OtherRoot { .. })));
    let bytes = write_changed(&some_files(), |manifest| manifest.entries += 1);
    assert!(matches!(read(&bytes), Err(ArchiveError::OtherContent { .. })));
}

#[test]
fn a_missing_blob_is_named() {
    let bytes = write_changed(&some_files(), |manifest| manifest.list = BlobDigest::of(b"nowhere"));
    let name = format!("blobs/sha256/{}", BlobDigest::of(b"nowhere"));
    assert!(matches!(read(&bytes), Err(ArchiveError::Missing { name: missing }) if missing == name));
}

#[test]
fn bytes_under_a_wrong_digest_are_refused() {
    let files = some_files();
    let mut bytes = write(&files);
    let long = files[2].1.clone();
    let at = bytes.windows(long.len()).position(|window| window == long).unwrap();
    bytes[at + 5] ^= 1;
    let digest = BlobDigest::of(&long);
    assert!(matches!(read(&bytes), Err(ArchiveError::OtherBytes { digest: other }) if other == digest));
}

#[test]
fn a_writer_takes_no_other_bytes_than_it_was_told() {
    let mut writer = ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    writer.begin_blob(BlobDigest::of(b"hello"), 5, "a").unwrap();
    writer.write_blob(b"hullo").unwrap();
    assert!(matches!(writer.end_blob(), Err(ArchiveError::OtherBytes { .. })));
    writer.begin_blob(BlobDigest::of(b"hello"), 5, "a").unwrap();
    assert!(matches!(writer.write_blob(b"hello!"), Err(ArchiveError::OtherSize { .. })));
    let mut writer = ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    writer.begin_blob(BlobDigest::of(b"hello"), 5, "a").unwrap();
    writer.write_blob(b"hell").unwrap();
    assert!(matches!(writer.end_blob(), Err(ArchiveError::OtherSize { .. })));
}

#[test]
fn an_archive_that_breaks_off_is_refused_wherever() {
    let bytes = write(&some_files());
    for length in (0..bytes.len() - END.len()).step_by(131) {
        assert!(read(&bytes[..length]).is_err(), "{length}");
    }
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for name in ["../index.json", "/etc/passwd", "a/../../b", "a\\b", "a//b", "blobs/./x"] {
        let read = read(&tar(&[(name, b"x")]));
        assert!(matches!(read, Err(ArchiveError::MemberName { .. })), "{name}");
    }
    let twice = tar(&[("oci-layout", b"{}"), ("./oci-layout", b"{}")]);
    assert!(matches!(read(&twice), Err(ArchiveError::Twice { .. })));
}

#[test]
fn other_images_and_other_files_are_refused() {
    assert!(matches!(read(b""), Err(ArchiveError::CutShort)));
    assert!(matches!(read(&[b'x'; 2048]), Err(ArchiveError::NotTar)));
    assert!(matches!(read(&tar(&[])), Err(ArchiveError::Missing { .. })));
    let layout: (&str, &[u8]) = ("oci-layout", b"{\"imageLayoutVersion\":\"1.0.0\"}");
    assert!(matches!(read(&tar(&[layout])), Err(ArchiveError::Missing { .. })));
    let none: (&str, &[u8]) = ("index.json", b"{\"schemaVersion\":2,\"manifests\":[]}");
    assert!(matches!(read(&tar(&[layout, none])), Err(ArchiveError::OtherContent { .. })));
    let bad: (&str, &[u8]) = ("index.json", b"[");
    assert!(matches!(read(&tar(&[layout, bad])), Err(ArchiveError::Document { .. })));
}

#[test]
fn a_line_that_is_too_long_is_not_read_to_its_end() {
    let endless = std::io::repeat(b'x').take(u64::MAX);
    let mut lines = EntryLines::new(BufReader::new(endless));
    assert!(matches!(lines.next(), Some(Err(ArchiveError::Entry { line: 1, .. }))));
}

#[test]
fn entries_with_bad_paths_or_unknown_members_are_refused() {
    let digest = BlobDigest::of(b"x");
    for line in [
        format!("{{\"path\":\"../a\",\"kind\":\"artifact\",\"sha256\":\"{digest}\",\"bytes\":1}}\n"),
        format!("{{\"path\":\"a\",\"kind\":\"device\",\"sha256\":\"{digest}\",\"bytes\":1}}\n"),
        format!("{{\"path\":\"a\",\"kind\":\"artifact\",\"sha256\":\"{digest}\",\"bytes\":1,\"mode\":7}}\n"),
        "{\"path\":\"a\",\"kind\":\"artifact\",\"sha256\":\"00\",\"bytes\":1}\n".to_owned(),
        "not JSON\n".to_owned(),
    ] {
        let read = EntryLines::new(BufReader::new(line.as_bytes())).next();
        assert!(matches!(read, Some(Err(ArchiveError::Entry { line: 1, .. }))), "{line}");
    }
}

fn any_files() -> impl Strategy<Value = Files> {
    let path = "[a-d]{1,2}x?(/[a-d]{1,2}y){0,2}z";
    let content = proptest::collection::vec(any::<u8>(), 0..1_500);
    proptest::collection::btree_map(path, content, 0..12).prop_map(|files| files.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_files_come_back(files in any_files()) {
        let (mut read, mut sorted) = (read(&write(&files)).unwrap(), files);
        read.sort();
        sorted.sort();
        prop_assert_eq!(read, sorted);
    }

    /// A changed byte is found, or it was one that says nothing: then everything is as it was.
    #[test]
    fn a_changed_byte_changes_nothing_or_is_found(place in any::<prop::sample::Index>(), bit in 0..8u8) {
        let files = some_files();
        let mut bytes = write(&files);
        let place = place.index(bytes.len());
        bytes[place] ^= 1 << bit;
        if let Ok(read) = read(&bytes) {
            prop_assert_eq!(read, files);
        }
    }
}
