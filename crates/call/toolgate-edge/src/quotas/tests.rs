#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

use toolgate_core::RefusalKind;
use toolgate_core::scope::{Mounts, Scope, TokenBudget};
use toolgate_core::{Principal, Role};
use wildmatch::WildMatch;

use super::*;

/// What is stored, as a store would keep it.
#[derive(Default)]
struct Shelf(Mutex<BTreeMap<(i64, String), u64>>);

impl QuotaUsage for Shelf {
    fn pending_approvals(&self, principal: &PrincipalId) -> BoxFuture<'static, Result<u64, StoreDown>> {
        let pending = principal.as_str().len() as u64;
        Box::pin(async move { Ok(pending) })
    }

    fn add_calls(
        &self,
        day: i64,
        counts: Vec<(String, u64)>,
    ) -> BoxFuture<'static, Result<Vec<u64>, StoreDown>> {
        let mut shelf = self.0.lock();
        let known = counts.into_iter().map(|(holder, count)| {
            let kept = shelf.entry((day, holder)).or_default();
            *kept += count;
            *kept
        });
        let known = Ok(known.collect());
        Box::pin(async move { known })
    }
}

fn seat(principal: &str) -> Seat {
    let scope = Arc::new(Scope {
        layers: Vec::new(),
        mounts: Mounts::default(),
        template: None,
        servers: None,
        pinned: Vec::new(),
        token_budget: TokenBudget::default(),
        schema_diet: false,
        reveal_found: false,
    });
    Seat {
        principal: Principal::new(PrincipalId::new(principal), Role::Agent),
        session: toolgate_core::id::SessionId::new("ses_1"),
        agent: AgentName::default_agent(),
        scope_id: scope.id(),
        scope,
        opened_by: None,
        run: None,
        task: None,
    }
}

fn people(change: impl FnOnce(&mut QuotaRule)) -> Vec<QuotaRule> {
    let mut rule = QuotaRule::about(QuotaSubject::Principals(WildMatch::new("*")));
    change(&mut rule);
    vec![rule]
}

fn code(refused: Result<(), Refusal>) -> Option<&'static str> {
    refused.err().map(|refusal| refusal.code.name)
}

#[tokio::test]
async fn the_calls_of_a_day_are_counted_over_gateways_and_begin_anew_at_midnight() {
    let shelf = Arc::new(Shelf::default());
    let rules = people(|rule| rule.calls_per_day = Some(2));
    let (one, other) = (Quotas::new(rules.clone(), shelf.clone()), Quotas::new(rules, shelf.clone()));
    let ann = seat("ann");
    assert_eq!(one.count(&ann, 0), None, "nobody has looked yet");
    assert_eq!(one.count_surely(&ann, 0).await, Ok(()));
    one.tell_counts().await;
    assert_eq!(other.count_surely(&ann, 1).await, Ok(()));
    assert_eq!(code(other.count_surely(&ann, 2).await), Some("call_budget_spent"));
    assert_eq!(other.count_surely(&seat("bob"), 2).await, Ok(()), "everybody has their own");
    other.tell_counts().await;
    assert_eq!(
        one.count(&ann, 3).map(code),
        Some(None),
        "what another one counted is heard with the next tidings"
    );
    one.tell_counts().await;
    assert_eq!(one.count(&ann, 4).map(code), Some(Some("call_budget_spent")));
    assert_eq!(one.count_surely(&ann, DAY_MS).await, Ok(()));
}

/// A store that takes its time.
struct SlowShelf;

impl QuotaUsage for SlowShelf {
    fn pending_approvals(&self, _principal: &PrincipalId) -> BoxFuture<'static, Result<u64, StoreDown>> {
        Box::pin(async { Ok(0) })
    }

    fn add_calls(
        &self,
        _day: i64,
        counts: Vec<(String, u64)>,
    ) -> BoxFuture<'static, Result<Vec<u64>, StoreDown>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(counts.into_iter().map(|(_, count)| count).collect())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn calls_count_while_the_store_is_being_told_of_them() {
    let quotas = Quotas::new(people(|rule| rule.calls_per_day = Some(1)), Arc::new(SlowShelf));
    let ann = seat("ann");
    assert_eq!(quotas.count_surely(&ann, 0).await, Ok(()));
    let telling = tokio::spawn({
        let quotas = quotas.clone();
        async move { quotas.tell_counts().await }
    });
    tokio::task::yield_now().await;
    assert_eq!(quotas.count(&ann, 1).map(code), Some(Some("call_budget_spent")));
    telling.await.expect("no panic");
    assert_eq!(quotas.count(&ann, 2).map(code), Some(Some("call_budget_spent")));
}

