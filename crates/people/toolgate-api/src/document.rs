//! The OpenAPI document, beyond the routes: its introduction, the roles, the form of problems.

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};
use toolgate_core::platform::PlatformTool;
use utoipa::PartialSchema;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathItem, Ref, ResponseBuilder,
    SecurityRequirement,
};

use crate::access::{AccessTable, RouteCallers};
use crate::problem::{MEDIA_TYPE, Problem};

const TOKEN: &str = "token";
const SIGNATURE: &str = "signature";
const ADDRESS: &str = "address";
/// The extension with the roles of each operation, for programs.
pub(crate) const ROLES_EXTENSION: &str = "x-roles";

/// The route that serves every tool by its path.
const TOOL_PATH: &str = "/tools/{name}";

pub(crate) fn start() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Toolgate")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Tools, agents, sessions, tasks, runs, questions, servers, settings, approvals, grants and the ledger of a Toolgate gateway.",
        ))
        .build();
    let token = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let signature = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
        "webhook-signature",
        "Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over \"id.timestamp.body\"",
    )));
    let address = SecurityScheme::ApiKey(ApiKey::Query(ApiKeyValue::with_description(
        "signature",
        "Part of a signed URL; `key` in upload URLs",
    )));
    let mut components = Components::new();
    components.add_security_scheme(TOKEN, token);
    components.add_security_scheme(SIGNATURE, signature);
    components.add_security_scheme(ADDRESS, address);
    components.schemas.insert("Problem".to_owned(), Problem::schema());
    OpenApiBuilder::new().info(info).components(Some(components)).build()
}

/// Says at every operation who may use it, and that it may answer with a problem.
pub(crate) fn complete(api: &mut OpenApi, table: &AccessTable) {
    for (path, item) in &mut api.paths.paths {
        for (method, operation) in operations(item) {
            let access = table.of(&method, path).expect("a route is listed with its roles");
            describe(operation, access.who);
        }
    }
}

/// The document as text, with the path of each tool of the platform. Their schemas are JSON Schema as the definitions have it.
pub(crate) fn text(api: &OpenApi, access: &AccessTable, platform: &[Arc<PlatformTool>]) -> String {
    let mut document = serde_json::to_value(api).expect("the document serialises");
    for one in platform {
        document["paths"][format!("/tools/{}", one.tool.name)] = json!({ "post": operation(one, access) });
    }
    document.to_string()
}

fn operation(one: &PlatformTool, access: &AccessTable) -> Value {
    let described: Value = one.definition.decode().unwrap_or_default();
    let data: Value = one.output_schema.decode().unwrap_or_default();
    let roles: Vec<&str> = match access.of(&Method::POST, TOOL_PATH).map(|access| access.who) {
        Some(RouteCallers::Roles(roles)) => roles.iter().map(|role| role.as_str()).collect(),
        _ => Vec::new(),
    };
    let seat = ["agent", "session"].map(|name| {
        json!({ "name": name, "in": "query", "schema": { "type": "string" },
            "description": format!("Call as this {name}") })
    });
    let envelope = json!({ "allOf": [
        { "$ref": "#/components/schemas/EnvelopeView" },
        { "type": "object", "properties": { "data": data } },
    ] });
    json!({
        "tags": [one.tool.name.as_str().split('.').next()],
        "summary": one.title,
        "description": described["description"],
        "operationId": &*one.wire,
        "parameters": seat,
        "requestBody": {
            "required": true, "content": { "application/json": { "schema": described["inputSchema"] } },
        },
        "responses": {
            "200": { "description": "The tool ran", "content": { "application/json": { "schema": envelope } } },
            "default": {
                "description": "A problem",
                "content": { (MEDIA_TYPE): { "schema": { "$ref": "#/components/schemas/Problem" } } },
            },
        },
        "security": [{ (TOKEN): [] }],
        (ROLES_EXTENSION): roles,
    })
}

pub(crate) fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let all = [
        (Method::GET, item.get.as_mut()),
        (Method::POST, item.post.as_mut()),
        (Method::PUT, item.put.as_mut()),
        (Method::PATCH, item.patch.as_mut()),
        (Method::DELETE, item.delete.as_mut()),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation?)))
}

fn describe(operation: &mut Operation, who: RouteCallers) {
    let (scheme, roles): (_, Vec<&str>) = match who {
        RouteCallers::Roles(roles) => (TOKEN, roles.iter().map(|role| role.as_str()).collect()),
        RouteCallers::Signed => (SIGNATURE, Vec::new()),
        RouteCallers::Addressed => (ADDRESS, Vec::new()),
    };
    operation.security = Some(vec![SecurityRequirement::new(scheme, Vec::<String>::new())]);
    let extensions = operation.extensions.get_or_insert_with(Extensions::default);
    extensions.insert(ROLES_EXTENSION.to_owned(), roles.into());
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    let problem = ResponseBuilder::new().description("A problem").content(MEDIA_TYPE, content).build();
    operation.responses.responses.insert("default".to_owned(), problem.into());
}
