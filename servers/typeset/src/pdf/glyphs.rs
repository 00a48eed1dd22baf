//! Letters without a font are set as empty boxes; warnings name them, with advice.

use std::collections::BTreeMap;

use typst::layout::{Frame, FrameItem};
use typst_layout::PagedDocument;

/// Letters named for each script, so that one document in an unknown script makes one short sentence.
const NAMED_MAX: usize = 8;

/// One sentence for each script without a font.
pub(super) fn missing(document: &PagedDocument) -> Vec<String> {
    let mut letters = Vec::new();
    for page in document.pages() {
        find(&page.frame, &mut letters);
    }
    letters.sort_unstable();
    letters.dedup();
    let mut scripts: BTreeMap<(&str, &str), Vec<char>> = BTreeMap::new();
    for letter in letters {
        scripts.entry(script_of(letter)).or_default().push(letter);
    }
    scripts.into_iter().map(|((script, package), letters)| sentence(script, package, &letters)).collect()
}

fn sentence(script: &str, package: &str, letters: &[char]) -> String {
    let named: String = letters.iter().take(NAMED_MAX).collect();
    let more = if letters.len() > NAMED_MAX { "…" } else { "" };
    format!(
        "no font for {script} is on this machine: {named}{more} came out as boxes (Debian has one in {package})"
    )
}

fn find(frame: &Frame, letters: &mut Vec<char>) {
    for (_, item) in frame.items() {
        match item {
            FrameItem::Group(group) => find(&group.frame, letters),
            FrameItem::Text(text) => {
                let lost = text.glyphs.iter().filter(|glyph| glyph.id == 0);
                letters.extend(lost.filter_map(|glyph| text.text.get(glyph.range())?.chars().next()));
            }
            _ => {}
        }
    }
}

/// The script's name, and a Debian package with a font for it.
fn script_of(letter: char) -> (&'static str, &'static str) {
    match letter {
        '\u{0370}'..='\u{052F}' => ("Greek and Cyrillic", "fonts-dejavu"),
        '\u{0530}'..='\u{058F}' => ("Armenian", "fonts-dejavu"),
        '\u{0590}'..='\u{05FF}' | '\u{FB1D}'..='\u{FB4F}' => ("Hebrew", "fonts-noto-core"),
        '\u{0600}'..='\u{08FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}' => {
            ("Arabic", "fonts-noto-core")
        }
        '\u{0900}'..='\u{0DFF}' => ("the scripts of India", "fonts-noto-core"),
        '\u{0E00}'..='\u{0E7F}' => ("Thai", "fonts-noto-core"),
        '\u{1100}'..='\u{11FF}' | '\u{AC00}'..='\u{D7FF}' => ("Korean", "fonts-noto-cjk"),
        '\u{3040}'..='\u{30FF}' => ("Japanese", "fonts-noto-cjk"),
        '\u{2E80}'..='\u{303F}'
        | '\u{3100}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF00}'..='\u{FFEF}' => ("Chinese characters", "fonts-noto-cjk"),
        '\u{20000}'..='\u{3FFFF}' => ("rare Chinese characters", "fonts-noto-cjk-extra"),
        '\u{2600}'..='\u{27BF}' | '\u{1F000}'..='\u{1FAFF}' => {
            ("emoji and symbols", "fonts-noto-color-emoji")
        }
        _ => ("some letters", "fonts-noto-core"),
    }
}
