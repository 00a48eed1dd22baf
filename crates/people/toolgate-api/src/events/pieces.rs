//! The pieces of a model's answers, and the progress of calls, between the events of a run. They are for those who watch: nothing waits
//! for them, and nothing of them is kept.

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use serde_json::json;
use toolgate_core::model::ModelPiece;

use crate::driven::RunPiece;
use crate::progress::CallProgress;

pub(crate) type PieceStream = BoxStream<'static, LivePiece>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LivePiece {
    Model(RunPiece),
    Progress(CallProgress),
}

/// The next piece. It never comes where there are none, or no more.
pub(super) async fn next(pieces: &mut Option<PieceStream>) -> LivePiece {
    loop {
        match pieces {
            None => std::future::pending::<()>().await,
            Some(stream) => match stream.next().await {
                Some(piece) => return piece,
                None => *pieces = None,
            },
        }
    }
}

/// A piece as a server-sent event. It has no id, since no stream can be resumed after it.
pub(super) fn frame(piece: &LivePiece) -> Bytes {
    let (name, data) = match piece {
        LivePiece::Model(RunPiece { turn, piece }) => match piece {
            ModelPiece::Text(text) => ("model.text", json!({ "turn": turn, "text": text })),
            ModelPiece::Thinking(text) => ("model.thinking", json!({ "turn": turn, "text": text })),
            ModelPiece::Call(tool) => ("model.call", json!({ "turn": turn, "tool": tool })),
            ModelPiece::Again => ("model.again", json!({ "turn": turn })),
        },
        LivePiece::Progress(progress) => ("tool.call.progress", json!(progress)),
    };
    format!("event: {name}\ndata: {data}\n\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_one_line_whatever_it_says() {
        let frame = |piece| {
            let piece = LivePiece::Model(RunPiece { turn: 2, piece });
            String::from_utf8(frame(&piece).to_vec()).expect("text")
        };
        let text = frame(ModelPiece::Text("a\nb".to_owned()));
        assert_eq!(text, "event: model.text\ndata: {\"turn\":2,\"text\":\"a\\nb\"}\n\n");
        let call = frame(ModelPiece::Call("files__read".to_owned()));
        assert_eq!(call, "event: model.call\ndata: {\"turn\":2,\"tool\":\"files__read\"}\n\n");
        assert_eq!(frame(ModelPiece::Again), "event: model.again\ndata: {\"turn\":2}\n\n");
    }
}
