//! A small HubSpot: deals and contacts of the CRM, searched by filters, in the order of their last change.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::exchange::{Provider, ProviderAnswer, ProviderRequest, SignedOut};
use super::pages::{PageManner, cut};

/// Results of one search, however many fit.
const RESULTS_MAX: usize = 10_000;

/// A first change, in milliseconds since 1970: 2026-01-01T00:00:00Z.
const FIRST_CHANGE_MS: i64 = 1_767_225_600_000;

pub struct HubSpot {
    pub deals: BTreeMap<u64, CrmObject>,
    pub contacts: BTreeMap<u64, CrmObject>,
    /// What its answers say of the requests that it still takes.
    pub rate_left: u64,
    /// Every change is a second later than the one before.
    changes: i64,
}

/// An object of the CRM.
#[derive(Clone, PartialEq, Debug)]
pub struct CrmObject {
    pub properties: Map<String, Value>,
    pub changed_ms: i64,
}

impl Default for HubSpot {
    fn default() -> Self {
        let mut hubspot = Self::empty();
        hubspot.add_deal(101, json!({ "dealname": "Windmill", "dealstage": "qualified", "amount": "9000" }));
        hubspot.add_deal(102, json!({ "dealname": "Lighthouse", "dealstage": "won" }));
        let ann = json!({ "firstname": "Ann", "lastname": "Lee", "email": "ann@example.com" });
        let changed_ms = hubspot.tick();
        hubspot.contacts.insert(201, CrmObject { properties: object(ann), changed_ms });
        hubspot
    }
}

impl HubSpot {
    fn empty() -> Self {
        Self { deals: BTreeMap::new(), contacts: BTreeMap::new(), rate_left: 99, changes: 0 }
    }

    /// An account with so many deals, 1 first.
    pub fn with_deals(count: u64) -> Self {
        let mut hubspot = Self::empty();
        for id in 1..=count {
            hubspot.add_deal(id, json!({ "dealname": format!("Deal {id}"), "dealstage": "new" }));
        }
        hubspot
    }

    /// Adds a deal, or changes it as a person would.
    pub fn add_deal(&mut self, id: u64, properties: Value) {
        let changed_ms = self.tick();
        self.deals.insert(id, CrmObject { properties: object(properties), changed_ms });
    }

    fn tick(&mut self) -> i64 {
        self.changes += 1;
        FIRST_CHANGE_MS + self.changes * 1000
    }

    fn update_deal(
        &mut self,
        id: &str,
        request: &ProviderRequest,
        effects: &mut Vec<String>,
    ) -> ProviderAnswer {
        let changed_ms = self.tick();
        let Ok(key) = id.parse::<u64>() else { return missing() };
        let Some(deal) = self.deals.get_mut(&key) else { return missing() };
        let Some(properties) = request.content()["properties"].as_object().cloned() else {
            return error(400, "VALIDATION_ERROR", "properties are missing");
        };
        effects.push(format!("deals.update {id} {}", Value::Object(properties.clone())));
        deal.properties.extend(properties);
        deal.changed_ms = changed_ms;
        ProviderAnswer::json(200, &shown(key, deal, None))
    }

    fn contact(&self, key: &str, request: &ProviderRequest) -> ProviderAnswer {
        let property = request.parameter("idProperty");
        let is_it = |(id, contact): &(&u64, &CrmObject)| match &property {
            Some(property) => contact.properties.get(property).and_then(Value::as_str) == Some(key),
            None => id.to_string() == key,
        };
        let asked = request.parameter("properties");
        let asked: Option<Vec<&str>> = asked.as_deref().map(|asked| asked.split(',').collect());
        match self.contacts.iter().find(is_it) {
            Some((id, contact)) => ProviderAnswer::json(200, &shown(*id, contact, asked.as_deref())),
            None => missing(),
        }
    }

    fn limits(&self, answer: ProviderAnswer) -> ProviderAnswer {
        answer.with("x-hubspot-ratelimit-remaining", self.rate_left).with("x-hubspot-ratelimit-max", 100)
    }
}

fn search(all: &BTreeMap<u64, CrmObject>, request: &ProviderRequest, manner: PageManner) -> ProviderAnswer {
    let content = request.content();
    let groups = content["filterGroups"].as_array().cloned().unwrap_or_default();
    let query = content["query"].as_str().unwrap_or_default().to_lowercase();
    let mut found: Vec<(&u64, &CrmObject)> =
        all.iter().filter(|(_, one)| fits(one, &groups) && has_words(one, &query)).collect();
    found.sort_by_key(|(id, one)| (one.changed_ms, **id));
    let asked = content["properties"].as_array().cloned().unwrap_or_default();
    let asked: Vec<&str> = asked.iter().filter_map(Value::as_str).collect();
    let shown: Vec<Value> = found.iter().map(|(id, one)| shown(**id, one, Some(asked.as_slice()))).collect();
    let from = request.number("after").unwrap_or(0);
    let size = request.number("limit").unwrap_or(10).min(200);
    if from + size > RESULTS_MAX {
        return error(400, "VALIDATION_ERROR", "a search ends after 10000 results");
    }
    let (items, next) = cut(&shown, from, size, manner);
    let mut answer = json!({ "total": shown.len(), "results": items });
    if let Some(next) = next {
        answer["paging"] = json!({ "next": { "after": next.to_string() } });
    }
    ProviderAnswer::json(200, &answer)
}

