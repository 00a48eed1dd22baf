//! Parameters of a statement, from JSON: texts, whole numbers, fractions, truth, and nothing.

use capability_kit::Trouble;
use serde_json::Value;
use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgArguments, PgTypeInfo, Postgres};
use sqlx::{Arguments as _, Type};

const COUNT_MAX: usize = 100;
/// The type of values whose type the database finds out itself.
const UNKNOWN_TYPE: Oid = Oid(705);

/// Nothing, of no type in particular.
struct UntypedNull;

impl Type<Postgres> for UntypedNull {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(UNKNOWN_TYPE)
    }
}

impl Encode<'_, Postgres> for UntypedNull {
    fn encode_by_ref(&self, _: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Ok(IsNull::Yes)
    }
}

/// The values, and their types for the preparation of the statement.
pub(super) fn arguments(parameters: &[Value]) -> Result<(PgArguments, Vec<PgTypeInfo>), Trouble> {
    if parameters.len() > COUNT_MAX {
        return Err(Trouble::bad_arguments(format!("there are {} parameters", parameters.len()))
            .hint(format!("pass at most {COUNT_MAX}")));
    }
    let (mut arguments, mut types) = (PgArguments::default(), Vec::new());
    for (at, parameter) in parameters.iter().enumerate() {
        let added = match parameter {
            Value::Null => add(&mut arguments, &mut types, UntypedNull),
            Value::Bool(truth) => add(&mut arguments, &mut types, *truth),
            Value::Number(number) => match number.as_i64() {
                Some(whole) => add(&mut arguments, &mut types, whole),
                None => add(&mut arguments, &mut types, number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => add(&mut arguments, &mut types, text.clone()),
            // As text, for $1::jsonb.
            Value::Array(_) | Value::Object(_) => add(&mut arguments, &mut types, parameter.to_string()),
        };
        added.map_err(|_| {
            Trouble::bad_arguments(format!("the parameter ${} cannot be sent", at + 1))
                .hint("pass it as a text")
        })?;
    }
    Ok((arguments, types))
}

fn add<T>(arguments: &mut PgArguments, types: &mut Vec<PgTypeInfo>, value: T) -> Result<(), BoxDynError>
where
    T: for<'q> Encode<'q, Postgres> + Type<Postgres>,
{
    types.push(T::type_info());
    arguments.add(value)
}
