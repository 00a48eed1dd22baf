//! Colours and pages.

use super::check;
use super::contrast::{color, ratio};

#[test]
fn contrast_is_that_of_wcag() {
    assert!((ratio([0, 0, 0], [255, 255, 255]) - 21.0).abs() < 0.01);
    assert!((ratio([119, 119, 119], [255, 255, 255]) - 4.48).abs() < 0.01);
    assert_eq!(color("#abc"), Some([0xaa, 0xbb, 0xcc]));
    assert_eq!(color("rgb(1, 2, 3)"), Some([1, 2, 3]));
    assert_eq!(color("var(--x)"), None);
}

#[test]
fn the_heavier_selector_decides_and_large_text_needs_less() {
    let page = |style: &str, body: &str| {
        let html = format!("<html lang=en><title>t</title><style>{style}</style><main>{body}</main>");
        check(&html).iter().any(|it| it.rule == "wcag 1.4.3")
    };
    assert!(page("p { color: #999 }", "<p>x</p>"));
    assert!(!page("p { color: #999 } p.a { color: #000 }", "<p class=a>x</p>"));
    assert!(!page("h1 { color: #888 }", "<h1>x</h1>"));
    assert!(!page("p { color: #999; background-image: url(a.png) }", "<p>x</p>"));
}

#[test]
fn odd_pages_do_no_harm() {
    for html in [
        "<",
        "<table><td><table>",
        "<style>@media {",
        "<p style=':;:'>x",
        "<svg><template><a href></template>",
    ] {
        check(html);
    }
}
