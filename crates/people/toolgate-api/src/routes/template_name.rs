//! The schema of a policy template's name, made from the table of templates.

use std::borrow::Cow;

use toolgate_core::decision::PolicyTemplate;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The type of members that name a policy template, in the document only.
pub(super) enum TemplateName {}

impl PartialSchema for TemplateName {
    fn schema() -> RefOr<Schema> {
        let meanings: Vec<String> =
            PolicyTemplate::MEANINGS.iter().map(|(name, meaning)| format!("`{name}`: {meaning}")).collect();
        let description = format!("A level of care, from the least strict. {}", meanings.join("; "));
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(description))
            .enum_values(Some(PolicyTemplate::NAMES))
            .into()
    }
}

impl ToSchema for TemplateName {
    fn name() -> Cow<'static, str> {
        "PolicyTemplate".into()
    }
}
