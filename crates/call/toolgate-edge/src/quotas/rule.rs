//! The operator's limits for one principal or one agent.

use std::time::Duration;

use toolgate_core::PrincipalId;
use toolgate_core::scope::AgentName;
use toolgate_core::tool::CallRate;
use wildmatch::WildMatch;

/// The limits of one principal, or one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Calls that run at once.
    pub calls_max: usize,
    /// Calls that wait until others have ended, and how long they do.
    pub waiting_max: usize,
    pub wait: Duration,
    pub rate: Option<CallRate>,
    /// Calls from midnight to midnight, UTC.
    pub calls_per_day: Option<u64>,
    /// The cost of models from midnight to midnight, UTC, in millionths of a currency unit.
    pub spend_per_day_micros: Option<u64>,
    /// Streams that are open at once.
    pub streams_max: usize,
    /// Older-era sessions that are open at once; nothing says more than all may have together.
    pub sessions_max: Option<usize>,
    /// Calls that wait for people.
    pub approvals_max: usize,
    /// Bytes of files that are kept.
    pub stored_bytes_max: Option<u64>,
}

impl Default for Quota {
    fn default() -> Self {
        Self {
            calls_max: 512,
            waiting_max: 2_048,
            wait: Duration::from_secs(60),
            rate: None,
            calls_per_day: None,
            spend_per_day_micros: None,
            streams_max: 64,
            sessions_max: None,
            approvals_max: 100,
            stored_bytes_max: None,
        }
    }
}

/// The holders that a rule is for: each by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum QuotaSubject {
    Principals(WildMatch),
    Agents(WildMatch),
}

/// One `[[quotas]]` table. A field that it leaves out keeps the value of an earlier table, or the default.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaRule {
    pub who: QuotaSubject,
    pub calls_max: Option<usize>,
    pub waiting_max: Option<usize>,
    pub wait: Option<Duration>,
    pub rate: Option<CallRate>,
    pub calls_per_day: Option<u64>,
    pub spend_per_day_micros: Option<u64>,
    pub streams_max: Option<usize>,
    pub sessions_max: Option<usize>,
    pub approvals_max: Option<usize>,
    pub stored_bytes_max: Option<u64>,
}

impl QuotaRule {
    pub fn about(who: QuotaSubject) -> Self {
        Self {
            who,
            calls_max: None,
            waiting_max: None,
            wait: None,
            rate: None,
            calls_per_day: None,
            spend_per_day_micros: None,
            streams_max: None,
            sessions_max: None,
            approvals_max: None,
            stored_bytes_max: None,
        }
    }

    fn change(&self, quota: &mut Quota) {
        let set = |own: Option<usize>, value: &mut usize| *value = own.unwrap_or(*value);
        set(self.calls_max, &mut quota.calls_max);
        set(self.waiting_max, &mut quota.waiting_max);
        set(self.streams_max, &mut quota.streams_max);
        set(self.approvals_max, &mut quota.approvals_max);
        quota.wait = self.wait.unwrap_or(quota.wait);
        quota.rate = self.rate.or(quota.rate);
        quota.calls_per_day = self.calls_per_day.or(quota.calls_per_day);
        quota.spend_per_day_micros = self.spend_per_day_micros.or(quota.spend_per_day_micros);
        quota.sessions_max = self.sessions_max.or(quota.sessions_max);
        quota.stored_bytes_max = self.stored_bytes_max.or(quota.stored_bytes_max);
    }
}

/// The limits of a principal; without a rule, the defaults.
pub(super) fn of_principal(rules: &[QuotaRule], principal: &PrincipalId) -> Quota {
    let fitting = rules.iter().filter(
        |rule| matches!(&rule.who, QuotaSubject::Principals(pattern) if pattern.matches(principal.as_str())),
    );
    fitting.fold(Quota::default(), |mut quota, rule| {
        rule.change(&mut quota);
        quota
    })
}

/// The limits of an agent, for all principals that act as it. Without a rule only the principals' own quotas limit it.
pub(super) fn of_agent(rules: &[QuotaRule], agent: &AgentName) -> Option<Quota> {
    let unlimited = Quota {
        calls_max: usize::MAX,
        streams_max: usize::MAX,
        approvals_max: usize::MAX,
        ..Quota::default()
    };
    let fits = |rule: &&QuotaRule| matches!(&rule.who, QuotaSubject::Agents(pattern) if pattern.matches(agent.as_str()));
    let mut fitting = rules.iter().filter(fits).peekable();
    fitting.peek()?;
    Some(fitting.fold(unlimited, |mut quota, rule| {
        rule.change(&mut quota);
        quota
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_that_fits_decides_and_the_rest_is_as_usual() {
        let people = |pattern: &str| QuotaRule::about(QuotaSubject::Principals(WildMatch::new(pattern)));
        let rules = [
            QuotaRule { calls_max: Some(8), rate: "10/s".parse().ok(), ..people("*") },
            QuotaRule { calls_max: Some(2), ..people("bot-*") },
            QuotaRule {
                calls_per_day: Some(9),
                ..QuotaRule::about(QuotaSubject::Agents(WildMatch::new("crawler")))
            },
        ];
        let of = |name: &str| of_principal(&rules, &PrincipalId::new(name));
        assert_eq!((of("ann").calls_max, of("bot-1").calls_max), (8, 2));
        assert_eq!(of("bot-1").rate.map(|rate| rate.to_string()).as_deref(), Some("10/s"));
        assert_eq!((of("ann").streams_max, of("ann").calls_per_day), (Quota::default().streams_max, None));
        let crawler = of_agent(&rules, &AgentName::new("crawler").expect("a name")).expect("a rule");
        assert_eq!((crawler.calls_per_day, crawler.calls_max), (Some(9), usize::MAX));
        assert_eq!(of_agent(&rules, &AgentName::new("writer").expect("a name")), None);
    }
}
