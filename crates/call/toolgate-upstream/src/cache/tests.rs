use std::sync::Arc;

use tokio::time::advance;
use toolgate_core::port::InputAnswers;
use toolgate_core::{AuditLevel, CanonicalName, Effects, Tool, ToolHandling};

use super::*;

fn server() -> ServerName {
    ServerName::new("files").expect("a name")
}

fn tool(server: &ServerName, cache: Option<CacheRule>) -> Arc<Tool> {
    Arc::new(Tool {
        name: CanonicalName::of(server, "read"),
        server: server.clone(),
        own: "read".into(),
        version: Digest::of("read"),
        effects: Effects::READ,
        hinted: false,
        idempotent: true,
        audit: AuditLevel::Standard,
        input_schema: None,
        output_schema: None,
        output_check: None,
        handling: ToolHandling { cache, ..ToolHandling::default() },
    })
}

fn rule(seconds: u64, scope: CacheScope) -> CacheRule {
    CacheRule { fresh: Duration::from_secs(seconds), scope }
}

const PRIVATE: CacheScope = CacheScope::Private;
const PUBLIC: CacheScope = CacheScope::Public;

fn request(params: &str, rule: CacheRule) -> ServerRequest {
    let mut request = ServerRequest::new("tools/call", params.to_owned());
    request.tool = Some(tool(&server(), Some(rule)));
    request
}

fn slot(params: &str, principal: &str, rule: CacheRule) -> CacheSlot {
    CacheSlot::of(&request(params, rule), &PrincipalId::new(principal)).expect("cacheable")
}

fn complete(text: &str) -> ServerReply {
    ServerReply::Complete(RawJson::from_composed(text.to_owned()))
}

/// The readers, `ann` and `bob`, that find a result stored for ann.
fn check(result: &str, rule: CacheRule, sharing: CacheSharing, expected: [bool; 2]) {
    let cache = ResultCache::default();
    cache.store(&slot("\"a\":1", "ann", rule), &complete(result), sharing);
    let found = ["ann", "bob"].map(|who| cache.lookup(&slot("\"a\":1", who, rule)).is_some());
    assert_eq!(found, expected, "{result} {rule:?} {sharing:?}");
}

const NOBODY: [bool; 2] = [false, false];
const ANN: [bool; 2] = [true, false];
const BOTH: [bool; 2] = [true, true];

