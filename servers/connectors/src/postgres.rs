//! Postgres: questions to one database, which change nothing.

mod cell;
mod database;
mod failure;
mod options;
mod parameter;
mod query;
mod records;
mod statement;
mod stream;
mod tables;

use std::sync::Arc;

use capability_kit::{
    CallPreview, Connector, PageQuestion, PreviewQuestion, ResidentFuture, StreamPage, Tool, Trouble,
};

pub use options::PostgresOptions;

use crate::options::WayOptions;
use crate::provided::Provided;
use database::Database;

/// One database, if its settings are there.
pub(crate) struct PostgresConnector {
    database: Provided<Database>,
}

impl PostgresConnector {
    pub(crate) fn of(options: &PostgresOptions, way: &WayOptions) -> Self {
        Self { database: Database::of(options, way).map(Arc::new) }
    }

    pub(crate) fn tools(&self) -> Vec<Tool> {
        vec![
            query::tool(&self.database),
            tables::list_tool(&self.database),
            tables::describe_tool(&self.database),
        ]
    }
}

impl Connector for PostgresConnector {
    fn previewed(&self) -> Vec<&'static str> {
        Vec::new()
    }

    fn streams(&self) -> Vec<String> {
        let database = self.database.as_ref();
        database
            .map(|database| database.streams.iter().map(|stream| stream.name()).collect())
            .unwrap_or_default()
    }

    fn preview(&self, asked: PreviewQuestion) -> ResidentFuture<Result<CallPreview, Trouble>> {
        let nothing = Trouble::bad_arguments(format!("{} changes nothing", asked.name)).hint("call it");
        Box::pin(std::future::ready(Err(nothing)))
    }

    fn page(&self, asked: PageQuestion) -> ResidentFuture<Result<StreamPage, Trouble>> {
        let database = self.database.clone();
        Box::pin(async move { records::page(&*database?, asked).await })
    }
}
