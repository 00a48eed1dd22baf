//! Problems for those who do not speak HTTP.

use toolgate_core::Refusal;

use crate::problem::Problem;

pub(super) fn refusal(problem: impl Into<Box<Problem>>) -> Refusal {
    let problem = problem.into();
    let field = problem.more.get("field").and_then(|field| field.as_str()).map(str::to_owned);
    Refusal { field, ..Refusal::new(problem.code, problem.detail).hint(problem.hint) }
}
