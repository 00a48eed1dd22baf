//! All that an API offers, by name: operations of a document, actions and streams of a connector file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use connector_file::{AuthRule, ConnectorAction, ConnectorFile, ConnectorStream, ProviderRules};
use openapi_tools::{ApiDocument, ApiEffects, ApiTool, FileLabel, FileLabels, RequestPlan, join_base};
use serde_json::{Map, Value};
use toolgate_core::tool::FileSlot;
use url::Url;

use super::definition::{self, ToolDefinition};

/// A tool of an API.
pub(super) struct BookTool {
    pub(super) files: Vec<FileSlot>,
    pub(super) kind: BookToolKind,
}

pub(super) enum BookToolKind {
    Operation(Box<ApiOperation>),
    Action(Box<ConnectorAction>),
}

/// What a call of an operation needs.
pub(super) struct ApiOperation {
    pub(super) effects: ApiEffects,
    /// What its answers mean: as the connector file beside the document says, if there is one.
    pub(super) rules: Arc<ProviderRules>,
    pub(super) plan: RequestPlan,
    /// An address of its own.
    pub(super) server: Option<String>,
    pub(super) promises_json: bool,
    /// The argument that takes a key against repetition.
    pub(super) key_argument: Option<String>,
}

impl BookTool {
    /// Takes what the gateway says about files beside their bytes out of the arguments.
    pub(super) fn labels(&self, arguments: &mut Map<String, Value>) -> FileLabels {
        let mut labels = FileLabels::new();
        for slot in &self.files {
            let mut said = |name: Option<&String>| texts(name.and_then(|name| arguments.remove(name)));
            let (names, types) = (said(slot.file_name.as_ref()), said(slot.media_type.as_ref()));
            let text = |all: &[String], at: usize| all.get(at).cloned();
            let one = |at| FileLabel { name: text(&names, at), media_type: text(&types, at) };
            labels.insert(slot.content.clone(), (0..names.len().max(types.len())).map(one).collect());
        }
        labels
    }
}

/// The text of one file, or those of several.
fn texts(value: Option<Value>) -> Vec<String> {
    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
    match value {
        None => Vec::new(),
        Some(Value::Array(values)) => values.into_iter().map(text).collect(),
        Some(value) => vec![text(value)],
    }
}

pub(super) struct ApiBook {
    /// Names, and definitions as JSON text, in the order of the lists.
    pub(super) definitions: Vec<(String, String)>,
    pub(super) tools: BTreeMap<String, BookTool>,
    pub(super) streams: BTreeMap<String, ConnectorStream>,
    pub(super) auth: AuthRule,
    /// The action that trying a connection calls.
    pub(super) probe: Option<String>,
    pub(super) title: String,
    pub(super) version: String,
    pub(super) description: Option<String>,
    /// Operations that are no tools.
    pub(super) left_out: usize,
}

/// The sources of a book.
pub(super) struct BookSources {
    pub(super) file: Option<ConnectorFile>,
    pub(super) document: Option<ApiDocument>,
    /// The operations of the document are tools too, and not only what actions are made of.
    pub(super) lists_operations: bool,
}

impl ApiBook {
    /// Takes a while for a large document.
    pub(super) fn of(sources: &BookSources) -> Result<Self, String> {
        let (file, document) = (sources.file.as_ref(), sources.document.as_ref());
        let mut book = Self {
            definitions: Vec::new(),
            tools: BTreeMap::new(),
            streams: BTreeMap::new(),
            auth: file.map_or(AuthRule::Open, |file| file.auth().clone()),
            probe: file.and_then(ConnectorFile::probe).map(str::to_owned),
            title: file.map(|file| file.title().to_owned()).unwrap_or_default(),
            version: file.map(|file| file.version().to_owned()).unwrap_or_default(),
            description: file.map(|file| file.description().to_owned()).filter(|text| !text.is_empty()),
            left_out: 0,
        };
        if let Some(file) = file {
            let told = |bad: connector_file::BadConnectorFile| bad.to_string();
            file.actions(document).map_err(told)?.into_iter().for_each(|action| book.add_action(action));
            let streams = file.streams(document).map_err(told)?;
            book.streams = streams.into_iter().map(|one| (one.name().to_owned(), one)).collect();
        }
        if let Some(document) = document {
            book.describe(document);
            if sources.lists_operations {
                let rules = file.map_or_else(|| Arc::new(ProviderRules::usual()), ConnectorFile::rules);
                book.add_operations(document, &rules);
            }
        }
        Ok(book)
    }

