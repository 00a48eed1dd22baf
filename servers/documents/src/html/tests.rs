//! Web pages, well-formed and not.

use crate::testing::read;
use crate::{Document, DocumentLimits, OpenOptions, open};

fn page(body: &str) -> Document {
    read(format!("<!doctype html><html><head><title>T</title></head><body>{body}</body></html>").as_bytes())
}

fn markdown(body: &str) -> String {
    page(body).markdown()
}

#[test]
fn headings_paragraphs_lists_and_code_are_read() {
    let body = "<h1>A  <em>b</em></h1>text\n after<p>one<p>two<br>three<ul><li>x<li>y<ol start=3 type=a><li>deep</ol></ul><pre>  let a = 1;\n\tb();</pre>";
    assert_eq!(
        markdown(body),
        "# A b\n\ntext after\n\none\n\ntwo\nthree\n\n- x\n- y\n   - c. deep\n\n```\n  let a = 1;\n\tb();\n```"
    );
}

#[test]
fn what_readers_do_not_see_is_left_out() {
    let body = "<script>if (a < b) document.write('<p>no</p>')</script><style>p { color: red }</style><p hidden>no</p>\
        <div style='display: NONE'>no<div>no</div></div><p aria-hidden=true>no</p><template>no</template><noscript>no</noscript>\
        <svg><title>no</title><text>no</text></svg><!-- no --><select><option>no</select>yes";
    assert_eq!(markdown(body), "yes");
}

#[test]
fn tables_have_headings_and_spans() {
    let body = "<table><caption>Ages</caption><thead><tr><th>Name<th>Age</thead><tr><td rowspan=2>Ann<td>30<tr><td>31<tr><td colspan=2>end</table>";
    assert_eq!(markdown(body), "Ages\n\n| Name | Age |\n| --- | --- |\n| Ann | 30 |\n|  | 31 |\n| end |  |");
    assert_eq!(page(body).tables().next().unwrap().header_rows, 1);
}

#[test]
fn a_table_for_placing_is_taken_apart() {
    let body = "<table><tr><td><h2>Left</h2><p>a</p></td><td><table><tr><td>k<td>1<tr><td>l<td>2</table></td></tr></table>";
    assert_eq!(markdown(body), "## Left\n\na\n\n|  |  |\n| --- | --- |\n| k | 1 |\n| l | 2 |");
}

#[test]
fn the_text_of_a_page_is_told_from_the_site_around_it() {
    let text = "A sentence of the article. ".repeat(20);
    let body = format!(
        "<header><h1>Title</h1>Log in</header><nav>Home</nav><main><p>{text}</p><aside>Kept</aside></main><footer>Imprint</footer>"
    );
    let document = page(&body);
    assert_eq!(document.text(), format!("Title\n\n{}\n\nKept", text.trim()));
    assert_eq!(document.warnings, ["the page's navigation and margins were left out"]);
    assert_eq!(markdown("<header>Only</header><footer>this</footer>"), "Only\n\nthis");
    assert_eq!(markdown("<nav>Only this</nav>"), "Only this");
}

#[test]
fn entities_links_and_facts_are_read() {
    let head = "<!doctype html><title>A &amp; B</title><meta name=author content='Ann'><meta name=generator content=G>";
    let document = read(format!("{head}<p>&lt;5&nbsp;&euro; &#x1F600; <a href='https://a.example/x'>there</a> <a href='/y'>here</a>").as_bytes());
    assert_eq!(document.text(), "<5 € 😀 there (https://a.example/x) here");
    assert_eq!(document.facts.title.as_deref(), Some("A & B"));
    assert_eq!(document.facts.author.as_deref(), Some("Ann"));
}

#[test]
fn the_encoding_is_what_the_page_says_or_what_it_looks_like() {
    let (shift_jis, _, _) =
        encoding_rs::SHIFT_JIS.encode("<!doctype html><meta charset=shift_jis><p>日本語の文章です");
    assert_eq!(read(&shift_jis).text(), "日本語の文章です");
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(
        "<html><meta http-equiv='Content-Type' content='text/html; charset=iso-8859-1'><p>Grüße – “quoted”",
    );
    assert_eq!(read(&latin).text(), "Grüße – “quoted”");
    let wide: Vec<u8> = "\u{feff}<html><p>wide".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&wide).text(), "wide");
}

#[test]
fn an_empty_element_of_xml_ends_at_once() {
    let page = r#"<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a"/></head><body><p>seen</p></body></html>"#;
    assert_eq!(read(page.as_bytes()).text(), "seen");
}

#[test]
fn deep_nesting_costs_no_more_than_its_length() {
    for tag in ["div", "b", "ul><li", "table><tr><td", "font color=a"] {
        let body = format!("<html>{}deep", format!("<{tag}>").repeat(20_000));
        let document = read(body.as_bytes());
        assert!(document.text().contains("deep"), "{tag}");
        assert!(document.warnings.iter().any(|warning| warning.contains("nested more than")), "{tag}");
    }
}

#[test]
fn a_tag_with_very_many_attributes_costs_no_more_than_its_length() {
    let attributes: String = (0..100_000).map(|at| format!(" a{at}=1")).collect();
    assert!(read(format!("<html><p{attributes}>seen").as_bytes()).text().ends_with("seen"));
}

#[test]
fn tables_of_absurd_spans_are_bounded() {
    let row = "<tr><td colspan=99999999 rowspan=65534>x</td><td colspan=1000 rowspan=1000>y</td></tr>"
        .repeat(2_000);
    let limits = DocumentLimits { cells_max: 100_000, ..DocumentLimits::default() };
    let options = OpenOptions { limits, ..OpenOptions::default() };
    let document = open(format!("<html><table>{row}</table>").as_bytes(), None, &options).unwrap();
    let cells: usize = document.tables().map(|table| table.rows.iter().map(Vec::len).sum::<usize>()).sum();
    assert!(cells <= 100_000, "{cells}");
    assert!(!document.warnings.is_empty());
}
