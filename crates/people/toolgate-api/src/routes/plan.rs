//! The work of tasks and runs whose agent the gateway runs itself, as bodies say it.

use toolgate_core::RawJson;
use toolgate_core::codes;
use toolgate_core::model::ModelName;
use toolgate_core::run::{InputFile, TaskPlan};

use super::turns::known_model;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};

/// The maximum length of a goal, in bytes.
const GOAL_BYTES_MAX: usize = 100 << 10;
/// The maximum length of instructions, in bytes.
const INSTRUCTIONS_BYTES_MAX: usize = 100 << 10;
/// The maximum length of an outcome schema, in bytes.
const OUTCOME_SCHEMA_BYTES_MAX: usize = 256 << 10;

/// The members of a body that say what is to be done.
pub(super) struct PlanWords {
    pub(super) goal: Option<String>,
    pub(super) model: Option<ModelName>,
    pub(super) instructions: Option<String>,
    pub(super) outcome_schema: Option<RawJson>,
    pub(super) spend_per_day_micros: Option<u64>,
}

impl PlanWords {
    /// The work, if there is a goal. A model alone does nothing.
    pub(super) fn read(self, context: &ApiContext, input: Vec<InputFile>) -> ApiResult<Option<TaskPlan>> {
        let PlanWords { goal, model, instructions, outcome_schema, spend_per_day_micros } = self;
        let Some(goal) = goal else {
            let is_said = model.is_some()
                || instructions.is_some()
                || outcome_schema.is_some()
                || spend_per_day_micros.is_some();
            return if is_said { Err(missing("goal", "the work, in words")) } else { Ok(None) };
        };
        let model = model.ok_or_else(|| missing("model", "the name of a model"))?;
        known_model(context, &model)?;
        if goal.trim().is_empty() {
            return Err(Problem::bad_field(&codes::FIELD_INVALID, "goal", "field `goal`: it is empty"));
        }
        let instructions = instructions.unwrap_or_default();
        check_length("goal", goal.len(), GOAL_BYTES_MAX)?;
        check_length("instructions", instructions.len(), INSTRUCTIONS_BYTES_MAX)?;
        if let Some(schema) = &outcome_schema {
            check_schema(schema)?;
        }
        Ok(Some(TaskPlan { goal, model, instructions, input, outcome_schema, spend_per_day_micros }))
    }
}

fn missing(field: &str, meaning: &str) -> Box<Problem> {
    let detail = format!("field `{field}` is missing: {meaning}");
    Problem::bad_field(&codes::FIELD_INVALID, field, detail)
        .hint("a run that the gateway drives has a `goal` and a `model`")
}

fn check_length(field: &str, bytes: usize, max: usize) -> ApiResult<()> {
    if bytes <= max {
        return Ok(());
    }
    let detail = format!("field `{field}`: it has {bytes} bytes, and {max} are allowed");
    Err(Problem::bad_field(&codes::FIELD_TOO_LARGE, field, detail)
        .hint("put the rest into a file, and name it in `input`"))
}

fn check_schema(schema: &RawJson) -> ApiResult<()> {
    check_length("outcome_schema", schema.as_str().len(), OUTCOME_SCHEMA_BYTES_MAX)?;
    match toolgate_pipeline::schema::unchecked_text(schema) {
        None => Ok(()),
        Some(why) => {
            let detail = format!("field `outcome_schema`: {why}");
            Err(Problem::bad_field(&codes::FIELD_INVALID, "outcome_schema", detail)
                .hint("send a JSON Schema that can be checked as a whole"))
        }
    }
}