#[tokio::test(start_paused = true)]
async fn more_than_the_rate_is_refused_and_says_when_to_come_back() {
    let quotas = Quotas::new(people(|rule| rule.rate = "2/s".parse().ok()), Arc::new(Shelf::default()));
    let ann = seat("ann");
    let counted = || quotas.count(&ann, 0).expect("no store is needed");
    assert_eq!((counted(), counted()), (Ok(()), Ok(())));
    let refusal = counted().expect_err("too soon");
    assert_eq!((refusal.code.name, &*refusal.hint), ("rate_limited", "repeat the call in 0.5 seconds"));
    tokio::time::advance(Duration::from_millis(500)).await;
    assert_eq!(counted(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn calls_wait_for_their_turn_and_no_longer_than_they_may() {
    let rules = people(|rule| {
        rule.calls_max = Some(1);
        rule.waiting_max = Some(1);
        rule.wait = Some(Duration::from_secs(5));
    });
    let quotas = Quotas::new(rules, Arc::new(Shelf::default()));
    let ann = seat("ann");
    let enter = || quotas.try_enter(&ann, None);
    let first = enter().at_once().ok().expect("a place");
    let waiting = tokio::spawn(enter().at_once().err().expect("it must wait").wait());
    tokio::task::yield_now().await;
    let refused = enter().at_once().err().expect("no place").wait().await.err();
    assert_eq!(refused.map(|refusal| refusal.code.name), Some("too_many_calls"));
    drop(first);
    let second = waiting.await.expect("no panic").expect("its turn");
    let late = enter().at_once().err().expect("no place").wait().await.err().expect("nobody left");
    assert!(late.message.contains("waited 5 s"), "{late}");
    drop(second);
    assert!(enter().at_once().is_ok());
}

#[tokio::test]
async fn streams_are_counted_and_other_rules_count_at_once() {
    let quotas = Quotas::new(people(|rule| rule.streams_max = Some(1)), Arc::new(Shelf::default()));
    let ann = PrincipalId::new("ann");
    let one = quotas.open_stream(&ann).expect("the first");
    assert_eq!(quotas.open_stream(&ann).err().map(|refusal| refusal.code.name), Some("too_many_streams"));
    assert!(quotas.open_stream(&PrincipalId::new("bob")).is_ok());
    quotas.set_rules(people(|rule| rule.streams_max = Some(2)));
    let two = quotas.open_stream(&ann).expect("the second");
    drop((one, two));
    assert!(quotas.open_stream(&ann).is_ok());
}

#[tokio::test]
async fn people_are_asked_about_a_limited_number_of_calls() {
    let quotas = Quotas::new(people(|rule| rule.approvals_max = Some(4)), Arc::new(Shelf::default()));
    assert_eq!(quotas.may_ask(&PrincipalId::new("ann")).await, Ok(()), "three wait");
    let refused = quotas.may_ask(&PrincipalId::new("anna")).await.expect_err("four wait");
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::TooMany, "too_many_approvals"));
}

#[tokio::test]
async fn usage_is_told_for_those_who_called_and_of_the_day_that_it_is() {
    let quotas = Quotas::new(people(|rule| rule.calls_per_day = Some(9)), Arc::new(Shelf::default()));
    let ann = seat("ann");
    assert_eq!(quotas.count_surely(&ann, 0).await, Ok(()));
    let place = quotas.try_enter(&ann, None).at_once().ok().expect("a place");
    let told = |now_ms: i64| {
        let found = quotas.holdings(now_ms);
        found.iter().map(|one| (one.running, one.waiting, one.calls_today)).collect::<Vec<_>>()
    };
    assert_eq!(told(1), [(1, 0, Some(1))]);
    drop(place);
    assert_eq!(told(DAY_MS), [(0, 0, Some(0))]);
    assert_eq!(quotas.holdings(0)[0].holder, QuotaHolder::Principal(PrincipalId::new("ann")));
    assert_eq!(quotas.rules().len(), 1);
}
