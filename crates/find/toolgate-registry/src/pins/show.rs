//! The agents' view of a server: the pinned definitions of served tools, and the reasons why the others are
//! missing.

use std::collections::HashSet;

use toolgate_catalog::{WithheldReason, WithheldTool};
use toolgate_core::RawJson;
use toolgate_core::registry::{ToolRow, ToolStatus};

use super::rows::ToolRows;
use super::{ToolOffer, reason};

const NOT_RECORDED: &str = "it is new and has not been recorded yet";

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct ShownTools {
    pub(crate) tools: Vec<RawJson>,
    pub(crate) withheld: Vec<WithheldTool>,
}

/// By the current rows. Definitions that they do not cover are not shown: while the store is down, an
/// unpinned definition waits.
pub(crate) fn show(rows: &ToolRows, offers: &[ToolOffer]) -> ShownTools {
    let mut shown = ShownTools::default();
    for offer in offers {
        let row = rows.get(&offer.own);
        match row.and_then(|row| servable(row, offer)) {
            Some(pinned) => shown.tools.push(pinned.clone()),
            None => shown.withheld.push(withheld(&offer.own, row)),
        }
    }
    let offered: HashSet<&str> = offers.iter().map(|offer| &*offer.own).collect();
    let absent = rows.values().filter(|row| !offered.contains(&*row.own));
    shown.withheld.extend(absent.map(absentee));
    shown
}

/// The tools of a disabled server: none of them is served.
pub(crate) fn disabled(rows: &ToolRows, why: Option<&str>) -> Vec<WithheldTool> {
    let reason = match why {
        Some(why) => format!("{}: {why}", reason::DISABLED),
        None => reason::DISABLED.to_owned(),
    };
    let hidden = |row: &ToolRow| match row.status {
        ToolStatus::Retired => absentee(row),
        _ => WithheldTool { own: row.own.to_string(), why: WithheldReason::Disabled, reason: reason.clone() },
    };
    rows.values().map(hidden).collect()
}

fn servable<'r>(row: &'r ToolRow, offer: &ToolOffer) -> Option<&'r RawJson> {
    let serves = row.status.is_served() && !offer.twice && offer.has(row.pinned.version);
    serves.then_some(&row.pinned.json)
}

/// It is offered and not shown.
fn withheld(own: &str, row: Option<&ToolRow>) -> WithheldTool {
    let reason = match row {
        None => NOT_RECORDED,
        // It is known to have changed, and that could not be written yet.
        Some(row) if row.status.is_served() => reason::CHANGED,
        // Another gateway has read it later.
        Some(row) if row.status == ToolStatus::Retired => return absentee(row),
        Some(row) => row.reason.as_deref().unwrap_or(reason::CHANGED),
    };
    WithheldTool { own: own.to_owned(), why: WithheldReason::Quarantined, reason: reason.to_owned() }
}

/// It is known and not offered.
fn absentee(row: &ToolRow) -> WithheldTool {
    match row.status {
        ToolStatus::Quarantined => withheld(&row.own, Some(row)),
        _ => WithheldTool {
            own: row.own.to_string(),
            why: WithheldReason::Retired,
            reason: reason::GONE.to_owned(),
        },
    }
}
