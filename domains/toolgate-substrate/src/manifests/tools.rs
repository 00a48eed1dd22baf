//! The tools over manifests.

mod checkout;
mod create;
mod diff;
mod history;
mod merge;
mod output;
mod prove;

use toolgate_domain::Domain;

use crate::state::Substrate;

pub(crate) fn tools(domain: Domain<Substrate>) -> Domain<Substrate> {
    domain
        .tool(create::CREATE, create::create)
        .tool(checkout::CHECKOUT, checkout::checkout)
        .tool(history::HISTORY, history::history)
        .tool(diff::DIFF, diff::diff)
        .tool(merge::MERGE, merge::merge)
        .tool(prove::PROVE, prove::prove)
}
