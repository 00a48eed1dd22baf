//! The columns of the list of calls, which its address names.

use maud::{Markup, html};
use toolgate_core::event::Outcome;

use crate::pages::counted;
use crate::pages::filters::PageFilters;

const COLUMN: &str = "column";

/// A column beside the tool, which always stands first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CallColumn {
    State,
    Policy,
    Principal,
    Server,
    Where,
    Approval,
    Error,
    Started,
    Ended,
    Duration,
}

impl CallColumn {
    const ALL: [CallColumn; 10] = [
        CallColumn::State,
        CallColumn::Policy,
        CallColumn::Principal,
        CallColumn::Server,
        CallColumn::Where,
        CallColumn::Approval,
        CallColumn::Error,
        CallColumn::Started,
        CallColumn::Ended,
        CallColumn::Duration,
    ];
    /// Without a choice.
    const USUAL: [CallColumn; 6] = [
        CallColumn::State,
        CallColumn::Policy,
        CallColumn::Principal,
        CallColumn::Where,
        CallColumn::Started,
        CallColumn::Duration,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            CallColumn::State => "State",
            CallColumn::Policy => "Policy",
            CallColumn::Principal => "Principal",
            CallColumn::Server => "Server",
            CallColumn::Where => "Run or session",
            CallColumn::Approval => "Approval",
            CallColumn::Error => "Error",
            CallColumn::Started => "Started",
            CallColumn::Ended => "Ended",
            CallColumn::Duration => "Duration",
        }
    }

    /// In addresses.
    fn word(self) -> String {
        self.name().to_lowercase().replace(' ', "_")
    }

    pub(super) fn is_number(self) -> bool {
        self == CallColumn::Duration
    }

    /// Always in the same order. A list with the usual failures shows why they failed.
    pub(super) fn chosen(wanted: &PageFilters) -> Vec<Self> {
        let named: Vec<&str> = wanted.all(COLUMN).collect();
        let is_failure = |word: &str| {
            let outcome = Outcome::parse(word);
            outcome.is_some_and(|one| counted::FAILED.contains(&one) || counted::REFUSED.contains(&one))
        };
        let failed = wanted.get("error").is_some()
            || wanted.get("outcome").is_some_and(|words| words.split(',').all(is_failure));
        let is_chosen = |column: &Self| match named.is_empty() {
            true => Self::USUAL.contains(column) || (failed && *column == CallColumn::Error),
            false => named.contains(&&*column.word()),
        };
        Self::ALL.into_iter().filter(is_chosen).collect()
    }
}

/// The form that chooses them.
pub(super) fn choice(wanted: &PageFilters) -> Markup {
    let chosen = CallColumn::chosen(wanted);
    html! {
        details.columns #columns {
            summary { "Columns" }
            form method="get" action="/console/calls" aria-label="Columns" {
                (wanted.hidden(&[COLUMN]))
                div.row {
                    @for column in CallColumn::ALL {
                        label.check {
                            input type="checkbox" name=(COLUMN) value=(column.word()) checked[chosen.contains(&column)];
                            span { (column.name()) }
                        }
                    }
                }
                div.row { button.button type="submit" { "Show these columns" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(pairs: &[(&str, &str)]) -> Vec<CallColumn> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        CallColumn::chosen(&PageFilters::of(pairs, &["outcome", COLUMN]))
    }

    #[test]
    fn columns_are_those_of_the_address_in_their_order() {
        assert_eq!(chosen(&[]), CallColumn::USUAL);
        for outcome in ["failed", "tool_error,unknown"] {
            assert!(chosen(&[("outcome", outcome)]).contains(&CallColumn::Error), "{outcome}");
        }
        assert_eq!(chosen(&[("outcome", "failed,succeeded")]), CallColumn::USUAL);
        let some = [("column", "duration"), ("column", "run_or_session"), ("column", "nothing")];
        assert_eq!(chosen(&some), [CallColumn::Where, CallColumn::Duration]);
    }
}
