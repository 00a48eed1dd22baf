//! Signed requests that start runs.

use toolgate_core::Refusal;
use toolgate_core::automation::{Automation, Fire, Trigger};
use toolgate_store::{FireOutcome, FireRetake, NewFire};

use super::Tasks;
use crate::overlap;
use crate::refusal::refusal;
use crate::triggers::{self, webhook};
use crate::view::WebhookRequest;

impl Tasks {
    /// Takes a request to an automation. The same request again, by its id, is the same start.
    pub async fn fire_webhook(&self, name: &str, request: WebhookRequest) -> Result<Fire, Refusal> {
        webhook::check_size(&request)?;
        let automation = self.signed_for(name, &request).await?;
        let new = NewFire {
            cause: triggers::named("webhook", &request.id),
            data: Some(String::from_utf8_lossy(&request.body).into_owned()),
            depth: 1,
            retake: FireRetake::Missed,
        };
        let (desk, rule) = (&self.desk, automation.overlap);
        let claimed = desk.books.claim_fire(
            &automation.id,
            new,
            desk.holder(),
            |busy| overlap::judge(rule, busy),
            desk.act(&automation.principal),
        );
        Ok(match claimed.await.map_err(refusal)? {
            FireOutcome::Claimed(claim) => desk.begin(&automation, claim).await,
            FireOutcome::Settled(fire) | FireOutcome::Before(fire) => fire,
        })
    }

    /// The automation whose secret signed a request. One that does not exist looks like a wrong signature.
    async fn signed_for(&self, name: &str, request: &WebhookRequest) -> Result<Automation, Refusal> {
        let store = &self.desk.store;
        let down = |error| crate::refusal::down(&error);
        let Some(id) = store.automation_id(name).await.map_err(down)? else { return Err(webhook::wrong()) };
        let found = store.automation(&id).await.map_err(down)?;
        let automation = found.ok_or_else(webhook::wrong)?;
        let Trigger::Webhook { secret } = &automation.trigger else { return Err(webhook::wrong()) };
        let secret = self.desk.keys.secret(secret).await.map_err(|refusal| {
            tracing::warn!(automation = automation.name, %refusal, "a request cannot be checked");
            webhook::wrong()
        })?;
        webhook::check(request, &secret, self.desk.clock.now_ms())?;
        Ok(automation)
    }
}
