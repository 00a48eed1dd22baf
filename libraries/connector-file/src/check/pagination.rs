//! Kinds of pages, each with what it needs and nothing that it does not read.

use super::basics::{Checked, must, pointer};
use crate::form::{PageWord, PaginationForm};
use crate::pages::PAGES_MAX;
use crate::words::{Marked, RequestPlace};

pub(super) fn check(text: &str, name: &Marked, form: &PaginationForm) -> Checked {
    let (needs, says) = match form.kind.get_ref() {
        PageWord::Cursor => (
            form.next.is_some()
                && form.parameter.is_some()
                && form.parameters.is_empty()
                && form.first.is_none(),
            "`cursor` needs `next` and `parameter`, and takes `more`",
        ),
        PageWord::Link => (
            !form.parameters.is_empty()
                && form.parameter.is_none()
                && form.next.is_none()
                && form.first.is_none(),
            "`link` needs `parameters`: those of the next address that are taken",
        ),
        PageWord::Offset | PageWord::Page => (
            form.parameter.is_some()
                && form.parameters.is_empty()
                && form.next.is_none()
                && form.more.is_none(),
            "`offset` and `page` need `parameter`, and take `first`",
        ),
    };
    must(needs, text, &form.kind, says)?;
    must(form.size.is_none() || form.size != Some(0), text, name, "`size` is at least 1")?;
    must(
        form.size.is_some() == form.size_parameter.is_some(),
        text,
        name,
        "`size` and `size_parameter` go together",
    )?;
    if let Some(place) = &form.place {
        let fits = matches!(place.get_ref(), RequestPlace::Query | RequestPlace::Body | RequestPlace::Form);
        must(fits, text, place, "`place` is `query`, `body` or `form`")?;
    }
    if let Some(pages) = &form.pages_max {
        let fits = (1..=PAGES_MAX).contains(pages.get_ref());
        must(fits, text, pages, &format!("`pages_max` is 1 to {PAGES_MAX}"))?;
    }
    [&form.next, &form.more].into_iter().flatten().try_for_each(|one| pointer(text, one))
}
