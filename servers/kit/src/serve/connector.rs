//! The two methods that a gateway sends to connectors, and nobody else.

use std::future::Future;

use rmcp::ErrorData;
use rmcp::model::{CustomRequest, CustomResult, ErrorCode, ExperimentalCapabilities};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::server::KitServer;
use crate::connector::Connector;
use crate::trouble::{Trouble, TroubleCode};

/// The capability of a server that is a connector.
const CONNECTOR: &str = "dev.toolgate/connector";
const PREVIEW: &str = "toolgate/preview";
const STREAM: &str = "toolgate/stream";

/// The words of a connector about itself in its capabilities.
pub(super) fn offers(connector: &dyn Connector) -> ExperimentalCapabilities {
    let offer = json!({ "previews": connector.previewed(), "streams": connector.streams() });
    let Value::Object(offer) = offer else { return ExperimentalCapabilities::default() };
    [(CONNECTOR.to_owned(), offer)].into()
}

impl KitServer {
    pub(super) async fn ask_privately(
        &self,
        request: CustomRequest,
        cancelled: CancellationToken,
    ) -> Result<CustomResult, ErrorData> {
        let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method.clone(), None);
        let connector = self.capability.connector.as_ref().ok_or_else(unknown)?;
        let _under_way = self.calls.token();
        let params = request.params.clone().unwrap_or_default();
        let answered = match request.method.as_str() {
            PREVIEW => self.within_time(connector.preview(read(params)?), cancelled).await,
            STREAM => self.within_time(connector.page(read(params)?), cancelled).await,
            _ => return Err(unknown()),
        };
        answered.map(CustomResult::new).map_err(|trouble| refused(&trouble))
    }

    /// In a task of its own, so that a panic ends nothing else; dropped with the request.
    async fn within_time<T: Serialize + Send + 'static>(
        &self,
        asking: impl Future<Output = Result<T, Trouble>> + Send + 'static,
        cancelled: CancellationToken,
    ) -> Result<Value, Trouble> {
        let mut task = JoinSet::new();
        task.spawn(asking);
        let answered = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(Trouble::internal("the request was cancelled")),
            ended = task.join_next() => match ended {
                Some(Ok(answered)) => answered?,
                _ => return Err(Trouble::new(TroubleCode::Crashed, "the connector failed on this request")),
            },
            () = tokio::time::sleep(self.limits.time) => {
                let message = format!("the connector did not answer within {} s", self.limits.time.as_secs_f64());
                return Err(Trouble::new(TroubleCode::TimedOut, message).hint("try again later"));
            }
        };
        serde_json::to_value(&answered)
            .map_err(|error| Trouble::internal(format!("the answer could not be written: {error}")))
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, ErrorData> {
    serde_path_to_error::deserialize(params)
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

fn refused(trouble: &Trouble) -> ErrorData {
    let code = match trouble.code {
        TroubleCode::BadArguments => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, trouble.to_string(), Some(json!({ "code": trouble.code })))
}
