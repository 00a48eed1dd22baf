//! Two gateways on one Postgres and one bucket, each with an engine of its own.

use serde_json::json;

use super::library::{IndexLibrary, STILL, hits};
use crate::files::archive::Storage;
use crate::governed::database::Backing;

const BARN: &str = "# Barn\n\nThe barn is full of hay. Owls live under its roof.\n";

#[tokio::test]
async fn an_index_that_one_gateway_built_is_searched_and_gone_on_from_by_another() {
    let more = format!("{STILL}{}", Storage::S3.toml(""));
    let one = IndexLibrary::filled(Backing::postgres(), &more).await;
    one.ingest().await;
    let database = one.site.backing.database().expect("gateways share a Postgres").clone();
    let mut two = IndexLibrary::open(Backing::Shared(database, "second"), &more);
    // The tokens of the first start are those of the first gateway.
    two.site.gateway.admin = one.site.gateway.admin.clone();
    two.site.gateway.agent = one.site.gateway.agent.clone();
    let query = "notice period";
    assert_eq!(two.search(query).await, one.search(query).await, "the same files, the same scores");

    let manifest = two.edited(&two.head().await, &[("barn.md", BARN.as_bytes())], &[]).await;
    two.advance(&manifest).await;
    let ingested = two.ingest().await;
    assert_eq!(
        (&ingested["index"]["put"], &ingested["index"]["documents"]),
        (&json!(1), &json!(4)),
        "{ingested:#}"
    );
    let found = one.search("owls").await;
    assert_eq!(hits(&found)[0]["path"], "barn.md", "{found:#}");
    assert_eq!(found["indexes"][0]["manifest"], ingested["index"]["manifest"], "{found:#}");
}
