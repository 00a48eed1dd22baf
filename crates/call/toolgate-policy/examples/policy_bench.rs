//! The cost of one decision, and of one visibility check: `cargo run --release -p toolgate-policy --example
//! policy_bench`.

use std::hint::black_box;
use std::io::{Result, Write, stdout};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use toolgate_core::decision::{Policy, PolicyRequest, VisibilityRequest};
use toolgate_core::{
    AuditLevel, CanonicalName, Digest, Effects, Principal, PrincipalId, RawJson, Role, ServerName, Tool,
    ToolHandling,
};
use toolgate_policy::{PolicyEngine, PolicyPurpose, PolicyTemplate, Sources};

/// The length of one run: the system counts a thread's time in steps of some milliseconds.
const RUN_SECONDS: f64 = 0.2;
const PILOT_ROUNDS: u32 = 200;
/// The number of runs; the median is reported, because other work disturbs single ones.
const RUNS: usize = 7;

fn main() -> Result<()> {
    let quiet = json!({"amount": 500.25, "account": "DE-1", "currency": "EUR", "note": "rent for August"});
    let large = json!({"amount": 5_000_000, "account": "DE-1", "currency": "EUR", "note": "rent for August"});
    let long = json!({"amount": 500.25, "account": "DE-1", "currency": "EUR", "note": "x".repeat(1 << 20)});
    report("no policies, no template", &engine(&[], PolicyTemplate::Exploratory), &quiet)?;
    report("no policies, audit_critical", &engine(&[], PolicyTemplate::AuditCritical), &quiet)?;
    for count in [20, 200] {
        let spread = engine(
            &limits(count, |place| format!("action == Action::\"bank:tool{}\"", place % 20)),
            PolicyTemplate::Standard,
        );
        report(&format!("{count} over 20 tools"), &spread, &quiet)?;
        let open = engine(&limits(count, |_| "action".to_owned()), PolicyTemplate::Standard);
        report(&format!("{count} over every tool"), &open, &quiet)?;
        report(&format!("{count} over every tool, 1 MiB of arguments"), &open, &long)?;
        let patterns = engine(
            &texts(count, "[context.input.account].containsAny([\"US-1\", \"US-2\"])"),
            PolicyTemplate::Standard,
        );
        report(&format!("{count} over every tool, left to Cedar"), &patterns, &quiet)?;
        report(&format!("{count} over every tool, every one matches"), &open, &large)?;
    }
    lists()
}

/// The number of tools in a list.
const LISTED: usize = 10_000;

/// Looks at long lists, for the first time and again.
fn lists() -> Result<()> {
    let tools: Vec<Tool> = (0..LISTED).map(|place| tool(&format!("tool{place}"))).collect();
    list("no policies, no template", &tools, || engine(&[], PolicyTemplate::Exploratory))?;
    list("no policies, regulated", &tools, || engine(&[], PolicyTemplate::Regulated))?;
    list("no policies, audit_critical", &tools, || engine(&[], PolicyTemplate::AuditCritical))?;
    for count in [20, 200] {
        let limits = limits(count, |_| "action".to_owned());
        list(&format!("{count} over every tool"), &tools, || engine(&limits, PolicyTemplate::Regulated))?;
        let own = texts(count, "resource.write && principal in Group::\"finance\"");
        list(&format!("{count} over principals and tools"), &tools, || {
            engine(&own, PolicyTemplate::Regulated)
        })?;
        let cedar = texts(count, "if resource.write then principal in Group::\"finance\" else false");
        list(&format!("{count} over both, left to Cedar"), &tools, || {
            engine(&cedar, PolicyTemplate::Regulated)
        })?;
    }
    Ok(())
}

fn list(label: &str, tools: &[Tool], load: impl Fn() -> PolicyEngine) -> Result<()> {
    let start = Instant::now();
    let engine = load();
    let loaded_ms = start.elapsed().as_secs_f64() * 1e3;
    let first = per_tool(tools, || Arc::new(load()));
    look(&engine, tools);
    // The same engine each time: it has seen them all.
    let engine = Arc::new(engine);
    let again = per_tool(tools, || Arc::clone(&engine));
    writeln!(
        stdout(),
        "{first:>7.0} ns at first, {again:>5.0} ns again, loaded in {loaded_ms:>5.1} ms  {label}"
    )
}

