//! One tool: a typed function with its description for agents and gateways.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::resident::{ResidentAnswer, ResidentCall, ResidentFunction};
use crate::schema;
use crate::trouble::{Trouble, TroubleCode};
use crate::work::Work;

type ToolFunction = Box<dyn Fn(Value, &Work) -> Result<Value, Trouble> + Send + Sync>;

/// The place where a tool's function runs.
enum ToolBody {
    /// In a worker process.
    Worker(ToolFunction),
    /// In the server itself.
    Resident(ResidentFunction),
}

/// The effect of a call, in a gateway's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    Read,
    /// Creates something new that can be reached only by its ref.
    Write,
    /// Connects to other machines.
    External,
    /// Writes on other machines, where it cannot be taken back.
    ExternalWrite,
    /// May remove or overwrite what cannot be had again.
    Destructive,
}

impl Effect {
    fn words(self) -> &'static [&'static str] {
        match self {
            Effect::Read => &["read"],
            Effect::Write => &["write"],
            Effect::External => &["external"],
            Effect::ExternalWrite => &["write", "external"],
            Effect::Destructive => &["destructive"],
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
    output_schema: Option<Map<String, Value>>,
    effect: Effect,
    idempotent: bool,
    secrets: Vec<Value>,
    capabilities: &'static [&'static str],
    files: Vec<Value>,
    aliases: &'static [&'static str],
    time_limit: Option<Duration>,
    off: Option<Trouble>,
    body: ToolBody,
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
            schema::written(&run(arguments, work)?)
        };
        let body = ToolBody::Worker(Box::new(run));
        Self::made(name, title, description.into(), schema::of::<A>(), Some(schema::of::<O>()), body)
    }

    /// A tool that runs in the server itself and answers in words, without an output schema.
    pub fn resident<A, F>(
        name: &'static str,
        title: &'static str,
        description: impl Into<String>,
        run: impl Fn(A, ResidentCall) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        F: Future<Output = Result<ResidentAnswer, Trouble>> + Send + 'static,
    {
        let body: ResidentFunction = Arc::new(move |arguments, call| match schema::read::<A>(arguments) {
            Ok(arguments) => Box::pin(run(arguments, call)),
            Err(trouble) => Box::pin(std::future::ready(Err(trouble))),
        });
        let input = schema::of::<A>();
        Self::made(name, title, description.into(), input, None, ToolBody::Resident(body))
    }

    /// A tool that runs in the server itself and answers with data that follow their schema.
    pub fn resident_data<A, O, F>(
        name: &'static str,
        title: &'static str,
        description: impl Into<String>,
        run: impl Fn(A, ResidentCall) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        O: Serialize + JsonSchema,
        F: Future<Output = Result<O, Trouble>> + Send + 'static,
    {
        let data = move |arguments: A, call: ResidentCall| {
            let answered = run(arguments, call);
            async move { schema::written(&answered.await?).map(ResidentAnswer::data) }
        };
        Self { output_schema: Some(schema::of::<O>()), ..Self::resident(name, title, description, data) }
    }

    fn made(
        name: &'static str,
        title: &'static str,
        description: String,
        input_schema: Map<String, Value>,
        output_schema: Option<Map<String, Value>>,
        body: ToolBody,
    ) -> Self {
        Self {
            name,
            title,
            description,
            input_schema,
            output_schema,
            effect: Effect::Read,
            idempotent: true,
            secrets: Vec::new(),
            capabilities: &[],
            files: Vec::new(),
            aliases: &[],
            time_limit: None,
            off: None,
            body,
        }
    }

    /// Read is the default.
    pub fn effect(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// A second call with the same arguments has a second effect. Tools are repeatable by default.
    pub fn not_repeatable(self) -> Self {
        Self { idempotent: false, ..self }
    }

    /// Behind a gateway, agents pass the handle of a credential here, which becomes a [`Secret`](crate::Secret). `argument` is a
    /// name, or a path such as `fields/*/secret` for each element of a list.
    pub fn secret(mut self, argument: &'static str) -> Self {
        self.secrets.push(json!({ "argument": argument }));
        self
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

    pub fn output_schema(&self) -> Option<&Map<String, Value>> {
        self.output_schema.as_ref()
    }

    pub(crate) fn limit(&self) -> Option<Duration> {
        self.time_limit
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.effect == Effect::Read
    }

    pub(crate) fn is_external(&self) -> bool {
        matches!(self.effect, Effect::External | Effect::ExternalWrite)
    }

    pub(crate) fn is_destructive(&self) -> bool {
        self.effect == Effect::Destructive
    }

    pub(crate) fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    /// The function of a tool that runs in the server itself.
    pub(crate) fn at_home(&self) -> Option<&ResidentFunction> {
        match &self.body {
            ToolBody::Resident(function) => Some(function),
            ToolBody::Worker(_) => None,
        }
    }

    /// The missing requirement on this machine.
    pub(crate) fn missing(&self) -> Option<&Trouble> {
        self.off.as_ref()
    }

    /// The data for a gateway beyond MCP, in `_meta["dev.toolgate/tool"]` and with the registration.
    pub fn extra(&self) -> Value {
        let mut extra = json!({ "effects": self.effect.words(), "idempotent": self.idempotent });
        if !self.capabilities.is_empty() {
            extra["capabilities"] = json!(self.capabilities);
        }
        if !self.files.is_empty() {
            extra["files"] = json!(self.files);
        }
        if !self.secrets.is_empty() {
            extra["secrets"] = json!(self.secrets);
        }
        if !self.aliases.is_empty() {
            extra["aliases"] = json!(self.aliases);
        }
        if let Some(limit) = self.time_limit {
            extra["timeout_seconds"] = json!(limit.as_secs_f64());
        }
        extra
    }

    /// Does the work of a worker, here and now. A panic in it is an answer too.
    pub fn call(&self, arguments: Value, work: &Work) -> Result<Value, Trouble> {
        if let Some(why) = &self.off {
            return Err(why.clone());
        }
        let ToolBody::Worker(run) = &self.body else {
            return Err(Trouble::internal(format!("{} does not run in a worker", self.name)));
        };
        let run = std::panic::AssertUnwindSafe(|| run(arguments, work));
        std::panic::catch_unwind(run).unwrap_or_else(|_| Err(self.panicked()))
    }

    pub(crate) fn panicked(&self) -> Trouble {
        Trouble::new(TroubleCode::Crashed, format!("{} failed on this input", self.name))
            .hint("the input may be damaged; try another file or another tool")
    }
}