#[tokio::test(start_paused = true)]
async fn the_result_says_for_whom_and_where_it_does_not_the_rule_does() {
    check("{}", rule(1, PRIVATE), CacheSharing::Allowed, ANN);
    check("{}", rule(1, PUBLIC), CacheSharing::Allowed, BOTH);
    check(r#"{"cacheScope":"public"}"#, rule(1, PRIVATE), CacheSharing::Allowed, BOTH);
    check(r#"{"cacheScope":"private"}"#, rule(1, PUBLIC), CacheSharing::Allowed, ANN);
    check(r#"{"cacheScope":"galaxy"}"#, rule(1, PUBLIC), CacheSharing::Allowed, ANN);
    check(r#"{"cacheScope":7}"#, rule(1, PUBLIC), CacheSharing::Allowed, ANN);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_shared_where_credentials_are_personal() {
    check(r#"{"cacheScope":"public"}"#, rule(1, PUBLIC), CacheSharing::Never, ANN);
}

#[tokio::test(start_paused = true)]
async fn errors_and_what_says_that_it_must_not_be_kept_are_not() {
    for result in [
        r#"{"isError":true}"#,
        r#"{"isError":"yes"}"#,
        r#"{"ttlMs":0}"#,
        r#"{"ttlMs":-5}"#,
        r#"{"ttlMs":null}"#,
        r#"{"ttlMs":0.4}"#,
        r#"{"ttlMs":"60000"}"#,
        r#"{"isError":false,"isError":true}"#,
        "[]",
    ] {
        check(result, rule(60, PUBLIC), CacheSharing::Allowed, NOBODY);
    }
    check(r#"{"isError":false,"ttlMs":1}"#, rule(60, PRIVATE), CacheSharing::Allowed, ANN);
    check("{}", rule(0, PRIVATE), CacheSharing::Allowed, NOBODY);
}

#[tokio::test(start_paused = true)]
async fn only_a_complete_answer_is_kept() {
    let (cache, slot) = (ResultCache::default(), slot("", "ann", rule(9, PRIVATE)));
    for reply in [
        ServerReply::InputRequired(RawJson::EMPTY),
        ServerReply::Task(RawJson::EMPTY),
        ServerReply::Cached(RawJson::EMPTY),
    ] {
        cache.store(&slot, &reply, CacheSharing::Allowed);
    }
    assert!(cache.lookup(&slot).is_none());
}

#[test]
fn only_plain_calls_of_tools_marked_for_it_have_a_place() {
    let of = |change: &dyn Fn(&mut ServerRequest)| {
        let mut request = request("", rule(1, PRIVATE));
        change(&mut request);
        CacheSlot::of(&request, &PrincipalId::new("ann")).is_some()
    };
    assert!(of(&|_| {}));
    assert!(!of(&|request| request.tool = Some(tool(&server(), None))));
    assert!(!of(&|request| request.tool = None));
    assert!(!of(&|request| request.method = "prompts/get".into()));
    assert!(!of(&|request| request.input = Some(InputAnswers { responses: None, state: None })));
}

#[test]
fn calls_are_told_apart_by_server_version_arguments_and_meta_but_not_by_traces() {
    let of = |change: &dyn Fn(&mut ServerRequest)| {
        let mut request = request("\"a\":1", rule(1, PRIVATE));
        change(&mut request);
        CacheSlot::of(&request, &PrincipalId::new("ann")).expect("cacheable").call
    };
    let usual = of(&|_| {});
    let other = ServerName::new("other").expect("a name");
    assert_ne!(usual, of(&|request| request.params = "\"a\":2".into()));
    assert_ne!(usual, of(&|request| request.tool = Some(tool(&other, Some(rule(1, PRIVATE))))));
    assert_ne!(usual, of(&|request| request.meta = r#""acme/tenant":"x""#.into()));
    assert_ne!(
        usual,
        of(&|request| {
            let changed =
                Tool { version: Digest::of("new"), ..(*tool(&server(), Some(rule(1, PRIVATE)))).clone() };
            request.tool = Some(Arc::new(changed));
        })
    );
    assert_eq!(usual, of(&|request| request.meta = r#""traceparent":"00-1","baggage":"b""#.into()));
}

#[tokio::test(start_paused = true)]
async fn an_entry_ends_when_its_time_does_and_never_later_than_a_day() {
    let cache = ResultCache::default();
    let slot = slot("", "ann", rule(10, PRIVATE));
    cache.store(&slot, &complete("{}"), CacheSharing::Allowed);
    advance(Duration::from_millis(9_999)).await;
    assert!(cache.lookup(&slot).is_some());
    advance(Duration::from_millis(1)).await;
    assert!(cache.lookup(&slot).is_none());
    assert_eq!(cache.kept().bytes, 0);
    let slot = self::slot("", "ann", rule(FRESH_MAX.as_secs() * 365, PRIVATE));
    cache.store(&slot, &complete(r#"{"ttlMs":1e300}"#), CacheSharing::Allowed);
    advance(FRESH_MAX - Duration::from_secs(1)).await;
    assert!(cache.lookup(&slot).is_some());
    advance(Duration::from_secs(1)).await;
    assert!(cache.lookup(&slot).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_result_can_shorten_its_time_and_not_lengthen_it() {
    for (result, lasts_ms) in [(r#"{"ttlMs":3000}"#, 3_000), (r#"{"ttlMs":3600000}"#, 10_000), ("{}", 10_000)]
    {
        let (cache, slot) = (ResultCache::default(), slot("", "ann", rule(10, PRIVATE)));
        cache.store(&slot, &complete(result), CacheSharing::Allowed);
        advance(Duration::from_millis(lasts_ms - 1)).await;
        assert!(cache.lookup(&slot).is_some(), "{result}");
        advance(Duration::from_millis(1)).await;
        assert!(cache.lookup(&slot).is_none(), "{result}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_oldest_go_when_there_are_too_many() {
    let cache = ResultCache::default();
    let at = |number: usize| slot(&format!("\"a\":{number}"), "ann", rule(60, PRIVATE));
    for number in 0..ENTRIES_MAX {
        cache.store(&at(number), &complete("{}"), CacheSharing::Allowed);
    }
    cache.store(&at(0), &complete("{}"), CacheSharing::Allowed);
    assert_eq!(cache.kept().entries.len(), ENTRIES_MAX, "the same call takes its own place");
    cache.store(&at(ENTRIES_MAX), &complete("{}"), CacheSharing::Allowed);
    let kept = [0, 1, 2, ENTRIES_MAX].map(|number| cache.lookup(&at(number)).is_some());
    assert_eq!(kept, [true, false, true, true], "1 was the oldest, 0 had been stored anew");
}

#[tokio::test(start_paused = true)]
async fn bytes_are_bounded_in_all_and_for_one_result() {
    let cache = ResultCache::default();
    let at = |number: usize| slot(&format!("\"a\":{number}"), "ann", rule(60, PRIVATE));
    let large = complete(&format!("{{\"a\":\"{}\"}}", "x".repeat(RESULT_BYTES_MAX - 8)));
    for number in 0..70 {
        cache.store(&at(number), &large, CacheSharing::Allowed);
    }
    let entries = cache.kept().entries.len();
    let bytes = cache.kept().bytes;
    assert!(bytes <= BYTES_MAX && entries == 63, "{entries} entries, {bytes} bytes");
    assert!(cache.lookup(&at(0)).is_none() && cache.lookup(&at(69)).is_some());
    let larger = complete(&format!("{{\"a\":\"{}\"}}", "x".repeat(RESULT_BYTES_MAX)));
    cache.store(&at(99), &larger, CacheSharing::Allowed);
    assert!(cache.lookup(&at(99)).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_the_same_any_more_is_forgotten() {
    let cache = ResultCache::default();
    let slot = slot("", "ann", rule(60, PUBLIC));
    cache.store(&slot, &complete("{}"), CacheSharing::Allowed);
    cache.forget(&ServerName::new("other").expect("a name"));
    assert!(cache.lookup(&slot).is_some());
    cache.forget(&server());
    assert!(cache.lookup(&slot).is_none());
    assert_eq!(cache.kept().bytes, 0);
}

#[derive(Debug)]
struct Nothing;

impl toolgate_core::port::TextSource for Nothing {
    fn bytes(&self) -> u64 {
        0
    }

    fn open(&self) -> toolgate_core::port::TextStream {
        Box::pin(futures_util::stream::empty())
    }
}

#[test]
fn calls_with_content_that_nobody_compared_are_not_kept() {
    let mut request = request("\"a\":\"\"", rule(1, PUBLIC));
    assert!(CacheSlot::of(&request, &PrincipalId::new("ann")).is_some());
    request.inserts.push(toolgate_core::port::TextInsert { at: 5, source: Arc::new(Nothing) });
    assert!(CacheSlot::of(&request, &PrincipalId::new("ann")).is_none());
}
