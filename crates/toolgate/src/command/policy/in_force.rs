//! The policies of the running gateway, beside the files: commands read the files, and only the gateway
//! decides.

use toolgate_core::Digest;

use crate::config::Config;
use crate::local::LocalApi;
use crate::output::printable;

/// The policies in force.
pub(crate) enum PoliciesInForce {
    NoGateway,
    Version {
        version: String,
        /// The reason why the gateway refuses the files.
        refused: Option<String>,
        /// The places where it refuses the configuration file.
        config_refused: Option<String>,
    },
    /// It runs, and does not say.
    Unknown(String),
}

impl PoliciesInForce {
    pub(crate) async fn of(config: &Config) -> Self {
        let answered = async {
            let Some(mut api) = LocalApi::running(config).await? else { return Ok(None) };
            let policy = api.get(&["policy"], &[]).await;
            api.close().await;
            policy.map(Some)
        };
        match answered.await {
            Ok(None) => PoliciesInForce::NoGateway,
            Ok(Some(policy)) => PoliciesInForce::Version {
                version: policy["version"].as_str().unwrap_or_default().to_owned(),
                refused: policy["refused"].as_str().map(str::to_owned),
                config_refused: policy["config_refused"].as_str().map(str::to_owned),
            },
            Err(error) => PoliciesInForce::Unknown(error.to_string()),
        }
    }

    /// The version in force, if a gateway reports it.
    pub(crate) fn version(&self) -> Option<&str> {
        match self {
            PoliciesInForce::Version { version, .. } => Some(version),
            PoliciesInForce::NoGateway | PoliciesInForce::Unknown(_) => None,
        }
    }

    /// True if only this version decides: the gateway uses it, or there is none.
    pub(crate) fn is_by(&self, written: Digest) -> bool {
        match self {
            PoliciesInForce::NoGateway => true,
            PoliciesInForce::Unknown(_) => false,
            PoliciesInForce::Version { version, refused, config_refused } => {
                refused.is_none() && config_refused.is_none() && written.to_string() == *version
            }
        }
    }

    /// The places where the running gateway refuses the configuration file, if it does.
    pub(crate) fn config_refused(&self) -> Option<&str> {
        match self {
            PoliciesInForce::Version { config_refused, .. } => config_refused.as_deref(),
            PoliciesInForce::NoGateway | PoliciesInForce::Unknown(_) => None,
        }
    }

    /// A note whether the written policies are in force. `written` is their version, if they load.
    pub(crate) fn told(&self, written: Option<Digest>) -> String {
        match self {
            PoliciesInForce::NoGateway => {
                "no gateway runs on this data folder, so nothing is in force".to_owned()
            }
            PoliciesInForce::Unknown(error) => printable(&format!(
                "whether this is in force is not known: the gateway did not say ({error})"
            )),
            PoliciesInForce::Version { config_refused: Some(places), .. } => printable(&format!(
                "not in force: the running gateway refused the configuration file ({places}), and what it said before decides\nhint: \
                 its log says why; it takes up what loads within a second"
            )),
            PoliciesInForce::Version { refused: Some(refused), .. } => printable(&format!(
                "not in force: the running gateway refused what is written, and what was before decides:\n{refused}"
            )),
            PoliciesInForce::Version { version, .. } => {
                match written.is_some_and(|written| written.to_string() == *version) {
                    true => format!("in force: the running gateway decides by this ({version})"),
                    false => format!(
                        "not in force: the running gateway decides by {version}\nhint: it takes up what loads within a second; \
                         its log and `toolgate ledger tail --kind policy.refused` say what does not"
                    ),
                }
            }
        }
    }
}
