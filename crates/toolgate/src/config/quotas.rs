//! `[[quotas]]`: how much one principal or one agent may have.

use std::ops::RangeInclusive;

use toolgate_edge::{QuotaRule, QuotaSubject};
use wildmatch::WildMatch;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, SecondsRange};

pub(super) const KEYS: &[&str] = &[
    "principal",
    "agent",
    "calls_max",
    "waiting_max",
    "wait_seconds",
    "rate",
    "calls_per_day",
    "spend_per_day",
    "streams_max",
    "sessions_max",
    "approvals_max",
    "stored_bytes_max",
];

const FEW: RangeInclusive<usize> = 1..=1_000_000;
const SOME: RangeInclusive<usize> = 0..=1_000_000;
const CALLS_PER_DAY: RangeInclusive<usize> = 0..=1_000_000_000_000;
const BYTES: RangeInclusive<usize> = 0..=1 << 50;

pub(super) fn read(mut section: ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<QuotaRule> {
    section.rename("a `[[quotas]]` table".into());
    section.refuse_unknown_keys(KEYS, &[], problems);
    let who = who(&section, problems);
    let mut count = |key, within| section.count(key, within, problems);
    let rule = QuotaRule {
        calls_max: count("calls_max", FEW),
        waiting_max: count("waiting_max", SOME),
        streams_max: count("streams_max", SOME),
        sessions_max: count("sessions_max", FEW),
        approvals_max: count("approvals_max", SOME),
        calls_per_day: count("calls_per_day", CALLS_PER_DAY).map(|calls| calls as u64),
        spend_per_day_micros: section.money_micros("spend_per_day", problems),
        wait: section.seconds("wait_seconds", SecondsRange::ZeroOrMore, problems),
        rate: section.rate("rate", problems),
        stored_bytes_max: section.bytes("stored_bytes_max", BYTES, problems).map(|bytes| bytes as u64),
        ..QuotaRule::about(who?)
    };
    refuse_what_agents_do_not_have(&rule, &section, problems);
    refuse_what_principals_do_not_have(&rule, &section, problems);
    Some(rule)
}

fn who(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<QuotaSubject> {
    let principal = section.string("principal", problems);
    let agent = section.string("agent", problems);
    match (principal, agent) {
        (Some(principal), None) => Some(QuotaSubject::Principals(WildMatch::new(principal.value))),
        (None, Some(agent)) => Some(QuotaSubject::Agents(WildMatch::new(agent.value))),
        (Some(_), Some(agent)) => {
            let what = "a `[[quotas]]` table has both `principal` and `agent`";
            problems.add(agent.span, what, "one of them", "make one table for each");
            None
        }
        (None, None) => {
            if section.key_span("principal").is_none() && section.key_span("agent").is_none() {
                let what = "a `[[quotas]]` table has neither `principal` nor `agent`";
                let expected = "whom it is about, by name; `*` stands for any characters";
                let hint = "`principal = \"*\"` is about every principal by itself";
                problems.add(section.span.clone(), what, expected, hint);
            }
            None
        }
    }
}

/// Sessions, streams, approvals and files belong to principals.
fn refuse_what_agents_do_not_have(
    rule: &QuotaRule,
    section: &ConfigSection<'_>,
    problems: &mut ConfigProblems,
) {
    if matches!(rule.who, QuotaSubject::Principals(_)) {
        return;
    }
    for key in ["streams_max", "sessions_max", "approvals_max", "stored_bytes_max"] {
        if let Some(span) = section.key_span(key) {
            let what = format!("`{key}` is not for agents");
            let expected =
                "`calls_max`, `waiting_max`, `wait_seconds`, `rate`, `calls_per_day` or `spend_per_day`";
            problems.add(span, what, expected, "put it into a table with `principal`");
        }
    }
}

/// The cost of models is summed up by agent.
fn refuse_what_principals_do_not_have(
    rule: &QuotaRule,
    section: &ConfigSection<'_>,
    problems: &mut ConfigProblems,
) {
    if matches!(rule.who, QuotaSubject::Principals(_))
        && let Some(span) = section.key_span("spend_per_day")
    {
        let what = "`spend_per_day` is not for principals";
        problems.add(span, what, "a table with `agent`", "`agent = \"*\"` limits every agent by itself");
    }
}

#[cfg(test)]
mod tests {
    use crate::config::tests::{accepted, refused};

    #[test]
    fn spending_is_an_amount_of_money_for_an_agent() {
        let limit = |text: &str| {
            let config = accepted(&format!("[[quotas]]\nagent = \"writer\"\nspend_per_day = {text}\n"));
            config.quotas[0].spend_per_day_micros
        };
        assert_eq!((limit("5"), limit("0.25"), limit("0")), (Some(5_000_000), Some(250_000), Some(0)));
        for text in ["-1", "\"5\"", "nan", "1e12"] {
            let said = refused(&format!("[[quotas]]\nagent = \"writer\"\nspend_per_day = {text}\n"));
            assert!(said.contains("spend_per_day") && said.contains("0.25"), "{text}: {said}");
        }
        let said = refused("[[quotas]]\nprincipal = \"*\"\nspend_per_day = 5\n");
        assert!(said.contains("`spend_per_day` is not for principals"), "{said}");
    }
}
