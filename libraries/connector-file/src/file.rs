//! A connector file that was read and checked.

use std::sync::Arc;

use openapi_tools::ApiDocument;
use sha2::{Digest, Sha256};

use crate::action::ConnectorAction;
use crate::auth::AuthRule;
use crate::check;
use crate::compile;
use crate::error::BadConnectorFile;
use crate::form::{FileForm, SchemaForm};
use crate::rules::ProviderRules;
use crate::stream::ConnectorStream;

/// The newest form of the file that is understood.
pub const SCHEMA: u64 = 1;

pub const FILE_BYTES_MAX: usize = 1 << 20;

/// What a provider's description cannot say.
pub struct ConnectorFile {
    form: FileForm,
    /// For the lines of what is found later.
    text: String,
    auth: AuthRule,
    rules: Arc<ProviderRules>,
}

impl ConnectorFile {
    pub fn read(text: &str) -> Result<Self, BadConnectorFile> {
        if text.len() > FILE_BYTES_MAX {
            return Err(BadConnectorFile::at(
                "",
                0,
                format!("a connector file has at most {FILE_BYTES_MAX} bytes"),
            ));
        }
        check_schema(text)?;
        let form: FileForm = toml::from_str(text).map_err(|error| from_toml(text, &error))?;
        check::check(text, &form)?;
        let auth = compile::auth(text, form.auth.as_ref())?;
        let rules = Arc::new(compile::rules(&form));
        Ok(Self { form, text: text.to_owned(), auth, rules })
    }

    /// The name of the provider, such as `slack`.
    pub fn provider(&self) -> &str {
        self.form.provider.get_ref()
    }

    pub fn title(&self) -> &str {
        &self.form.title
    }

    pub fn version(&self) -> &str {
        &self.form.version
    }

    pub fn description(&self) -> &str {
        &self.form.description
    }

    /// Nothing if every connection has its own.
    pub fn base_url(&self) -> Option<&str> {
        self.form.base_url.as_ref().map(|url| url.get_ref().as_str())
    }

    /// The path or address of the OpenAPI document that actions and streams name operations of.
    pub fn document(&self) -> Option<&str> {
        self.form.document.as_deref()
    }

    pub fn auth(&self) -> &AuthRule {
        &self.auth
    }

    /// What its answers mean, also those to operations that no action of the file is over.
    pub fn rules(&self) -> Arc<ProviderRules> {
        Arc::clone(&self.rules)
    }

    /// The action that reads something without arguments, to find out whether the provider can be reached and lets us in.
    pub fn probe(&self) -> Option<&str> {
        self.form.probe.as_ref().map(|probe| probe.get_ref().as_str())
    }

    /// The actions, in the order of the file. Those over operations need the document.
    pub fn actions(&self, document: Option<&ApiDocument>) -> Result<Vec<ConnectorAction>, BadConnectorFile> {
        compile::actions(&self.text, &self.form, &self.rules, document)
    }

    /// The streams, in the order of the file. Those over operations need the document.
    pub fn streams(&self, document: Option<&ApiDocument>) -> Result<Vec<ConnectorStream>, BadConnectorFile> {
        compile::streams(&self.text, &self.form, &self.rules, document)
    }

    /// SHA-256 of the text.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.text.as_bytes()).into()
    }
}

/// A newer file may have keys that are unknown here, so its number is looked at first.
fn check_schema(text: &str) -> Result<(), BadConnectorFile> {
    let form: SchemaForm = toml::from_str(text).map_err(|error| from_toml(text, &error))?;
    let schema = *form.schema.get_ref();
    if (1..=SCHEMA).contains(&schema) {
        return Ok(());
    }
    let says = match schema {
        0 => "schemas are counted from 1".to_owned(),
        _ => format!(
            "the file has schema {schema}, and this program reads up to {SCHEMA}: it needs a newer program"
        ),
    };
    Err(BadConnectorFile::of(text, &form.schema, says))
}

fn from_toml(text: &str, error: &toml::de::Error) -> BadConnectorFile {
    let byte = error.span().map_or(0, |span| span.start);
    BadConnectorFile::at(text, byte, error.message().trim())
}

#[cfg(test)]
mod tests;
