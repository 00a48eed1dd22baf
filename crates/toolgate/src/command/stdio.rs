//! `toolgate stdio`: MCP on standard input and output, through the gateway that runs on the data folder if there is one.

use std::process::ExitCode;

use tokio::io::{AsyncWriteExt, copy};
use toolgate_core::PrincipalId;
use toolgate_edge::serve_pipe;
use toolgate_store::Store;

use super::Context;
use crate::local;
use crate::wiring::{self, Record};

pub(super) async fn run(context: &Context) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    if let Some(stream) = local::connect(&config.data).await {
        let (mut from_gateway, mut to_gateway) = stream.into_split();
        let (mut stdin, mut stdout) = (tokio::io::stdin(), tokio::io::stdout());
        let sending = async {
            copy(&mut stdin, &mut to_gateway).await?;
            to_gateway.shutdown().await
        };
        // The gateway closes its side once it has answered everything it was sent.
        let receiving = copy(&mut from_gateway, &mut stdout);
        let (sent, received) = tokio::join!(sending, receiving);
        sent?;
        received?;
        return Ok(ExitCode::SUCCESS);
    }
    let store = Store::open(&config.data).await?;
    let house = wiring::start(&config, &store, config.listen, Record::No).await?;
    serve_pipe(house.gateway.clone(), PrincipalId::local(), tokio::io::stdin(), tokio::io::stdout()).await;
    house.stop().await;
    store.close().await;
    Ok(ExitCode::SUCCESS)
}