/// Checks a whole list as often as a measurement needs, and returns the cost of one tool. Loading does not
/// count.
fn per_tool(tools: &[Tool], engine: impl Fn() -> Arc<PolicyEngine>) -> f64 {
    let (mut spent, mut rounds) = (0.0, 0);
    while spent < RUN_SECONDS * 1e9 {
        let engine = engine();
        let start = (Instant::now(), busy_ns());
        look(&engine, tools);
        let wall = start.0.elapsed().as_nanos() as f64;
        spent += start.1.zip(busy_ns()).map_or(wall, |(before, after)| (after - before) as f64);
        rounds += 1;
    }
    spent / (rounds * tools.len()) as f64
}

fn look(engine: &PolicyEngine, tools: &[Tool]) {
    let principal = Principal::new(PrincipalId::new("helper"), Role::Agent);
    for tool in tools {
        let glimpse = VisibilityRequest { principal: &principal, tool, agent: None, template: None };
        black_box(engine.visibility(black_box(&glimpse)));
    }
}

/// Gates over an argument, each with its own limit.
fn limits(count: usize, action: impl Fn(usize) -> String) -> Vec<String> {
    let one = |place| {
        format!(
            "@id(\"g{place}\") @approvers(\"finance\") forbid(principal, {}, resource) when {{ context.input has amount && \
             context.input.amount.greaterThan(decimal(\"{}.0\")) }};",
            action(place),
            1000 + place
        )
    };
    (0..count).map(one).collect()
}

fn texts(count: usize, condition: &str) -> Vec<String> {
    (0..count)
        .map(|place| format!("@id(\"g{place}\") forbid(principal, action, resource) when {{ {condition} }};"))
        .collect()
}

fn engine(gates: &[String], template: PolicyTemplate) -> PolicyEngine {
    let extra = match gates {
        [] => Vec::new(),
        gates => vec![("gates".to_owned(), PolicyPurpose::Gates, gates.join("\n"))],
    };
    PolicyEngine::load(Sources { folder: None, extra, template }).expect("the policies are well formed")
}

fn report(label: &str, engine: &PolicyEngine, arguments: &Value) -> Result<()> {
    let (principal, tool) = (Principal::new(PrincipalId::new("helper"), Role::Agent), tool("tool7"));
    let question = PolicyRequest {
        principal: &principal,
        tool: &tool,
        arguments,
        session: None,
        agent: None,
        template: None,
        run: None,
        task: None,
        credentials: &[],
    };
    let verdict = engine.decide(&question).verdict;
    let pilot = Instant::now();
    run(engine, &question, PILOT_ROUNDS);
    let rounds = (RUN_SECONDS / pilot.elapsed().as_secs_f64() * f64::from(PILOT_ROUNDS)) as u32;
    let mut runs: Vec<f64> = (0..RUNS).map(|_| run(engine, &question, rounds.max(PILOT_ROUNDS))).collect();
    runs.sort_by(f64::total_cmp);
    writeln!(stdout(), "{:>9.3} µs  {:<8} {label}", runs[RUNS / 2], verdict.as_str())
}

fn run(engine: &PolicyEngine, question: &PolicyRequest<'_>, rounds: u32) -> f64 {
    let start = Instant::now();
    let busy = busy_ns();
    for _ in 0..rounds {
        black_box(engine.decide(black_box(question)));
    }
    let wall = start.elapsed().as_nanos() as f64;
    let spent = busy.zip(busy_ns()).map_or(wall, |(before, after)| (after - before) as f64);
    spent / 1e3 / f64::from(rounds)
}

/// The processor time of this thread, if the system reports it: other work on the machine does not count.
fn busy_ns() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

fn tool(own: &str) -> Tool {
    let server = ServerName::new("bank").expect("it is a name");
    let schema = json!({"type": "object", "properties": {
        "amount": {"type": "number"}, "account": {"type": "string"},
        "currency": {"type": "string"}, "note": {"type": "string"},
    }});
    Tool {
        name: CanonicalName::of(&server, own),
        server,
        own: own.into(),
        version: Digest::of(schema.to_string()),
        effects: Effects::WRITE,
        hinted: false,
        idempotent: false,
        audit: AuditLevel::Standard,
        input_schema: Some(RawJson::from(schema)),
        output_schema: None,
        output_check: None,
        handling: ToolHandling::default(),
    }
}
