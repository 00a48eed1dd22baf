//! Pictures beside what they belong to: only of types that cannot act, and no large ones. Everything else stays a link.

use maud::{Markup, html};

use super::text;
use crate::address::PageAddress;

/// Larger pictures are not loaded unless somebody opens their page.
const BYTES_MAX: u64 = 4 << 20;
/// Pictures without active content. SVG is a document with scripts.
const TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// True if content of this type and size is shown by itself.
pub(crate) fn is_shown(media_type: &str, size: u64) -> bool {
    TYPES.contains(&media_type) && size <= BYTES_MAX
}

/// A picture of limited height. `alt` says what it is to those who do not see it.
pub(crate) fn of(bytes: &PageAddress, alt: &str) -> Markup {
    html! { img.preview src=(bytes) alt=(text::made_visible(alt)) loading="lazy"; }
}

/// The picture that a ref stands for, as a link to the page of the ref.
pub(crate) fn of_ref(id: &str, alt: &str) -> Markup {
    let page = PageAddress::of(["console", "refs", id]);
    html! { a href=(page) { (of(&PageAddress::of(["console", "refs", id, "content"]), alt)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_that_cannot_act_are_shown_by_themselves() {
        for shown in TYPES {
            assert!(is_shown(shown, 10), "{shown}");
        }
        for other in ["image/svg+xml", "text/html", "application/pdf", "image/png; charset=utf-8", ""] {
            assert!(!is_shown(other, 10), "{other}");
        }
        assert!(!is_shown("image/png", BYTES_MAX + 1));
    }

    #[test]
    fn a_picture_is_named_for_those_who_do_not_see_it() {
        let shown = of_ref("ref_1", "\"><script>").into_string();
        assert!(shown.contains("src=\"/console/refs/ref_1/content\""), "{shown}");
        assert!(shown.contains("alt=") && !shown.contains("<script>"), "{shown}");
    }
}
