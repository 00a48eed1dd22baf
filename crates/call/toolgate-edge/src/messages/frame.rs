//! The output of a door: messages on the way, and the answer at the end.

use bytes::Bytes;
use toolgate_core::{RawJson, RpcError};
use toolgate_wire::compose;

/// The next output of a door.
pub(crate) enum Frame {
    /// A notification or a request to the client; more follows.
    Message(Bytes),
    /// The answer; nothing follows.
    Response(ResponseFrame),
}

pub(crate) struct ResponseFrame {
    pub(crate) body: MessagePieces,
    /// The code of a JSON-RPC error, which the newer era maps to an HTTP status.
    pub(crate) error_code: Option<i64>,
    /// The client cancelled the request; where nothing has to be sent, nothing is.
    pub(crate) cancelled: bool,
}

/// A message in three pieces, so that a large result is passed on without being copied into its envelope.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessagePieces(pub(crate) [Bytes; 3]);

impl From<Bytes> for MessagePieces {
    fn from(whole: Bytes) -> Self {
        Self([whole, Bytes::new(), Bytes::new()])
    }
}

impl MessagePieces {
    /// The message as one piece.
    pub(crate) fn joined(self) -> Bytes {
        let [head, middle, tail] = self.0;
        if middle.is_empty() && tail.is_empty() {
            return head;
        }
        [head, middle, tail].concat().into()
    }
}

impl ResponseFrame {
    pub(crate) fn error(id: Option<&RawJson>, error: &RpcError) -> Self {
        let body = compose::error(id.map(RawJson::as_str), error);
        Self { body: body.into(), error_code: Some(error.code), cancelled: false }
    }
}
