//! S3: the objects of one bucket, below one prefix.

mod bucket;
mod http;
mod listing;
mod options;
mod put;
mod reading;
mod records;

use std::sync::Arc;

use capability_kit::{
    CallPreview, Connector, PageQuestion, PreviewQuestion, ResidentFuture, StreamPage, Tool, Trouble,
};

pub use options::S3Options;

use crate::options::WayOptions;
use crate::provided::Provided;
use bucket::Bucket;

/// One bucket, if its settings are there.
pub(crate) struct S3Connector {
    bucket: Provided<Bucket>,
    allow_put: bool,
}

impl S3Connector {
    pub(crate) fn of(options: &S3Options, way: &WayOptions) -> Self {
        Self { bucket: Bucket::of(options, way).map(Arc::new), allow_put: options.allow_put }
    }

    /// What the operator does not allow is not there.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let mut tools = vec![listing::tool(&self.bucket), reading::tool(&self.bucket)];
        if self.allow_put {
            tools.push(put::tool(&self.bucket));
        }
        tools
    }
}

impl Connector for S3Connector {
    fn previewed(&self) -> Vec<&'static str> {
        if self.allow_put { vec![put::NAME] } else { Vec::new() }
    }

    fn streams(&self) -> Vec<String> {
        vec![records::STREAM.to_owned()]
    }

    fn preview(&self, asked: PreviewQuestion) -> ResidentFuture<Result<CallPreview, Trouble>> {
        let bucket = self.bucket.clone();
        Box::pin(async move { put::preview(&*bucket?, asked) })
    }

    fn page(&self, asked: PageQuestion) -> ResidentFuture<Result<StreamPage, Trouble>> {
        let bucket = self.bucket.clone();
        Box::pin(async move { records::page(&*bucket?, asked).await })
    }
}
