use std::io::Cursor;

use super::*;
use crate::kind::SubtitleFormat;

fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// One text track, with the samples behind the index.
fn mp4(entry: &[u8; 4], samples: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let runs: Vec<(u32, u32)> = samples.iter().map(|(duration, _)| (1, *duration)).collect();
    mp4_timed(entry, samples, &runs)
}

/// The same with a table of times of its own: numbers of samples that last equally long, in units of 600 a second.
fn mp4_timed(entry: &[u8; 4], samples: &[(u32, Vec<u8>)], runs: &[(u32, u32)]) -> Vec<u8> {
    let tables = |at: u32| {
        let stsd = boxed(b"stsd", &[words(&[0, 1]), boxed(entry, &[0; 8])].concat());
        let times: Vec<u8> = runs.iter().flat_map(|(count, duration)| words(&[*count, *duration])).collect();
        let stts = boxed(b"stts", &[words(&[0, runs.len() as u32]), times].concat());
        let sizes: Vec<u32> = samples.iter().map(|(_, sample)| sample.len() as u32).collect();
        let stsz = boxed(b"stsz", &[words(&[0, 0, samples.len() as u32]), words(&sizes)].concat());
        let stsc = boxed(b"stsc", &words(&[0, 1, 1, samples.len() as u32, 1]));
        let stco = boxed(b"stco", &words(&[0, 1, at]));
        let stbl = boxed(b"stbl", &[stsd, stts, stsz, stsc, stco].concat());
        let mdhd = boxed(b"mdhd", &[words(&[0, 0, 0, 600, 0]), vec![0x15, 0xc7, 0, 0]].concat());
        let hdlr = boxed(b"hdlr", &[words(&[0, 0]), b"sbtl".to_vec(), vec![0; 13]].concat());
        let mdia = boxed(b"mdia", &[mdhd, hdlr, boxed(b"minf", &stbl)].concat());
        let tkhd = boxed(b"tkhd", &words(&[0, 0, 0, 3, 0]));
        let elst =
            boxed(b"edts", &boxed(b"elst", &words(&[0, 2, 500, u32::MAX, 0x1_0000, 1000, 0, 0x1_0000])));
        let mvhd = boxed(b"mvhd", &words(&[0, 0, 0, 1000, 0]));
        boxed(b"moov", &[mvhd, boxed(b"trak", &[tkhd, elst, mdia].concat())].concat())
    };
    let head = boxed(b"ftyp", b"isom\0\0\0\0");
    let at = (head.len() + tables(0).len() + 8) as u32;
    let content: Vec<u8> = samples.iter().flat_map(|(_, sample)| sample.clone()).collect();
    [head, tables(at), boxed(b"mdat", &content)].concat()
}

