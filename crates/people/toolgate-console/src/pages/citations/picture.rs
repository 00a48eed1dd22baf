//! The page as a picture with boxes over the cited lines. Boxes are parts of an SVG, since pages have no styles of their own.

use maud::{Markup, html};

use super::data::{CitedBoxData, CitedPageData};
use crate::address::PageAddress;

/// Points around a line, so that its letters stay free.
const MARGIN: f32 = 1.5;

pub(super) fn marked(artifact: &str, page: &CitedPageData) -> Markup {
    let number = page.page.to_string();
    let bytes = PageAddress::of(["console", "artifacts", artifact, "pages", &number]);
    let (width, height) = (page.width.max(1.0), page.height.max(1.0));
    html! {
        h3 { "Page " (number) }
        svg.cited-page role="img" viewBox=(format!("0 0 {width:.2} {height:.2}"))
            aria-label=(format!("Page {number} with the passage marked")) {
            image href=(bytes) width=(format!("{width:.2}")) height=(format!("{height:.2}")) {}
            @for one in &page.boxes { (cited_box(one)) }
        }
    }
}

fn cited_box(one: &CitedBoxData) -> Markup {
    let (left, top) = (one.left - MARGIN, one.top - MARGIN);
    let width = (one.right - one.left).max(0.0) + 2.0 * MARGIN;
    let height = (one.bottom - one.top).max(0.0) + 2.0 * MARGIN;
    html! {
        rect.cited x=(format!("{left:.2}")) y=(format!("{top:.2}")) width=(format!("{width:.2}")) height=(format!("{height:.2}")) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_lie_over_the_picture_of_their_page() {
        let boxes = vec![CitedBoxData { left: 72.0, top: 100.0, right: 200.0, bottom: 112.0 }];
        let page = CitedPageData { page: 3, width: 595.0, height: 842.0, boxes };
        let shown = marked("sha256:ab\"><script>", &page).into_string();
        assert!(shown.contains("viewBox=\"0 0 595.00 842.00\""), "{shown}");
        assert!(shown.contains("x=\"70.50\" y=\"98.50\" width=\"131.00\" height=\"15.00\""), "{shown}");
        assert!(shown.contains("/pages/3\"") && !shown.contains("<script"), "{shown}");
        assert!(!shown.contains("style="), "pages have no styles of their own");
    }
}
