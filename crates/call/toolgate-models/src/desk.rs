//! The desk that models are asked at: finds the definition in force, its key and its connection, asks once, and reads the
//! answer. It tries nothing again: that is the loop's affair.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use toolgate_core::model::{
    KnownModel, ModelAnswer, ModelDefinition, ModelFault, ModelFaultKind, ModelName, ModelPiece, ModelReport,
    ModelRequest, Models,
};
use toolgate_core::port::{BoxFuture, NoKey};
use toolgate_core::{Refusal, codes};

use crate::formats;
use crate::http::ModelConnection;
use crate::report;
use crate::stream;
use crate::tally::{ModelTallies, ModelTally};

/// The models in force. The answer may differ from one request to the next.
pub trait ModelSource: Send + Sync {
    /// Each name once.
    fn models(&self) -> Vec<KnownModel>;
}

/// The keys of models.
pub trait ModelKeys: Send + Sync {
    /// The secret `name`, to be sent to the address of this model. One that may not go there is not given.
    fn key<'a>(&'a self, model: &'a KnownModel, name: &'a str) -> BoxFuture<'a, Result<String, NoKey>>;

    /// A provider refused a key. Returns `true` if there is another one by now, so that the request is worth repeating once.
    fn refused(&self) -> BoxFuture<'_, bool>;
}

pub struct ModelDeskSetup {
    pub source: Arc<dyn ModelSource>,
    pub keys: Arc<dyn ModelKeys>,
}

/// Asks models over HTTP.
pub struct ModelDesk {
    source: Arc<dyn ModelSource>,
    keys: Arc<dyn ModelKeys>,
    /// By name, as the definitions were when they were opened. Never more than there are models.
    connections: Mutex<HashMap<ModelName, Arc<ModelConnection>>>,
    tallies: ModelTallies,
}

impl ModelDesk {
    pub fn new(setup: ModelDeskSetup) -> Arc<Self> {
        let ModelDeskSetup { source, keys } = setup;
        Arc::new(Self { source, keys, connections: Mutex::default(), tallies: ModelTallies::default() })
    }

    /// The models in force, sorted by name.
    pub fn known(&self) -> Vec<KnownModel> {
        let mut models = self.source.models();
        models.sort_by(|one, other| one.definition.name.cmp(&other.definition.name));
        models
    }

    /// What models were asked since the start, by model and outcome.
    pub fn tallies(&self) -> Vec<ModelTally> {
        self.tallies.read()
    }

    /// Asks a model twice, briefly: whether it answers and streams, and whether it calls tools.
    pub async fn test(&self, name: &ModelName) -> Result<ModelReport, Refusal> {
        let known = self.find(name).ok_or_else(|| unknown(name))?;
        Ok(report::of(self, &known.definition).await)
    }

    fn find(&self, name: &ModelName) -> Option<KnownModel> {
        self.source.models().into_iter().find(|known| known.definition.name == *name)
    }

    /// The connection to a model as it is defined now. Those of models that changed or are gone are let go; requests that
    /// are under way keep theirs.
    fn connection(&self, name: &ModelName) -> Result<Arc<ModelConnection>, ModelFault> {
        let models = self.source.models();
        let known = models.iter().find(|known| known.definition.name == *name);
        let known = known.ok_or_else(|| ModelFault::new(ModelFaultKind::Unusable, unknown(name).message))?;
        let mut connections = self.connections.lock();
        if let Some(open) = connections.get(name).filter(|open| open.known == *known) {
            return Ok(Arc::clone(open));
        }
        connections.retain(|_, open| models.contains(&open.known));
        let open = ModelConnection::open(known.clone()).map_err(|why| {
            let message = format!("the address of model \"{name}\" cannot be used: {why}");
            ModelFault::new(ModelFaultKind::Unusable, message)
        })?;
        let open = Arc::new(open);
        connections.insert(name.clone(), Arc::clone(&open));
        Ok(open)
    }

    async fn answer(
        &self,
        name: &ModelName,
        request: &ModelRequest,
        heard: &(dyn Fn(ModelPiece) + Send + Sync),
    ) -> Result<ModelAnswer, ModelFault> {
        let connection = self.connection(name)?;
        let _place = connection.place().await?;
        let answered = self.exchange(&connection, request, heard).await;
        let is_refused = matches!(&answered, Err(fault) if matches!(fault.status, Some(401 | 403)));
        // A request that was refused for its key had no effect.
        if is_refused && connection.known.definition.key.is_some() && self.keys.refused().await {
            return self.exchange(&connection, request, heard).await;
        }
        answered
    }

    async fn exchange(
        &self,
        connection: &ModelConnection,
        request: &ModelRequest,
        heard: &(dyn Fn(ModelPiece) + Send + Sync),
    ) -> Result<ModelAnswer, ModelFault> {
        let definition = &connection.known.definition;
        let key = self.key(&connection.known).await?;
        let wire = formats::request(definition, request, key.as_deref());
        let exchange = async {
            let answer = connection.send(wire).await?;
            stream::read(connection, answer, heard).await
        };
        let limit = definition.limits.answer;
        let answered = tokio::time::timeout(limit, exchange).await;
        let answered = answered.unwrap_or_else(|_| {
            Err(connection.away(&format!("its answer was not complete within {} s", limit.as_secs_f64())))
        });
        answered.map_err(|fault| without_key(fault, key.as_deref()))
    }

    async fn key(&self, known: &KnownModel) -> Result<Option<String>, ModelFault> {
        let Some(name) = &known.definition.key else { return Ok(None) };
        let key = self.keys.key(known, name).await;
        key.map(Some).map_err(|NoKey(why)| {
            let message = format!("model \"{}\" has no key: {why}", known.definition.name);
            ModelFault::new(ModelFaultKind::Unusable, message)
        })
    }
}

impl Models for ModelDesk {
    fn definition(&self, name: &ModelName) -> Option<ModelDefinition> {
        self.find(name).map(|known| known.definition)
    }

    fn definitions(&self) -> Vec<ModelDefinition> {
        self.known().into_iter().map(|known| known.definition).collect()
    }

    fn ask<'a>(
        &'a self,
        name: &'a ModelName,
        request: &'a ModelRequest,
        heard: &'a (dyn Fn(ModelPiece) + Send + Sync),
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelFault>> {
        let answering = Box::pin(self.answer(name, request, heard));
        Box::pin(async move {
            let began = Instant::now();
            let answered = answering.await;
            if let Some(definition) = self.definition(name) {
                self.tallies.note(&definition, &answered, began.elapsed());
            }
            answered
        })
    }

    fn check(&self, definition: &ModelDefinition) -> Result<(), Refusal> {
        let known = self.find(&definition.name).ok_or_else(|| unknown(&definition.name))?;
        let known = KnownModel { definition: definition.clone(), ..known };
        ModelConnection::open(known).map(drop).map_err(|why| {
            let name = &definition.name;
            Refusal::new(&codes::BAD_MODEL, format!("the address of model \"{name}\" cannot be used: {why}"))
                .hint(format!(
                    "correct `url`; `toolgate models show {name}` shows where the model is defined"
                ))
        })
    }
}

fn unknown(name: &ModelName) -> Refusal {
    Refusal::new(&codes::UNKNOWN_MODEL, format!("there is no model \"{name}\""))
}

/// Providers may repeat the request in their refusal.
fn without_key(fault: ModelFault, key: Option<&str>) -> ModelFault {
    const HIDDEN: &str = "…";
    match key.filter(|key| !key.is_empty()) {
        Some(key) => ModelFault { message: fault.message.replace(key, HIDDEN), ..fault },
        None => fault,
    }
}
