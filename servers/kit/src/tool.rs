//! One tool: a typed function with its description for agents and gateways.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::digits;
use crate::schema;
use crate::trouble::{Trouble, TroubleCode};
use crate::work::Work;

type ToolFunction = Box<dyn Fn(Value, &Work) -> Result<Value, Trouble> + Send + Sync>;

/// The effect of a call, in a gateway's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    Read,
    /// Creates something new that can be reached only by its ref.
    Write,
    /// Connects to other machines.
    External,
}

impl Effect {
    fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::External => "external",
        }
    }
}

/// The way a gateway turns the id of a file into arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileStrategy {
    /// `file_data` and `file_type`.
    BinaryBase64,
    /// `content`.
    PlainTextContent,
    /// `text`.
    PlainTextText,
    /// `image_data` and `image_type`.
    ImageBase64,
    /// `input_url`: an address that expires.
    VideoS3PresignedUrl,
}

impl FileStrategy {
    fn as_str(self) -> &'static str {
        match self {
            FileStrategy::BinaryBase64 => "binary_base64",
            FileStrategy::PlainTextContent => "plain_text_content",
            FileStrategy::PlainTextText => "plain_text_text",
            FileStrategy::ImageBase64 => "image_base64",
            FileStrategy::VideoS3PresignedUrl => "video_s3_presigned_url",
        }
    }
}

/// A function that agents may call.
pub struct Tool {
    name: &'static str,
    title: &'static str,
    description: String,
    input_schema: Map<String, Value>,
    output_schema: Map<String, Value>,
    effect: Effect,
    capabilities: &'static [&'static str],
    files: Vec<Value>,
    aliases: &'static [&'static str],
    time_limit: Option<Duration>,
    off: Option<Trouble>,
    run: ToolFunction,
}

impl Tool {
    /// Arguments and answer follow their schemas; unknown arguments are refused by name, and fractions in the
    /// answer are rounded.
    pub fn new<A, O>(
        name: &'static str,
        title: &'static str,
        description: impl Into<String>,
        run: impl Fn(A, &Work) -> Result<O, Trouble> + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        O: Serialize + JsonSchema,
    {
        let run = move |arguments: Value, work: &Work| {
            let arguments = schema::read::<A>(arguments)?;
            let answer = run(arguments, work)?;
            let mut answer = serde_json::to_value(answer)
                .map_err(|error| Trouble::internal(format!("the answer could not be written: {error}")))?;
            digits::round(&mut answer);
            Ok(answer)
        };
        Self {
            name,
            title,
            description: description.into(),
            input_schema: schema::of::<A>(),
            output_schema: schema::of::<O>(),
            effect: Effect::Read,
            capabilities: &[],
            files: Vec::new(),
            aliases: &[],
            time_limit: None,
            off: None,
            run: Box::new(run),
        }
    }

    /// Read is the default.
    pub fn effect(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// The capabilities that make this tool visible to a session, such as `documents`.
    pub fn capabilities(self, capabilities: &'static [&'static str]) -> Self {
        Self { capabilities, ..self }
    }

    /// Behind a gateway, agents pass a `file_id`, which becomes this.
    pub fn file(mut self, strategy: FileStrategy) -> Self {
        self.files.push(json!({ "strategy": strategy.as_str() }));
        self
    }

    /// The same for an argument with another name: agents pass `argument`, the tool gets `content` (and
    /// `media_type`).
    pub fn file_at(
        mut self,
        strategy: FileStrategy,
        argument: &'static str,
        content: &'static str,
        media_type: Option<&'static str>,
    ) -> Self {
        let mut slot = json!({ "strategy": strategy.as_str(), "argument": argument, "content": content });
        if let Some(media_type) = media_type {
            slot["media_type"] = media_type.into();
        }
        self.files.push(slot);
        self
    }

    /// Other names for it at a gateway, such as `documents.text.extract`.
    pub fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// For a tool that needs more than the server's own limit.
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }

    /// The tool is listed, describes what is missing, and answers with `why` until that is available.
    pub fn off(self, why: Trouble) -> Self {
        let description = format!("{} (Unavailable on this machine: {})", self.description, why.message);
        Self { description, off: Some(why), ..self }
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn title(&self) -> &'static str {
        self.title
    }

    pub fn description(&self) -> &str {
        &self.description
    }

    pub fn input_schema(&self) -> &Map<String, Value> {
        &self.input_schema
    }

    pub fn output_schema(&self) -> &Map<String, Value> {
        &self.output_schema
    }

    pub(crate) fn limit(&self) -> Option<Duration> {
        self.time_limit
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.effect == Effect::Read
    }

    pub(crate) fn is_external(&self) -> bool {
        self.effect == Effect::External
    }

    /// The missing requirement on this machine.
    pub(crate) fn missing(&self) -> Option<&Trouble> {
        self.off.as_ref()
    }

    /// The data for a gateway beyond MCP, in `_meta["dev.toolgate/tool"]` and with the registration.
    pub fn extra(&self) -> Value {
        let mut extra = json!({ "effects": [self.effect.as_str()], "idempotent": true });
        if !self.capabilities.is_empty() {
            extra["capabilities"] = json!(self.capabilities);
        }
        if !self.files.is_empty() {
            extra["files"] = json!(self.files);
        }
        if !self.aliases.is_empty() {
            extra["aliases"] = json!(self.aliases);
        }
        if let Some(limit) = self.time_limit {
            extra["timeout_seconds"] = json!(limit.as_secs_f64());
        }
        extra
    }

    /// Does the work, here and now. A panic in it is an answer too.
    pub fn call(&self, arguments: Value, work: &Work) -> Result<Value, Trouble> {
        if let Some(why) = &self.off {
            return Err(why.clone());
        }
        let run = std::panic::AssertUnwindSafe(|| (self.run)(arguments, work));
        std::panic::catch_unwind(run).unwrap_or_else(|_| {
            Err(Trouble::new(TroubleCode::Crashed, format!("{} failed on this input", self.name))
                .hint("the input may be damaged; try another file or another tool"))
        })
    }
}
