//! The pictures that the calls of a run brought, such as screenshots: the ledger says which refs a result left.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::address::PageAddress;
use crate::parts::picture;
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The number of ends of calls that are looked through, the newest first.
const ENDS_MAX: usize = 500;
/// The maximum number of pictures of one run on a page.
const PICTURES_MAX: usize = 48;

#[derive(Deserialize)]
struct CallEndsData {
    events: Vec<CallEndData>,
}

#[derive(Deserialize)]
struct CallEndData {
    #[serde(default)]
    call: Option<String>,
    #[serde(default)]
    detail: Value,
}

/// Refs of pictures by the call that brought them.
#[derive(Default)]
pub(super) struct CallPictures(BTreeMap<String, Vec<String>>);

impl CallPictures {
    /// Only for those who may read refs: auditors see that there is a picture, on the page of the call.
    pub(super) async fn of_run(visit: &PageVisit, run: &str) -> PageResult<Self> {
        if !visit.operates() {
            return Ok(Self::default());
        }
        let asked = PageAddress::of(["ledger"]).with("run", run).with("kind", "tool.call.completed");
        let ends = visit.find::<CallEndsData>(asked.with("limit", ENDS_MAX)).await?;
        Ok(Self::of(ends.map(|found| found.events).unwrap_or_default()))
    }

    fn of(ends: Vec<CallEndData>) -> Self {
        let mut pictures = Self::default();
        let mut left = PICTURES_MAX;
        for end in ends {
            let Some(call) = end.call else { continue };
            let refs = end.detail["refs"].as_array().map(Vec::as_slice).unwrap_or_default();
            for id in refs.iter().filter_map(shown).take(left) {
                left -= 1;
                pictures.0.entry(call.clone()).or_default().push(id.to_owned());
            }
        }
        pictures
    }

    pub(super) fn take(&mut self, call: &str) -> Vec<String> {
        self.0.remove(call).unwrap_or_default()
    }
}

/// The id of a ref that is a picture which may be shown.
fn shown(one: &Value) -> Option<&str> {
    let id = one["ref_id"].as_str()?;
    picture::is_shown(one["media_type"].as_str()?, one["size"].as_u64()?).then_some(id)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn end(call: &str, refs: Value) -> CallEndData {
        CallEndData { call: Some(call.to_owned()), detail: json!({ "refs": refs }) }
    }

    fn one(id: &str, media_type: &str) -> Value {
        json!({ "ref_id": id, "media_type": media_type, "size": 10 })
    }

    #[test]
    fn pictures_stand_with_their_call_and_other_refs_do_not() {
        let refs =
            json!([one("ref_1", "image/png"), one("ref_2", "text/plain"), { "type": "run", "id": "run_1" }]);
        let older = json!([{ "ref_id": "ref_3", "size": 10 }]);
        let mut pictures = CallPictures::of(vec![end("tc_1", refs), end("tc_2", older)]);
        assert_eq!(pictures.take("tc_1"), ["ref_1"]);
        assert!(pictures.take("tc_1").is_empty() && pictures.take("tc_2").is_empty());
    }

    #[test]
    fn a_page_has_a_limited_number_of_pictures() {
        let many = (0..PICTURES_MAX + 5).map(|number| one(&format!("ref_{number}"), "image/png")).collect();
        let mut pictures =
            CallPictures::of(vec![end("tc_1", many), end("tc_2", json!([one("ref_x", "image/png")]))]);
        assert_eq!(pictures.take("tc_1").len(), PICTURES_MAX);
        assert!(pictures.take("tc_2").is_empty());
    }
}