fn tx3g(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

#[test]
fn timed_text_of_an_mp4_is_read_with_its_delay() {
    let styled =
        [tx3g("Größe"), boxed(b"styl", &[0, 1, 0, 0, 0, 2, 0, 1, 2, 18, 255, 255, 255, 255])].concat();
    let file = mp4(b"tx3g", &[(600, tx3g("")), (300, styled), (601, tx3g("two"))]);
    let mut file = Cursor::new(file);
    let found = tracks(&mut file).unwrap();
    assert_eq!(found[0].number, 3);
    assert_eq!((found[0].codec, found[0].language.as_deref()), (Some(TrackCodec::TimedText), Some("eng")));
    let read = read_track(&mut file, 3).unwrap();
    let shown: Vec<_> = read.cues.iter().map(|cue| (cue.start, cue.end, cue.text())).collect();
    assert_eq!(shown, [(1500, 2000, "Größe".to_owned()), (2000, 3002, "two".to_owned())]);
    assert!(read.cues[0].runs[0].style.italic && read.cues[0].runs[0].text == "Gr");
    assert!(matches!(read_track(&mut file, 1), Err(SubtitleError::NoTrack(1))));
}

#[test]
fn samples_that_last_unequally_long_keep_their_times() {
    let texts = ["one", "two", "three", "four", "five", "six"];
    let samples: Vec<(u32, Vec<u8>)> = texts.iter().map(|text| (0, tx3g(text))).collect();
    // Frames of a variable rate: two of 1/30 s, one of 1001/600 s, two of 1/200 s, one of 7/600 s.
    let file = mp4_timed(b"tx3g", &samples, &[(2, 20), (1, 1001), (2, 3), (1, 7)]);
    let read = read_track(&mut Cursor::new(file), 3).unwrap();
    let starts: Vec<(i64, String)> = read.cues.iter().map(|cue| (cue.start, cue.text())).collect();
    // Ticks 0, 20, 40, 1041, 1044 and 1047 behind a delay of 500 ms; sums are rounded once, so nothing drifts.
    let expected = [500, 533, 567, 2235, 2240, 2245].into_iter().zip(texts.map(str::to_owned));
    assert_eq!(starts, expected.collect::<Vec<_>>());
    assert_eq!(read.cues[5].end, 2257);
    // A table that ends early gives the rest no time, and no panic.
    let short = mp4_timed(b"tx3g", &samples, &[(2, 20)]);
    assert_eq!(read_track(&mut Cursor::new(short), 3).unwrap().cues.len(), 2);
}

#[test]
fn web_vtt_of_an_mp4_is_joined_over_samples() {
    let cue = |id: &str, text: &str| {
        boxed(b"vttc", &[boxed(b"iden", id.as_bytes()), boxed(b"payl", text.as_bytes())].concat())
    };
    let both = [cue("1", "<i>a</i>"), cue("2", "b")].concat();
    let file = mp4(b"wvtt", &[(600, cue("1", "<i>a</i>")), (600, both), (600, boxed(b"vtte", b""))]);
    let read = read_track(&mut Cursor::new(file), 3).unwrap();
    let shown: Vec<_> = read.cues.iter().map(|cue| (cue.start, cue.end, cue.text())).collect();
    assert_eq!(shown, [(500, 2500, "a".to_owned()), (1500, 2500, "b".to_owned())]);
}

#[test]
fn ttml_of_an_mp4_is_cut_to_its_sample() {
    let document = "<tt xmlns=\"http://www.w3.org/ns/ttml\"><body><div><p begin=\"0s\" end=\"9s\">x</p></div></body></tt>";
    let file = mp4(b"stpp", &[(600, document.as_bytes().to_vec())]);
    let read = read_track(&mut Cursor::new(file), 3).unwrap();
    assert_eq!((read.cues[0].start, read.cues[0].end), (500, 1500));
}

#[test]
fn fragments_carry_their_own_times() {
    let whole = mp4(b"tx3g", &[]);
    let cut = whole.len() - 8;
    let mvex = boxed(b"mvex", &boxed(b"trex", &words(&[0, 3, 1, 600, 0, 0])));
    let mut file = whole[..cut].to_vec();
    // The index grows by the defaults of fragments.
    let moov_at = 16;
    let grown = u32::from_be_bytes(file[moov_at..moov_at + 4].try_into().unwrap()) + mvex.len() as u32;
    file[moov_at..moov_at + 4].copy_from_slice(&grown.to_be_bytes());
    file.extend(mvex);
    let sample = tx3g("late");
    let moof = |offset: u32| {
        let tfhd = boxed(b"tfhd", &words(&[0x2_0000, 3]));
        let tfdt = boxed(b"tfdt", &words(&[0, 1200]));
        let trun = boxed(b"trun", &words(&[0x201, 1, offset, sample.len() as u32]));
        boxed(b"moof", &boxed(b"traf", &[tfhd, tfdt, trun].concat()))
    };
    let offset = moof(0).len() as u32 + 8;
    file.extend(moof(offset));
    file.extend(boxed(b"mdat", &sample));
    let read = read_track(&mut Cursor::new(file), 3).unwrap();
    assert_eq!((read.cues[0].start, read.cues[0].end, read.cues[0].text()), (2500, 3500, "late".to_owned()));
}

fn ebml(id: &[u8], content: &[u8]) -> Vec<u8> {
    [id, &(content.len() as u64 | 1 << 56).to_be_bytes(), content].concat()
}

fn mkv(codec: &str, more: Vec<u8>, blocks: Vec<u8>) -> Vec<u8> {
    let head = ebml(&[0x1a, 0x45, 0xdf, 0xa3], &ebml(&[0x42, 0x82], b"matroska"));
    let entry = [
        ebml(&[0xd7], &[2]),
        ebml(&[0x83], &[0x11]),
        ebml(&[0x86], codec.as_bytes()),
        ebml(&[0x22, 0xb5, 0x9c], b"ger"),
        ebml(&[0x53, 0x6e], b"Untertitel"),
        more,
    ]
    .concat();
    let tracks = ebml(&[0x16, 0x54, 0xae, 0x6b], &ebml(&[0xae], &entry));
    let info = ebml(&[0x15, 0x49, 0xa9, 0x66], &ebml(&[0x2a, 0xd7, 0xb1], &1_000_000u32.to_be_bytes()));
    let cluster = ebml(&[0x1f, 0x43, 0xb6, 0x75], &[ebml(&[0xe7], &[0x03, 0xe8]), blocks].concat());
    [head, ebml(&[0x18, 0x53, 0x80, 0x67], &[info, tracks, cluster].concat())].concat()
}

fn block_group(track: u8, at: i16, duration: u16, content: &[u8]) -> Vec<u8> {
    let block = [&[0x80 | track][..], &at.to_be_bytes(), &[0], content].concat();
    ebml(&[0xa0], &[ebml(&[0xa1], &block), ebml(&[0x9b], &duration.to_be_bytes())].concat())
}

#[test]
fn text_of_a_matroska_file_is_read() {
    let blocks =
        [block_group(1, 0, 9, b"video"), block_group(2, 500, 1500, "<b>Größe</b>".as_bytes())].concat();
    let mut file = Cursor::new(mkv("S_TEXT/UTF8", Vec::new(), blocks));
    let found = tracks(&mut file).unwrap();
    assert_eq!((found[0].language.as_deref(), found[0].name.as_deref()), (Some("ger"), Some("Untertitel")));
    let read = read_track(&mut file, 2).unwrap();
    assert_eq!((read.cues[0].start, read.cues[0].end, read.cues[0].text()), (1500, 3000, "Größe".to_owned()));
    assert!(read.cues[0].runs[0].style.bold);
}

#[test]
fn ass_of_a_matroska_file_keeps_its_styles() {
    let private = ebml(&[0x63, 0xa2], b"[Script Info]\n[V4+ Styles]\nStyle: Big\n");
    let blocks = block_group(2, 0, 1000, b"0,0,Big,Ann,0,0,0,,{\\i1}a, b");
    let read = read_track(&mut Cursor::new(mkv("S_TEXT/ASS", private, blocks)), 2).unwrap();
    assert_eq!((read.cues[0].text(), read.cues[0].speaker.as_deref()), ("a, b".to_owned(), Some("Ann")));
    let written = crate::write(&read, SubtitleFormat::Ass).text;
    assert!(
        written.contains("Style: Big")
            && written.contains("Dialogue: 0,0:00:01.00,0:00:02.00,Big,Ann,0,0,0,,{\\i1}a, b"),
        "{written}"
    );
}

#[test]
fn packed_blocks_are_unpacked_and_pictures_are_refused() {
    use std::io::Write;
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(b"packed").unwrap();
    let packed = packer.finish().unwrap();
    let encodings =
        ebml(&[0x6d, 0x80], &ebml(&[0x62, 0x40], &ebml(&[0x50, 0x34], &ebml(&[0x42, 0x54], &[0]))));
    let file = mkv("S_TEXT/UTF8", encodings, block_group(2, 0, 1000, &packed));
    assert_eq!(read_track(&mut Cursor::new(file), 2).unwrap().cues[0].text(), "packed");
    let file = mkv("S_HDMV/PGS", Vec::new(), Vec::new());
    assert!(matches!(read_track(&mut Cursor::new(file), 2), Err(SubtitleError::NotText { .. })));
}

#[test]
fn files_that_are_cut_off_or_lie_are_errors_or_short() {
    let good = mp4(b"tx3g", &[(600, tx3g("one")), (600, tx3g("two"))]);
    let matroska = mkv(
        "S_TEXT/UTF8",
        Vec::new(),
        [block_group(2, 0, 9, b"one"), block_group(2, 10, 9, b"two")].concat(),
    );
    for (file, number) in [(good, 3), (matroska, 2)] {
        for length in 0..file.len() {
            drop(read_track(&mut Cursor::new(&file[..length]), number));
            let mut lying = file.clone();
            lying[length] = 0xff;
            drop(read_track(&mut Cursor::new(lying), number));
        }
        let short = read_track(&mut Cursor::new(&file[..file.len() - 2]), number).unwrap();
        assert_eq!((short.cues.len(), short.remarks.len()), (1, 1), "{number}");
    }
    let whole = mp4(b"tx3g", &[(600, tx3g("one"))]);
    let in_the_index = tracks(&mut Cursor::new(&whole[..whole.len() / 2]));
    assert!(matches!(in_the_index, Err(SubtitleError::Container(why)) if why.contains("cut off")));
    assert!(matches!(tracks(&mut Cursor::new(b"")), Err(SubtitleError::Empty)));
    assert!(matches!(tracks(&mut Cursor::new(b"not a video at all")), Err(SubtitleError::NotMedia)));
}