/// Groups are alternatives, the filters of a group hold together.
fn fits(one: &CrmObject, groups: &[Value]) -> bool {
    let holds =
        |group: &Value| group["filters"].as_array().into_iter().flatten().all(|filter| passes(one, filter));
    groups.is_empty() || groups.iter().any(holds)
}

fn passes(one: &CrmObject, filter: &Value) -> bool {
    let name = filter["propertyName"].as_str().unwrap_or_default();
    let wanted = filter["value"].as_str().unwrap_or_default();
    let own = match name {
        "hs_lastmodifieddate" | "lastmodifieddate" => Some(one.changed_ms.to_string()),
        _ => one.properties.get(name).and_then(Value::as_str).map(str::to_owned),
    };
    let order = || {
        let (own, wanted) = (own.as_deref()?.parse::<f64>().ok()?, wanted.parse::<f64>().ok()?);
        own.partial_cmp(&wanted)
    };
    match filter["operator"].as_str().unwrap_or_default() {
        "EQ" => own.as_deref() == Some(wanted),
        "NEQ" => own.as_deref() != Some(wanted),
        "GT" => order().is_some_and(|order| order.is_gt()),
        "GTE" => order().is_some_and(|order| order.is_ge()),
        "LT" => order().is_some_and(|order| order.is_lt()),
        "LTE" => order().is_some_and(|order| order.is_le()),
        "HAS_PROPERTY" => own.is_some(),
        "NOT_HAS_PROPERTY" => own.is_none(),
        "CONTAINS_TOKEN" => own.is_some_and(|own| own.to_lowercase().contains(&wanted.to_lowercase())),
        _ => false,
    }
}

fn has_words(one: &CrmObject, query: &str) -> bool {
    let mut texts = one.properties.values().filter_map(Value::as_str);
    query.is_empty() || texts.any(|text| text.to_lowercase().contains(query))
}

/// Properties without a value are left out, as HubSpot does it.
fn shown(id: u64, one: &CrmObject, asked: Option<&[&str]>) -> Value {
    let mut properties = one.properties.clone();
    properties.retain(|name, _| asked.is_none_or(|asked| asked.contains(&name.as_str())));
    let date = date(one.changed_ms);
    json!({ "id": id.to_string(), "properties": properties, "createdAt": date, "updatedAt": date, "archived": false })
}

/// Milliseconds since 1970 as a date, for the year 2026: the clock of this stand-in does not leave it.
fn date(ms: i64) -> String {
    const MONTHS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let seconds = (ms - FIRST_CHANGE_MS) / 1000;
    let (mut day, second) = (seconds / 86_400, seconds % 86_400);
    let mut month = 0;
    while month < 11 && day >= MONTHS[month] {
        day -= MONTHS[month];
        month += 1;
    }
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("2026-{:02}-{:02}T{hour:02}:{minute:02}:{:02}.{:03}Z", month + 1, day + 1, second % 60, ms % 1000)
}

impl Provider for HubSpot {
    const BASE_PATH: &'static str = "";

    fn answer(
        &mut self,
        request: &ProviderRequest,
        manner: PageManner,
        effects: &mut Vec<String>,
    ) -> ProviderAnswer {
        let steps: Vec<&str> = request.path.trim_matches('/').split('/').collect();
        match (request.method.as_str(), steps.as_slice()) {
            ("GET", ["account-info", "v3", "details"]) => {
                ProviderAnswer::json(200, &json!({ "portalId": 4711, "accountType": "DEVELOPER_TEST" }))
            }
            ("POST", ["crm", "v3", "objects", "deals", "search"]) => {
                self.limits(search(&self.deals, request, manner))
            }
            ("POST", ["crm", "v3", "objects", "contacts", "search"]) => {
                self.limits(search(&self.contacts, request, manner))
            }
            ("PATCH", ["crm", "v3", "objects", "deals", id]) => self.update_deal(id, request, effects),
            ("GET", ["crm", "v3", "objects", "contacts", key]) => {
                self.limits(self.contact(&unescaped(key), request))
            }
            _ => missing(),
        }
    }

    fn signed_out(&self, how: SignedOut) -> ProviderAnswer {
        match how {
            SignedOut::Expired => {
                error(401, "EXPIRED_AUTHENTICATION", "The OAuth token used to make this call expired")
            }
            SignedOut::Revoked | SignedOut::Unknown => {
                error(401, "INVALID_AUTHENTICATION", "Authentication credentials not found")
            }
        }
    }

    fn limited(&self) -> ProviderAnswer {
        let says = json!({
            "status": "error", "message": "You have reached your secondly limit.", "errorType": "RATE_LIMIT",
            "policyName": "SECONDLY", "category": "RATE_LIMITS",
        });
        ProviderAnswer::json(429, &says)
    }
}

fn unescaped(text: &str) -> String {
    text.replace("%40", "@").replace("%2B", "+")
}

fn missing() -> ProviderAnswer {
    error(404, "OBJECT_NOT_FOUND", "resource not found")
}

fn error(status: u16, category: &str, message: &str) -> ProviderAnswer {
    ProviderAnswer::json(status, &json!({ "status": "error", "message": message, "category": category }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
