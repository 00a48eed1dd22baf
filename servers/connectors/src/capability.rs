//! The server of one provider.

use std::sync::Arc;

use capability_kit::{Capability, Connector, Tool};

use crate::mail::MailConnector;
use crate::options::{ConnectorOptions, ProviderName};
use crate::postgres::PostgresConnector;
use crate::s3::S3Connector;

const NAME: &str = "connectors-mcp";
const MAIL: &str = "Sends mail from one address and reads mailboxes without changing them. If a send says that its outcome is unknown, \
    never repeat it: search for its message_id, or ask a person.";
const S3: &str = "Lists and reads the objects of one bucket, and writes them where the operator allows it.";
const POSTGRES: &str = "Answers questions to one database. list_tables and describe_table say what there is; query takes one SELECT and \
    changes nothing.";

/// The server as configured. Nothing is connected before the first call.
pub fn capability(options: &ConnectorOptions) -> Capability {
    match options.provider {
        ProviderName::Mail => {
            let mail = MailConnector::of(&options.mail, &options.way);
            made(MAIL, &["mail"], mail.tools(), mail)
        }
        ProviderName::S3 => {
            let s3 = S3Connector::of(&options.s3, &options.way);
            made(S3, &["storage"], s3.tools(), s3)
        }
        ProviderName::Postgres => {
            let postgres = PostgresConnector::of(&options.postgres, &options.way);
            made(POSTGRES, &["database"], postgres.tools(), postgres)
        }
    }
}

fn made(
    instructions: &'static str,
    capabilities: &'static [&'static str],
    tools: Vec<Tool>,
    connector: impl Connector,
) -> Capability {
    let server =
        Capability::new(NAME, env!("CARGO_PKG_VERSION"), instructions).connector(Arc::new(connector));
    tools.into_iter().fold(server, |server, tool| server.tool(tool.capabilities(capabilities)))
}
