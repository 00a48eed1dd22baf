//! Contents that stay, leave and heal.

use engine_protocol::EngineErrorCode;

use super::*;

const ROOM: u64 = 1 << 20;

fn contents(folder: &tempfile::TempDir, bytes_max: u64) -> Arc<Contents> {
    Arc::new(Contents::new(folder.path(), bytes_max).unwrap())
}

#[test]
fn what_was_put_is_read_and_what_is_missing_is_named_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let contents = contents(&folder, ROOM);
    let here = contents.put_bytes(b"here").unwrap();
    assert_eq!(contents.read(&here).unwrap(), b"here");
    let gone = [digest_of(b"gone"), digest_of(b"also gone")];
    let fault = contents.require(gone.iter().chain([&here])).unwrap_err();
    assert_eq!((fault.code, fault.missing.as_slice()), (EngineErrorCode::MissingContents, gone.as_slice()));
}

#[test]
fn a_file_moves_in_under_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    let contents = contents(&folder, ROOM);
    let made = contents.unfinished().unwrap();
    fs::write(&made, b"made").unwrap();
    let id = contents.put_file(&made).unwrap();
    assert!(!made.exists() && id == digest_of(b"made"));
    assert_eq!(contents.read(&id).unwrap(), b"made");
}

#[test]
fn a_damaged_content_is_removed_and_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let contents = contents(&folder, ROOM);
    type Look = fn(&Contents, &ContentId) -> Result<(), EngineFault>;
    let looks: [Look; 2] = [|contents, id| contents.read(id).map(drop), |contents, id| contents.verify([id])];
    for look in looks {
        let id = contents.put_bytes(b"whole").unwrap();
        fs::write(contents.path(&id).unwrap(), b"hole").unwrap();
        let fault = look(&contents, &id).unwrap_err();
        assert_eq!((fault.code, fault.missing), (EngineErrorCode::MissingContents, vec![id.clone()]));
        assert!(contents.path(&id).is_none());
    }
}

#[test]
fn the_least_used_contents_leave_and_pinned_and_fresh_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let put = |content: &[u8]| contents(&folder, ROOM).put_bytes(content).unwrap();
    let (old, pinned) = (put(&[1; 400]), put(&[2; 400]));
    let later = contents(&folder, 1000);
    let _pins = later.pin([pinned.clone()]);
    let fresh = later.put_bytes(&[3; 400]).unwrap();
    assert!(later.path(&old).is_none(), "it was used before this start alone");
    assert!(later.path(&pinned).is_some() && later.path(&fresh).is_some());
    let more = later.put_bytes(&[4; 900]).unwrap();
    for stays in [&pinned, &fresh, &more] {
        assert!(later.path(stays).is_some(), "pinned or fresh, although there is no room");
    }
}