    /// The operator has set the address of all operations.
    pub(super) fn forget_servers(&mut self) {
        for tool in self.tools.values_mut() {
            if let BookToolKind::Operation(operation) = &mut tool.kind {
                operation.server = None;
            }
        }
    }

    /// Operations may have an address of their own. Those of another origin than the API's are left out: credentials do not
    /// leave theirs.
    pub(super) fn settle_servers(&mut self, base: &Url, document: Option<&Url>) {
        let mut elsewhere = BTreeSet::new();
        for (name, tool) in &mut self.tools {
            let BookToolKind::Operation(operation) = &mut tool.kind else { continue };
            let Some(server) = operation.server.take() else { continue };
            let joined = join_base(document.map(Url::as_str), &server, "/").ok();
            match joined.and_then(|joined| Url::parse(&joined).ok()) {
                Some(own) if own.origin() == base.origin() => {
                    operation.server = Some(own.as_str().trim_end_matches('/').to_owned());
                }
                _ => {
                    elsewhere.insert(name.clone());
                }
            }
        }
        self.left_out += elsewhere.len();
        self.tools.retain(|name, _| !elsewhere.contains(name));
        self.definitions.retain(|(name, _)| !elsewhere.contains(name));
    }

    fn describe(&mut self, document: &ApiDocument) {
        if self.title.is_empty() {
            document.title().clone_into(&mut self.title);
            document.version().clone_into(&mut self.version);
        }
        if self.description.is_none() {
            self.description = document.description().map(str::to_owned);
        }
    }

    fn add_action(&mut self, action: ConnectorAction) {
        let name = action.name().to_owned();
        let ToolDefinition { text, files } = definition::of_action(action.tool());
        self.definitions.push((name.clone(), text));
        self.tools.insert(name, BookTool { files, kind: BookToolKind::Action(Box::new(action)) });
    }

    fn add_operations(&mut self, document: &ApiDocument, rules: &Arc<ProviderRules>) {
        let actions: BTreeSet<String> = self.tools.keys().cloned().collect();
        let left_out = document.each_tool(|tool| {
            if !actions.contains(&tool.name) {
                self.add_operation(tool, rules);
            }
        });
        for one in &left_out {
            tracing::debug!(
                method = one.method,
                path = one.path,
                reason = one.reason,
                "an operation is no tool"
            );
        }
        self.left_out = left_out.len();
    }

    fn add_operation(&mut self, tool: ApiTool, rules: &Arc<ProviderRules>) {
        let ToolDefinition { text, files } = definition::of_operation(&tool);
        let operation = ApiOperation {
            effects: tool.effects,
            rules: Arc::clone(rules),
            promises_json: !tool.produces.is_empty() && tool.produces.iter().all(|kind| is_json(kind)),
            key_argument: key_argument(&tool),
            plan: tool.plan,
            server: tool.server,
        };
        self.definitions.push((tool.name.clone(), text));
        self.tools.insert(tool.name, BookTool { files, kind: BookToolKind::Operation(Box::new(operation)) });
    }
}

/// True for `application/json` and its relatives.
pub(super) fn is_json(media_type: &str) -> bool {
    let kind = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind == "text/json" || kind.ends_with("+json")
}

/// The header `Idempotency-Key` where the operation has one.
fn key_argument(tool: &ApiTool) -> Option<String> {
    let is_key = |name: &&String| name.to_ascii_lowercase().replace('_', "-") == "idempotency-key";
    tool.input_schema["properties"].as_object()?.keys().find(is_key).cloned()
}
