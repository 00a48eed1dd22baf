//! IMSC documents of the W3C: how many are parsed, and how many are the same after a round trip.

use std::fs;
use std::path::Path;

use anyhow::Context;
use capability_subtitles::{SubtitleFormat, parse, write};

/// Prints how many documents are read, survive writing, and show the same after a way through WebVTT.
pub(crate) fn run(data: &Path) -> anyhow::Result<()> {
    let (mut all, mut read, mut same, mut shown) = (0, 0, 0, 0);
    let mut files: Vec<_> =
        fs::read_dir(data).with_context(|| data.display().to_string())?.flatten().collect();
    files.sort_by_key(fs::DirEntry::path);
    for file in files {
        let bytes = fs::read(file.path())?;
        all += 1;
        let (_, one) = match parse(&bytes, Some(SubtitleFormat::Ttml)) {
            Ok(parsed) => parsed,
            Err(error) => {
                println!("{}: {error}", file.path().display());
                continue;
            }
        };
        read += 1;
        let again = parse(write(&one, SubtitleFormat::Ttml).text.as_bytes(), None);
        same += usize::from(again.is_ok_and(|(_, again)| again == one));
        let through = parse(write(&one, SubtitleFormat::Vtt).text.as_bytes(), Some(SubtitleFormat::Vtt));
        let times = |subtitles: &capability_subtitles::Subtitles| {
            subtitles.cues.iter().map(|cue| (cue.start, cue.end)).collect::<Vec<_>>()
        };
        shown += usize::from(through.is_ok_and(|(_, through)| times(&through) == times(&one)));
    }
    println!("\nsubtitles: IMSC documents of the W3C");
    println!("{:<34} {:>8}", "documents", all);
    println!("{:<34} {:>8}", "parsed", read);
    println!("{:<34} {:>8}", "the same after a round trip", same);
    println!("{:<34} {:>8}", "the same times through WebVTT", shown);
    Ok(())
}
