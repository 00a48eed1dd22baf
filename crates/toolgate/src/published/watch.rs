//! Looks now and then whether the registry has another version of servers that came from there. What is found is kept and told;
//! nothing is changed.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::egress::Egress;
use toolgate_core::governance::Clock;
use toolgate_registry::{Refusal, Registry};

use super::{EntryFault, RegistryClient};
use crate::config::RegistryAddress;

/// The first look comes so long after the start, when a gateway has other things to do.
const FIRST_LOOK: Duration = Duration::from_secs(60);
/// The part of a pause by which it may be longer, so that many gateways do not ask at once.
const JITTER: f64 = 0.1;
/// So many questions that the registry does not answer end a look: then it is away.
const FAILURES_MAX: usize = 3;

pub(crate) struct RegistryWatch {
    pub(crate) registry: Arc<Registry>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) address: RegistryAddress,
    pub(crate) egress: Arc<Egress>,
}

impl RegistryWatch {
    /// Looks for as long as it is polled.
    pub(crate) async fn run(self, every: Duration) {
        let (mut pause, mut was_away) = (every.min(FIRST_LOOK), false);
        loop {
            self.clock.sleep(longer(pause)).await;
            pause = every;
            was_away = self.looked(was_away).await;
        }
    }

    /// True if the registry could not be asked, which is logged when it begins.
    async fn looked(&self, was_away: bool) -> bool {
        match self.look().await {
            Ok(()) => false,
            Err(refusal) => {
                if !was_away {
                    tracing::warn!(%refusal, "it is not known whether the registry has other versions of servers");
                }
                true
            }
        }
    }

    /// An entry that cannot be read is no reason to leave out the others, however many there are.
    async fn look(&self) -> Result<(), Refusal> {
        let origins = self.registry.origins();
        if origins.is_empty() {
            return Ok(());
        }
        let client = RegistryClient::of(&self.address, &self.egress)?;
        let (mut first, mut unanswered) = (None, 0);
        for (server, origin) in origins {
            match client.report(origin).await {
                Ok(report) => self.registry.note_finding(&server, &report.finding()).await?,
                Err(fault) => {
                    unanswered += usize::from(matches!(fault, EntryFault::OfRegistry(_)));
                    first.get_or_insert(Refusal::from(fault));
                }
            }
            if unanswered >= FAILURES_MAX {
                break;
            }
        }
        first.map_or(Ok(()), Err)
    }
}

fn longer(pause: Duration) -> Duration {
    let random = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
    pause.mul_f64(1.0 + JITTER * random)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_a_little_longer_each_time() {
        let pause = Duration::from_secs(100);
        let pauses: Vec<Duration> = (0..50).map(|_| longer(pause)).collect();
        assert!(pauses.iter().all(|one| (pause..=Duration::from_secs(110)).contains(one)), "{pauses:?}");
        assert!(pauses.iter().any(|one| *one != pauses[0]), "{pauses:?}");
    }
}
