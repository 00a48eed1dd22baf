use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use toolgate_core::RefusalKind;
use toolgate_core::content::ContentHolder;

use super::*;
use crate::access::ContentAccess;
use crate::fixture::{FilesWorld, holder, name, noise, sent};

struct RefsScene {
    world: FilesWorld,
    holder: ContentHolder,
}

impl RefsScene {
    async fn new() -> Self {
        Self::with_text_max(10 << 20).await
    }

    /// Longer texts are not held in memory.
    async fn with_text_max(bytes: u64) -> Self {
        let world = FilesWorld::with(|settings| settings.text_bytes_max = bytes).await;
        Self { world, holder: holder("ada", "ses_1", None) }
    }

    async fn upload(&self, file_name: &str, bytes: Vec<u8>) -> String {
        let access = ContentAccess::Session(&self.holder);
        let file = self.world.files.put(&access, name(file_name), sent(&bytes.into())).await;
        file.expect("it is stored").id.to_string()
    }

    async fn read(&self, id: &str, wish: RefSelection) -> Result<RefPiece, Refusal> {
        self.world.files.read_ref(&self.holder, id, wish).await
    }

    /// The whole, piece by piece.
    async fn read_all(&self, id: &str, length: u64) -> String {
        let (mut text, mut start) = (String::new(), 0);
        loop {
            let piece = self.read(id, RefSelection::Range { start, length: Some(length) }).await.unwrap();
            assert_eq!(piece.start, start);
            assert_eq!(piece.end - piece.start, piece.text.len() as u64);
            text.push_str(&piece.text);
            start = piece.end;
            if !piece.more {
                return text;
            }
        }
    }
}

const BOTH: [u64; 2] = [10 << 20, 10];

#[tokio::test]
async fn pieces_together_are_the_whole() {
    for text_max in BOTH {
        let scene = RefsScene::with_text_max(text_max).await;
        let text = "aé漢😀\n".repeat(500);
        let id = scene.upload("a.txt", text.clone().into_bytes()).await;
        for length in [1, 2, 3, 5, 1000, 100_000] {
            assert!(scene.read_all(&id, length).await == text, "{length}");
        }
    }
}

#[tokio::test]
async fn a_piece_has_an_end_and_says_what_is_behind_it() {
    let scene = RefsScene::new().await;
    let id = scene.upload("a.txt", "0123456789 ".repeat(2000).into_bytes()).await;
    let piece = scene.read(&id, RefSelection::Range { start: 3, length: None }).await.unwrap();
    assert_eq!((piece.start, piece.end, piece.total, piece.more), (3, 3 + 8192, 22_000, true));
    assert_eq!(&piece.text[..12], "3456789 0123");
    let piece = scene.read(&id, RefSelection::Range { start: 21_995, length: Some(100) }).await.unwrap();
    assert_eq!((piece.text.as_str(), piece.more), ("6789 ", false));
    let piece = scene.read(&id, RefSelection::Range { start: 99_999, length: None }).await.unwrap();
    assert_eq!((piece.text.as_str(), piece.start, piece.end, piece.more), ("", 22_000, 22_000, false));
}

#[tokio::test]
async fn lines_are_counted_from_one() {
    for text_max in BOTH {
        let scene = RefsScene::with_text_max(text_max).await;
        let text: String = (1..=3000).map(|line| format!("line {line}\n")).collect();
        let id = scene.upload("a.txt", (text.clone() + "end").into_bytes()).await;
        let lines = |from, count| scene.read(&id, RefSelection::Lines { from, count });
        assert_eq!(lines(1, 2).await.unwrap().text, "line 1\nline 2\n");
        let piece = lines(2999, 2).await.unwrap();
        assert_eq!((piece.text.as_str(), piece.more), ("line 2999\nline 3000\n", true));
        let piece = lines(3001, 5).await.unwrap();
        assert_eq!((piece.text.as_str(), piece.more), ("end", false));
        assert_eq!(lines(1, 5000).await.unwrap().text.len(), 8192);
        assert_eq!(lines(4000, 1).await.unwrap_err().code.name, "bad_range");
    }
}

