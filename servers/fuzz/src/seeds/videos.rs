//! Subtitles in every format, and small videos with a text track.

/// One document in each format.
pub(crate) fn subtitles() -> Vec<Vec<u8>> {
    let texts = [
        "1\n00:00:01,000 --> 00:00:02,500\n{\\an8}<i>One</i> & <font color=\"#ff0000\">two</font>\n\n2\n00:00:03,000 --> 00:00:04,000\nthree\n\n",
        "WEBVTT\nLanguage: en\n\nSTYLE\n::cue { color: red }\n\nid\n00:01.000 --> 00:02.000 line:0 align:end\n<v Ann>Hi <b>you</b> <00:00:01.500>&amp;</v>\n",
        "[Script Info]\nTitle: T\n\n[V4+ Styles]\nFormat: Name\nStyle: Default\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:01.00,0:00:02.50,Default,Ann,0,0,0,,{\\an8\\i1\\c&H0000FF&}One\\Ntwo\n",
        "0:00:01.000,0:00:02.000\none\n\n0:00:03.000,0:00:04.000\ntwo[br]three\n",
        "<?xml version=\"1.0\"?><tt xmlns=\"http://www.w3.org/ns/ttml\" xmlns:ttp=\"http://www.w3.org/ns/ttml#parameter\" xmlns:tts=\"http://www.w3.org/ns/ttml#styling\" xml:lang=\"en\" ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\" ttp:tickRate=\"90000\">\
         <head><styling><style xml:id=\"s\" tts:fontStyle=\"italic\"/></styling><layout><region xml:id=\"r\" begin=\"1s\" tts:displayAlign=\"before\"/></layout></head>\
         <body region=\"r\"><div timeContainer=\"seq\" dur=\"20s\"><p style=\"s\" dur=\"00:00:05:12\">a<br/>b <span begin=\"30f\">c</span></p><p begin=\"90000t\">d</p></div></body></tt>",
    ];
    texts.into_iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// One sample of timed text, before the index.
pub(crate) fn mp4() -> Vec<u8> {
    let head = boxed(b"ftyp", b"isom\0\0\0\0");
    let sample = [&[0, 3][..], b"one"].concat();
    let at = head.len() as u32 + 8;
    let stsd = boxed(b"stsd", &[words(&[0, 1]), boxed(b"tx3g", &[0; 8])].concat());
    let stts = boxed(b"stts", &words(&[0, 1, 1, 600]));
    let stsz = boxed(b"stsz", &words(&[0, 0, 1, sample.len() as u32]));
    let stsc = boxed(b"stsc", &words(&[0, 1, 1, 1, 1]));
    let stco = boxed(b"stco", &words(&[0, 1, at]));
    let stbl = boxed(b"stbl", &[stsd, stts, stsz, stsc, stco].concat());
    let mdhd = boxed(b"mdhd", &words(&[0, 0, 0, 600, 0, 0x15c7_0000]));
    let hdlr = boxed(b"hdlr", &[words(&[0, 0]), b"sbtl".to_vec(), vec![0; 13]].concat());
    let mdia = boxed(b"mdia", &[mdhd, hdlr, boxed(b"minf", &stbl)].concat());
    let tkhd = boxed(b"tkhd", &words(&[0, 0, 0, 1, 0]));
    let moov = boxed(b"moov", &boxed(b"trak", &[tkhd, mdia].concat()));
    [head, boxed(b"mdat", &sample), moov].concat()
}

fn ebml(id: &[u8], content: &[u8]) -> Vec<u8> {
    [id, &(content.len() as u64 | 1 << 56).to_be_bytes(), content].concat()
}

pub(crate) fn mkv() -> Vec<u8> {
    let head = ebml(&[0x1a, 0x45, 0xdf, 0xa3], &ebml(&[0x42, 0x82], b"matroska"));
    let entry = [ebml(&[0xd7], &[1]), ebml(&[0x83], &[0x11]), ebml(&[0x86], b"S_TEXT/UTF8")].concat();
    let tracks = ebml(&[0x16, 0x54, 0xae, 0x6b], &ebml(&[0xae], &entry));
    let group = ebml(&[0xa0], &[ebml(&[0xa1], b"\x81\0\0\0one"), ebml(&[0x9b], &[1, 0xf4])].concat());
    let cluster = ebml(&[0x1f, 0x43, 0xb6, 0x75], &[ebml(&[0xe7], &[0]), group].concat());
    [head, ebml(&[0x18, 0x53, 0x80, 0x67], &[tracks, cluster].concat())].concat()
}
