//! A document that was read.

use crate::bad::BadDocument;
use crate::limits::ReadLimits;
use crate::security::SecurityScheme;
use crate::servers::ApiServer;
use crate::tool::{ApiTool, ApiTools, LeftOut};

/// An OpenAPI document, with the documents it refers to as far as they were supplied.
#[derive(Clone, Debug)]
pub struct ApiDocument {
    digest: [u8; 32],
}

/// Reads JSON or YAML. A document of version 2.0 is converted.
pub fn read(bytes: &[u8], limits: &ReadLimits) -> Result<ApiDocument, BadDocument> {
    let _ = (bytes, limits);
    Ok(ApiDocument { digest: [0; 32] })
}

impl ApiDocument {
    pub fn title(&self) -> &str {
        ""
    }

    pub fn version(&self) -> &str {
        ""
    }

    pub fn description(&self) -> Option<&str> {
        None
    }

    /// The SHA-256 of the bytes.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Documents that references name and that were not supplied, without fragments: relative to this document, or absolute.
    pub fn external_references(&self) -> Vec<String> {
        Vec::new()
    }

    /// Adds a document that `external_references` named.
    pub fn supply(&mut self, reference: &str, bytes: &[u8], limits: &ReadLimits) -> Result<(), BadDocument> {
        let _ = (reference, bytes, limits);
        Ok(())
    }

    pub fn servers(&self) -> Vec<ApiServer> {
        Vec::new()
    }

    pub fn security(&self) -> Vec<SecurityScheme> {
        Vec::new()
    }

    /// All tools, in the order of the document.
    pub fn tools(&self) -> ApiTools {
        let mut tools = ApiTools::default();
        tools.left_out = self.each_tool(|tool| tools.tools.push(tool));
        tools
    }

    /// Gives tools one by one, so that not all of their schemas are held at once.
    pub fn each_tool(&self, take: impl FnMut(ApiTool)) -> Vec<LeftOut> {
        let _ = take;
        Vec::new()
    }
}