#[tokio::test]
async fn words_are_found_in_either_case_with_what_stands_around_them() {
    for text_max in BOTH {
        let scene = RefsScene::with_text_max(text_max).await;
        let filler = "lorem ipsum dolor ".repeat(100_000);
        let text = format!("{filler}The ÄPFEL are here.\n{filler}and äpfel again");
        let id = scene.upload("a.txt", text.clone().into_bytes()).await;
        let piece = scene.read(&id, RefSelection::Query { text: "äpfel".to_owned() }).await.unwrap();
        let places: Vec<&str> =
            piece.matches.iter().map(|one| &text[one.start as usize..one.end as usize]).collect();
        assert_eq!(places, ["ÄPFEL", "äpfel"]);
        let entries: Vec<&str> = piece.text.lines().collect();
        assert!(entries[0].contains("dolor The ÄPFEL are here. lorem"), "{entries:?}");
        assert!(entries[1].ends_with("dolor and äpfel again"), "{entries:?}");
        assert!(!piece.more && piece.text.len() < 1000);
        let none = scene.read(&id, RefSelection::Query { text: "Birnen".to_owned() }).await.unwrap();
        assert_eq!((none.text.as_str(), none.matches.len()), ("no match for \"Birnen\"", 0));
    }
}

#[tokio::test]
async fn matches_have_an_end() {
    let scene = RefsScene::new().await;
    let id = scene.upload("a.txt", format!("needle {}", "x".repeat(300)).repeat(50).into_bytes()).await;
    let piece = scene.read(&id, RefSelection::Query { text: "needle".to_owned() }).await.unwrap();
    assert_eq!((piece.matches.len(), piece.more), (20, true));
    assert!(piece.text.len() <= 8192);
    for bad in [String::new(), "x".repeat(257)] {
        let refused = scene.read(&id, RefSelection::Query { text: bad }).await.unwrap_err();
        assert_eq!(refused.code.name, "bad_query");
    }
}

#[tokio::test]
async fn a_match_across_windows_is_found_once() {
    let scene = RefsScene::with_text_max(10).await;
    for before in [(1 << 20) - 7, (1 << 20) - 1, 1 << 20, (2 << 20) - 3] {
        let text = format!("{}needle{}", "x".repeat(before), "y".repeat(3 << 20));
        let id = scene.upload("a.txt", text.into_bytes()).await;
        let piece = scene.read(&id, RefSelection::Query { text: "Needle".to_owned() }).await.unwrap();
        let expected = RefMatch { start: before as u64, end: before as u64 + 6 };
        assert_eq!(piece.matches, [expected]);
    }
}

#[tokio::test]
async fn base64_within_a_text_is_not_shown() {
    let scene = RefsScene::new().await;
    let text = format!("before {} behind", STANDARD.encode(noise(3000)));
    let id = scene.upload("a.txt", text.into_bytes()).await;
    let piece = scene.read(&id, RefSelection::Range { start: 0, length: None }).await.unwrap();
    assert_eq!(piece.text, "before [4000 bytes of Base64] behind");
}

#[tokio::test]
async fn what_is_no_text_is_refused_with_what_can_be_done_with_it() {
    let scene = RefsScene::new().await;
    let id = scene.upload("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()).await;
    let refused = scene.read(&id, RefSelection::Range { start: 0, length: None }).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "not_text"));
    assert_eq!(refused.message, format!("{id} is image/png, which is not text, and has 16 bytes"));
    assert!(refused.hint.contains("`store_artifact`"), "{}", refused.hint);
    let refused = scene.read("ref_none", RefSelection::Range { start: 0, length: None }).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::NotFound, "unknown_ref"));
}

#[test]
fn matches_that_stand_close_are_shown_once() {
    let at = |start| RefMatch { start, end: start + 5 };
    assert_eq!(around(&[at(0), at(150), at(1000)]), [0..255, 900..1105]);
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

proptest! {
    #[test]
    fn every_range_is_whole_characters_within_it(text in "[aé漢😀]{0,40}", start in 0u64..200, length in 1u64..40) {
        let pages = RefPages::held(text.clone());
        let (piece, place) = run(pages.text(start..start + length)).expect("it is in memory");
        let (from, to) = (place.start as usize, place.end as usize);
        prop_assert_eq!(&text[from..to], piece.as_str());
        prop_assert!(place.start <= start.min(pages.total()));
        prop_assert!(place.end <= (start + length).max(place.start + 4));
        prop_assert!(start >= pages.total() || !piece.is_empty());
    }
}
