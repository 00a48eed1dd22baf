use super::*;
use crate::time_map::TimeMap;

fn document(root: &str, body: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<!-- made here --><tt xmlns=\"http://www.w3.org/ns/ttml\" xmlns:ttp=\"http://www.w3.org/ns/ttml#parameter\" \
         xmlns:tts=\"http://www.w3.org/ns/ttml#styling\" xml:lang=\"en\" {root}>{body}</tt>"
    )
}

fn shown(root: &str, body: &str) -> Vec<(i64, i64, String)> {
    let read = parse(&document(root, body)).unwrap();
    read.cues.iter().map(|cue| (cue.start, cue.end, cue.text())).collect()
}

fn one(start: i64, end: i64, text: &str) -> (i64, i64, String) {
    (start, end, text.to_owned())
}

#[test]
fn every_kind_of_time_is_exact() {
    for (root, begin, ms) in [
        ("", "00:00:01.5", 1500),
        ("", "1.5s", 1500),
        ("", "1500ms", 1500),
        ("", "0.025m", 1500),
        ("ttp:frameRate=\"24\"", "00:00:01:12", 1500),
        ("ttp:frameRate=\"24\"", "36f", 1500),
        ("ttp:tickRate=\"90000\"", "135000t", 1500),
        ("ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\"", "30f", 1001),
        ("ttp:frameRate=\"30\" ttp:subFrameRate=\"2\"", "00:00:01:15.0", 1500),
        (
            "ttp:timeBase=\"smpte\" ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\" ttp:dropMode=\"dropNTSC\"",
            "00:01:00:02",
            60_060,
        ),
    ] {
        let body = format!("<body><div><p begin=\"{begin}\" end=\"01:00:00\">x</p></div></body>");
        assert_eq!(shown(root, &body)[0].0, ms, "{root} {begin}");
    }
}

#[test]
fn containers_run_side_by_side_or_one_after_the_other() {
    let par = "<body begin=\"1s\"><div begin=\"1s\" end=\"5s\"><p begin=\"1s\" dur=\"1s\">a</p><p>b</p></div></body>";
    assert_eq!(shown("", par), [one(2000, 6000, "b"), one(3000, 4000, "a")]);
    let seq = "<body><div timeContainer=\"seq\" dur=\"4s\"><p dur=\"1s\">a</p><p begin=\"1s\" dur=\"1s\">b</p><p>c</p></div></body>";
    assert_eq!(shown("", seq), [one(0, 1000, "a"), one(2000, 3000, "b"), one(3000, 4000, "c")]);
}

#[test]
fn timed_words_cut_a_paragraph_into_cues() {
    let body = "<body><div><p begin=\"1s\" end=\"4s\">One <span begin=\"1s\">two</span> <span begin=\"2s\">three</span></p></div></body>";
    assert_eq!(
        shown("", body),
        [one(1000, 2000, "One"), one(2000, 3000, "One two"), one(3000, 4000, "One two three")]
    );
}

#[test]
fn white_space_is_kept_only_where_the_document_says_so() {
    let body = "<body><div><p begin=\"0s\" end=\"1s\">\n  a\n  <span>b</span>  <br/>\n  c </p><p begin=\"1s\" end=\"2s\" xml:space=\"preserve\">a  b</p></div></body>";
    assert_eq!(shown("", body), [one(0, 1000, "a b\nc"), one(1000, 2000, "a  b")]);
}

#[test]
fn styles_are_inherited_and_regions_have_times() {
    let body = "<head><styling><style xml:id=\"s\" tts:fontStyle=\"italic\"/></styling><layout><region xml:id=\"r\" begin=\"2s\" tts:displayAlign=\"before\" tts:color=\"#ff0000\"/></layout></head>\
        <body style=\"s\"><div region=\"r\"><p begin=\"1s\" end=\"4s\">x<span tts:fontStyle=\"normal\">y</span></p></div></body>";
    let read = parse(&document("", body)).unwrap();
    let cue = &read.cues[0];
    assert_eq!((cue.start, cue.end, cue.place), (2000, 4000, Some(8)));
    assert!(cue.runs[0].style.italic && !cue.runs[1].style.italic);
    assert_eq!(cue.runs[0].style.colour, Some([255, 0, 0]));
}

#[test]
fn a_round_trip_loses_nothing() {
    let body = "<head><metadata><x:y xmlns:x=\"urn:x\">z</x:y></metadata></head><body><?pi it?><div><p begin=\"1s\" end=\"2s\">a &amp; b &lt;<!-- c --></p></div></body>";
    let read = parse(&document("ttp:cellResolution=\"40 24\"", body)).unwrap();
    let again = parse(&write(&read)).unwrap();
    assert_eq!(read, again);
    assert!(write(&read).contains("made here"));
}

#[test]
fn moving_changes_times_alone() {
    let body = "<head><layout><region xml:id=\"r\" begin=\"1s\"/></layout></head><body><div begin=\"2s\" region=\"r\"><p begin=\"1s\" dur=\"1s\">a</p></div></body>";
    let read = parse(&document("", body)).unwrap();
    for (offset, start) in [(500, 3500), (-2500, 500)] {
        let tree = moved(read.tree.as_ref().unwrap(), TimeMap::shift(offset)).unwrap();
        let again = parse(&tree.write()).unwrap();
        assert_eq!((again.cues[0].start, again.cues[0].end), (start, start + 1000), "{}", tree.write());
        assert!(tree.write().contains("region"));
    }
}

#[test]
fn damage_is_an_error_that_says_where() {
    for bad in ["<tt><body>", "<html/>", "<tt>&undefined;</tt>", "<tt a='1' a='2'/>", "<a></b>"] {
        assert!(parse(bad).is_err(), "{bad}");
    }
    let deep = format!("<tt>{}", "<div>".repeat(10_000));
    assert!(parse(&deep).is_err());
}
