//! Random schemas and values: what is proven holds for every value, and what is refuted fails for the value that is named.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use schema_words::{CompatibilityFinding, CompatibilityRule, Inclusion, compatibility, inclusion};
use serde_json::{Map, Value, json};

/// Pairs that one test looks at.
const CASES: u32 = 256;
/// Values for each proven pair.
const VALUES: usize = 12;

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3i64..6).prop_map(Value::from),
        (-3i64..6).prop_map(|whole| json!(whole as f64 + 0.5)),
        "[ab]{0,3}".prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn kind() -> impl Strategy<Value = Value> {
    let names = vec!["null", "boolean", "integer", "number", "string", "array", "object"];
    prop_oneof![
        4 => prop::sample::select(names.clone()).prop_map(Value::from),
        1 => prop::sample::subsequence(names, 1..4).prop_map(|names| json!(names)),
    ]
}

/// One keyword and its rule.
fn simple_rule() -> BoxedStrategy<(&'static str, Value)> {
    let small = || 0u64..4;
    prop_oneof![
        4 => kind().prop_map(|kind| ("type", kind)),
        1 => prop::collection::vec(scalar(), 1..4).prop_map(|values| ("enum", json!(values))),
        1 => scalar().prop_map(|value| ("const", value)),
        1 => (-2i64..4).prop_map(|number| ("minimum", json!(number))),
        1 => (-2i64..4).prop_map(|number| ("exclusiveMinimum", json!(number as f64 + 0.5))),
        1 => (-2i64..5).prop_map(|number| ("maximum", json!(number))),
        1 => (-2i64..5).prop_map(|number| ("exclusiveMaximum", json!(number))),
        1 => (1u64..5).prop_map(|step| ("multipleOf", json!(step))),
        1 => small().prop_map(|length| ("minLength", json!(length))),
        1 => small().prop_map(|length| ("maxLength", json!(length))),
        1 => prop::sample::select(vec!["^a", "b$", ".*"]).prop_map(|pattern| ("pattern", json!(pattern))),
        1 => small().prop_map(|length| ("minItems", json!(length))),
        1 => small().prop_map(|length| ("maxItems", json!(length))),
        1 => any::<bool>().prop_map(|unique| ("uniqueItems", json!(unique))),
        1 => small().prop_map(|size| ("minProperties", json!(size))),
        1 => small().prop_map(|size| ("maxProperties", json!(size))),
        2 => prop::sample::subsequence(vec!["a", "b", "c"], 0..3).prop_map(|names| ("required", json!(names))),
        1 => prop::sample::subsequence(vec!["b", "c"], 1..3).prop_map(|names| ("dependentRequired", json!({ "a": names }))),
    ]
    .boxed()
}

fn inner_rule(inner: BoxedStrategy<Value>) -> BoxedStrategy<(&'static str, Value)> {
    let some = || prop::collection::vec(inner.clone(), 1..3);
    let named = prop::collection::btree_map("[abc]", inner.clone(), 1..4);
    let patterns = prop::collection::btree_map(
        prop::sample::select(vec!["^a".to_owned(), "b".to_owned()]),
        inner.clone(),
        1..2,
    );
    prop_oneof![
        4 => named.prop_map(|named| ("properties", json!(named))),
        2 => inner.clone().prop_map(|schema| ("additionalProperties", schema)),
        2 => Just(("additionalProperties", json!(false))),
        1 => patterns.prop_map(|named| ("patternProperties", json!(named))),
        2 => inner.clone().prop_map(|schema| ("items", schema)),
        1 => some().prop_map(|schemas| ("prefixItems", json!(schemas))),
        1 => inner.clone().prop_map(|schema| ("contains", schema)),
        1 => some().prop_map(|schemas| ("allOf", json!(schemas))),
        2 => some().prop_map(|schemas| ("anyOf", json!(schemas))),
        1 => some().prop_map(|schemas| ("oneOf", json!(schemas))),
        1 => inner.clone().prop_map(|schema| ("not", schema)),
        1 => inner.clone().prop_map(|schema| ("propertyNames", schema)),
        1 => inner.clone().prop_map(|schema| ("dependentSchemas", json!({ "a": schema }))),
        1 => Just(("$ref", json!("#/$defs/d"))),
    ]
    .boxed()
}

fn collected(rules: Vec<(&'static str, Value)>) -> Value {
    Value::Object(rules.into_iter().map(|(keyword, rule)| (keyword.to_owned(), rule)).collect())
}

fn part() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        8 => prop::collection::vec(simple_rule(), 0..4).prop_map(collected),
        1 => any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let rules = prop_oneof![3 => inner_rule(inner.boxed()), 2 => simple_rule()];
        prop::collection::vec(rules, 1..4).prop_map(collected)
    })
    .boxed()
}

