//! Seeds: small documents of every format, generated here.

mod office;
mod pdf;
mod pictures;
mod sounds;
mod videos;

pub(crate) use office::{docx, epub, odt, pptx, xlsx};
pub(crate) use pdf::{encrypted_looking, forms, plain, scanned};
pub(crate) use pictures::{gif, jpeg, png, tiff, webp};
pub(crate) use sounds::sounds;
pub(crate) use videos::{mkv, mp4, subtitles};

/// A web page that uses every supported element.
pub(crate) const HTML: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title><style>a{}</style></head><body>\
    <h1>One</h1><p>Some <b>bold</b> and <a href=\"https://example.com\">linked</a> words &amp; &#x1F600;</p>\
    <ul><li>a<ul><li>b</li></ul></li></ul><table><tr><th colspan=2>h</th></tr><tr><td>1</td><td>2</td></tr></table>\
    <pre>code</pre><script>x()</script></body></html>";

/// A text that uses all of Markdown.
pub(crate) const MARKDOWN: &str = "---\ntitle: T\n---\n# One\n\nSome **bold** and [linked](https://example.com) words.[^1]\n\n- a\n  - b\n\n1. c\n\n\
    | h | i |\n|---|--:|\n| 1 | 2 |\n\n> quote\n\n```rust\nfn main() {}\n```\n\n![p](x.png)\n\n[^1]: A note.\n";

/// A post with everything that is looked for.
pub(crate) const POST: &str = "Breaking: The Five Kids Who Said NOTHING (Really)! Clinically proven: 95% agree, 3 times faster. The best.\n\
    Shop now https://example.com/a?b=c #Fun #back-to-school #2024 … “quoted” — ‘don’t’ 😀";

/// Letters of many scripts, and sequences that break programs that count them.
pub(crate) const TEXT: &str = "Ann Example\nann@example.com, +44 20 7946 0018\n\nExperience\nEngineer, Acme, Jan 2019 – present\n• built a thing\n\n\
    שלום עולם مرحبا بالعالم 日本語のテキスト。 e\u{301}\u{202e}abc\u{202c} 👩‍👩‍👧 ﷽ €1,234.56 2024-02-30 50 % DE89370400440532013000\r\nend";

/// An advertisement with every field.
pub(crate) const JOB: &str = "# Senior Nurse (m/f/d)\nAcme Ltd · Berlin, Germany · Full-time\n\nPay: €45,000 – 55.000,50 € per year, 37,5 hours per week, hybrid.\n\n\
    Requirements:\n- 5+ years of experience with Python, SQL and (some) Rust\n* Führerschein\n\nNice to have: a; b. We offer: bonus of $2k.\n\n\
    Apply by 31/12/2026 at https://acme.example/jobs?id=1 or jobs@acme.example. Remote within the EU. 応募 שלום\n";

/// The same as the data of a page.
pub(crate) const JOB_PAGE: &str = "<!doctype html><html><head><script type=\"application/ld+json\">{\"@graph\":[{\"@type\":[\"JobPosting\"],\"title\":\"Cook\",\
    \"hiringOrganization\":{\"name\":\"Acme\"},\"description\":\"&lt;p&gt;Requirements&lt;/p&gt;<ul><li>a</li></ul>\",\"jobLocation\":[{\"address\":{\"addressLocality\":\"Rome\"}}],\
    \"baseSalary\":{\"currency\":\"EUR\",\"value\":{\"minValue\":\"1,000\",\"unitText\":\"MONTH\"}},\"datePosted\":\"2026-01-02T00:00\"}]}</script></head><body><h1>Cook</h1></body></html>";

/// A feed of postings: a list, an `ItemList` and a graph in one.
pub(crate) const FEED: &str = "[{\"@type\":\"ItemList\",\"itemListElement\":[{\"@type\":\"ListItem\",\"item\":{\"@type\":\"JobPosting\",\"title\":\"Cook\",\
    \"hiringOrganization\":{\"name\":\"Acme\"},\"url\":\"https://acme.example/jobs/1?utm_source=x\",\"identifier\":{\"value\":7},\"validThrough\":\"2027-01-02\",\
    \"jobLocation\":[{\"address\":{\"addressLocality\":\"Rome\",\"addressCountry\":{\"name\":\"IT\"}}}],\"description\":\"a\\u0000b\"}}]},\
    {\"@graph\":[{\"@type\":[\"https://schema.org/JobPosting\"],\"name\":[\"Baker\"],\"company\":\"Ovens\",\"jobLocationType\":\"TELECOMMUTE\"}]}]";

/// A file that fills a database of applications.
pub(crate) const SEED_FILE: &str = "{\"users\":[{\"id\":\"ada\",\"profile\":{\"name\":\"Ada\"},\"credentials\":[{\"site\":\"https://acme.example\",\"handle\":\"cred_1\"}]}],\
    \"jobs\":[{\"title\":\"Cook\",\"company\":\"Acme\",\"url\":\"https://acme.example/jobs/1\",\"for\":[\"ada\"]}]}";

/// The same in other encodings.
pub(crate) fn texts() -> Vec<Vec<u8>> {
    let wide: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin = b"Caf\xe9 \x93quoted\x94 na\xefve \x80 100".to_vec();
    let japanese = b"\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67".to_vec();
    vec![TEXT.into(), [&[0xff, 0xfe][..], &wide].concat(), latin, japanese, Vec::new()]
}
