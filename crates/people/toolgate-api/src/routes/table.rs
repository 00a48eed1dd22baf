//! Routes as they are listed: each with its roles, from which router, document and checks are made.

use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::access::{AccessTable, RouteCallers};
use crate::{ApiContext, document};

pub(super) struct RouteTable {
    pub(super) router: OpenApiRouter<ApiContext>,
    pub(super) access: AccessTable,
}

impl RouteTable {
    pub(super) fn start() -> Self {
        Self { router: OpenApiRouter::with_openapi(document::start()), access: AccessTable::default() }
    }

    /// Adds handlers of one path, which `#[utoipa::path]` names, for these callers.
    pub(super) fn route(mut self, who: RouteCallers, mut handlers: UtoipaMethodRouter<ApiContext>) -> Self {
        for (path, item) in &mut handlers.1.paths {
            for (method, _) in document::operations(item) {
                self.access.add(method, path, who);
            }
        }
        Self { router: self.router.routes(handlers), ..self }
    }

    /// Adds the routes of an area.
    pub(super) fn with(self, area: fn(Self) -> Self) -> Self {
        area(self)
    }
}