/// A document whose references lead to a definition, which may lead to the root.
fn schema() -> BoxedStrategy<Value> {
    let definition = prop_oneof![
        3 => prop::collection::vec(simple_rule(), 1..3).prop_map(collected),
        1 => Just(json!({ "type": ["object", "null"], "properties": { "a": { "$ref": "#/$defs/d" } } })),
        1 => Just(json!({ "type": ["array", "string"], "items": { "$ref": "#/$defs/d" } })),
    ];
    (part(), definition)
        .prop_map(|(part, definition)| {
            let mut root: Map<String, Value> = match part {
                Value::Object(members) => members,
                other => Map::from_iter([("allOf".to_owned(), json!([other]))]),
            };
            root.insert("$defs".to_owned(), json!({ "d": definition }));
            Value::Object(root)
        })
        .boxed()
}

/// Two schemas that have something to do with each other: a random one beside a copy with something more.
fn pair() -> BoxedStrategy<(Value, Value)> {
    let related = (schema(), simple_rule(), any::<bool>()).prop_map(|(one, (keyword, rule), is_wider)| {
        let mut other = one.clone();
        other[keyword] = rule;
        if is_wider { (other, one) } else { (one, other) }
    });
    prop_oneof![2 => related, 1 => (schema(), schema())].boxed()
}

fn fits(schema: &Value, value: &Value) -> bool {
    jsonschema::validator_for(schema).expect("a schema").is_valid(value)
}

#[test]
fn what_is_proven_holds_and_what_is_refuted_fails() {
    let config = ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let counts = RefCell::new([0usize; 3]);
    let values = prop::collection::vec(value(), VALUES);
    let looked = runner.run(&(pair(), values), |((narrow, wide), values)| {
        match inclusion(&narrow, &wide) {
            Inclusion::Proven => {
                counts.borrow_mut()[0] += 1;
                let (in_narrow, in_wide) = (
                    jsonschema::validator_for(&narrow).expect("a schema"),
                    jsonschema::validator_for(&wide).expect("a schema"),
                );
                for value in values.iter().filter(|value| in_narrow.is_valid(value)) {
                    prop_assert!(in_wide.is_valid(value), "{value} of {narrow} is not in {wide}");
                }
            }
            Inclusion::Refuted(found) => {
                counts.borrow_mut()[1] += 1;
                prop_assert!(fits(&narrow, &found.value), "{} is not in {narrow}", found.value);
                prop_assert!(!fits(&wide, &found.value), "{} is in {wide}", found.value);
            }
            Inclusion::Open(_) => counts.borrow_mut()[2] += 1,
        }
        Ok(())
    });
    looked.unwrap_or_else(|error| panic!("{error}"));
    let [proven, refuted, open] = counts.into_inner();
    // A library that says nothing would be sound, too.
    assert!(proven > 40 && refuted > 40 && open < 100, "{proven} proven, {refuted} refuted, {open} open");
}

#[test]
fn rules_ask_in_their_direction() {
    let old = json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "additionalProperties": false });
    let mut new = old.clone();
    new["properties"]["b"] = json!({ "type": "string" });
    let ask = |rule| compatibility(rule, &old, &new);
    assert_eq!(ask(CompatibilityRule::Backward), CompatibilityFinding::Compatible);
    let forward = ask(CompatibilityRule::Forward).words();
    assert!(
        forward.starts_with(
            "data of the new version does not fit the earlier one: at /b: there is no member `b`"
        ),
        "{forward}"
    );
    assert_eq!(ask(CompatibilityRule::Full).words(), forward);
    let unknown = compatibility(
        CompatibilityRule::Backward,
        &json!({ "type": "string" }),
        &json!({ "type": "string", "format": "date" }),
    );
    assert!(
        unknown.words().starts_with("it cannot be proved that data of the earlier version fits"),
        "{unknown:?}"
    );
}

#[test]
fn no_pair_takes_long() {
    let start = std::time::Instant::now();
    let wide = |count: usize| {
        let forms: Vec<Value> =
            (0..count).map(|at| json!({ "properties": { format!("p{at}"): { "$ref": "#" } } })).collect();
        json!({ "anyOf": forms.clone(), "oneOf": forms, "items": { "$ref": "#" } })
    };
    let many: Map<String, Value> = (0..400)
        .map(|at| (format!("p{at}"), json!({ "type": "object", "properties": { "a": { "$ref": "#" } } })))
        .collect();
    let large = json!({ "type": "object", "properties": many, "required": ["p1", "p2", "p3"] });
    for (one, other) in [(wide(8), wide(9)), (wide(9), wide(8)), (large.clone(), wide(9)), (wide(9), large)] {
        assert_ne!(inclusion(&one, &other), Inclusion::Proven);
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
