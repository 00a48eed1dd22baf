//! Forms that filter a list. Their values are in the address, so that it can be bookmarked and shared.

use maud::{Markup, html};

use crate::address::PageAddress;
use crate::parts::text;
use crate::problem::ApiProblem;

const CURSOR: &str = "cursor";
/// May be repeated: a column of the list.
const COLUMN: &str = "column";
/// The length of a browser's value for a time: 2026-08-01T12:34, with or without seconds, and without a zone.
const MINUTE_CHARS: usize = 16;
const SECOND_CHARS: usize = 19;

/// The filters that a page knows and the user filled in.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageFilters {
    filters: Vec<(&'static str, String)>,
    cursor: Option<String>,
}

impl PageFilters {
    /// Other parameters and blank values are omitted.
    pub(crate) fn of(pairs: Vec<(String, String)>, known: &[&'static str]) -> Self {
        let mut wanted = Self::default();
        for (name, value) in pairs {
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            if name == CURSOR {
                wanted.cursor = Some(value.to_owned());
            } else if let Some(name) = known.iter().find(|known| **known == name)
                && (*name == COLUMN || wanted.get(name).is_none())
            {
                wanted.filters.push((name, value.to_owned()));
            }
        }
        wanted
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.filters.iter().find(|(one, _)| *one == name).map(|(_, value)| value.as_str())
    }

    /// All values of a name that may be repeated.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.filters.iter().filter(move |(one, _)| *one == name).map(|(_, value)| value.as_str())
    }

    /// The same with another value, or without one; from the first page.
    #[must_use]
    pub(crate) fn but(&self, name: &'static str, value: Option<&str>) -> Self {
        let mut filters: Vec<_> = self.filters.iter().filter(|(one, _)| *one != name).cloned().collect();
        filters.extend(value.map(|value| (name, value.to_owned())));
        Self { filters, cursor: None }
    }

    /// The same page, since a moment.
    #[must_use]
    pub(crate) fn with_start(&self, moment: &str) -> Self {
        Self { cursor: self.cursor.clone(), ..self.but("from", Some(moment)) }
    }

    /// The same page without a filter.
    #[must_use]
    pub(crate) fn without(&self, name: &'static str) -> Self {
        Self { cursor: self.cursor.clone(), ..self.but(name, None) }
    }

    pub(crate) fn is_first_page(&self) -> bool {
        self.cursor.is_none()
    }

    /// The filters as hidden fields, except those that the form has itself.
    pub(crate) fn hidden(&self, except: &[&str]) -> Markup {
        html! {
            @for (name, value) in self.filters.iter().filter(|(name, _)| !except.contains(name)) {
                input type="hidden" name=(name) value=(value);
            }
        }
    }

    /// True if nothing was filled in.
    pub(crate) fn is_anything(&self) -> bool {
        self.filters.is_empty() && self.cursor.is_none()
    }

    /// The same filters at another address.
    pub(crate) fn on(&self, address: PageAddress) -> PageAddress {
        self.filters.iter().fold(address, |address, (name, value)| address.with(name, value))
    }

    /// The same for the API, from the end of the previous page.
    pub(crate) fn asking(&self, address: PageAddress, limit: usize) -> PageAddress {
        self.for_api(address).maybe(CURSOR, self.cursor.as_deref()).with("limit", limit)
    }

    pub(crate) fn for_api(&self, address: PageAddress) -> PageAddress {
        self.filters.iter().fold(address, |address, (name, value)| match *name {
            "from" | "until" => address.with(name, with_zone(value)),
            // The page's own.
            COLUMN => address,
            name => address.with(name, value),
        })
    }
}

/// A time in a field is meant in UTC.
pub(crate) fn with_zone(value: &str) -> String {
    match value.len() {
        MINUTE_CHARS if value.contains('T') => format!("{value}:00Z"),
        SECOND_CHARS if value.contains('T') => format!("{value}Z"),
        _ => value.to_owned(),
    }
}

/// As a field for times shows it.
fn without_zone(value: &str) -> &str {
    value.strip_suffix('Z').filter(|rest| rest.len() == SECOND_CHARS).unwrap_or(value)
}

pub(crate) fn text(wanted: &PageFilters, name: &'static str, label: &str, example: &str) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            input type="text" id=(name) name=(name) value=[wanted.get(name)] placeholder=[(!example.is_empty()).then_some(example)]
                autocomplete="off" spellcheck="false" data-search[name == "tool"];
        }
    }
}

pub(crate) fn choice(wanted: &PageFilters, name: &'static str, label: &str, words: &[&str]) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                option value="" { "any" }
                @for word in words { option value=(word) selected[wanted.get(name) == Some(word)] { (word.replace('_', " ")) } }
                @if let Some(odd) = wanted.get(name).filter(|odd| !words.contains(odd)) { option value=(odd) selected { (text::made_visible(&odd.replace('_', " ").replace(',', ", "))) } }
            }
        }
    }
}

pub(crate) fn moment(wanted: &PageFilters, name: &'static str, label: &str) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            input type="datetime-local" step="1" id=(name) name=(name) value=[wanted.get(name).map(without_zone)];
        }
    }
}

/// Less important filters, collapsed unless one of them is set.
pub(crate) fn more(wanted: &PageFilters, names: &[&str], fields: Markup) -> Markup {
    html! {
        details.more-filters #more-filters open[names.iter().any(|name| wanted.get(name).is_some())] {
            summary { "More filters" }
            div.filters.two { (fields) }
        }
    }
}

pub(crate) fn buttons(wanted: &PageFilters, all: &str) -> Markup {
    html! {
        div.row {
            button.button.primary type="submit" { "Filter" }
            @if !wanted.is_anything() { a.button href=(all) { "Show all" } }
        }
    }
}

/// The error in the filters, above them.
pub(crate) fn refused(problem: Option<&ApiProblem>) -> Markup {
    html! {
        @if let Some(problem) = problem {
            p.error role="alert" {
                (text::long(&problem.detail))
                @if let Some(hint) = &problem.hint { br; strong { "Hint: " } (text::long(hint)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(pairs: &[(&str, &str)]) -> PageFilters {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        PageFilters::of(pairs, &["tool", "from", "until"])
    }

    #[test]
    fn an_address_keeps_what_was_filled_in_and_nothing_else() {
        let wanted =
            wanted(&[("tool", " a:b "), ("from", ""), ("said", "saved"), ("tool", "c"), ("cursor", "7")]);
        assert_eq!(wanted.on(PageAddress::of(["console", "calls"])).as_str(), "/console/calls?tool=a%3Ab");
        assert_eq!(
            wanted.asking(PageAddress::of(["calls"]), 5).as_str(),
            "/calls?tool=a%3Ab&cursor=7&limit=5"
        );
    }

    #[test]
    fn moments_of_a_field_are_in_utc() {
        let asked = wanted(&[("from", "2026-08-01T12:34"), ("until", "2026-08-01T12:34:56")]);
        let address = asked.for_api(PageAddress::of(["calls"]));
        assert_eq!(address.as_str(), "/calls?from=2026-08-01T12%3A34%3A00Z&until=2026-08-01T12%3A34%3A56Z");
        for other in ["1785585600000", "2026-08-01T12:34:56Z", "2026-08-01T12:34:56+02:00", "soon"] {
            assert_eq!(with_zone(other), other);
        }
    }
}
