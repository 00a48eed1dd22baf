//! Tools with a state: a count for each caller, kept until that one ends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capability_kit::{
    Attachment, Caller, Capability, Effect, Residence, ResidentAnswer, ResidentCall, ResidentFuture, Secret,
    Tool, Trouble,
};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Nothing, Sleep};

#[derive(Default)]
struct Counters {
    counts: Mutex<BTreeMap<String, u64>>,
    /// Calls of `dawdle` that have not ended.
    dawdling: AtomicUsize,
}

impl Counters {
    fn add(&self, caller: Caller) -> u64 {
        let key = caller.run.or(caller.session).unwrap_or_else(|| "nobody".to_owned());
        let mut counts = self.counts.lock();
        let count = counts.entry(key).or_default();
        *count += 1;
        *count
    }
}

impl Residence for Counters {
    fn ended(&self, caller: Caller) -> ResidentFuture<()> {
        if let Some(key) = caller.run.or(caller.session) {
            self.counts.lock().remove(&key);
        }
        Box::pin(std::future::ready(()))
    }

    fn close(&self) -> ResidentFuture<()> {
        eprintln!("the counters are closed");
        Box::pin(std::future::ready(()))
    }
}

/// The server with these tools as well.
pub(crate) fn resides(capability: Capability) -> Capability {
    let counters = Arc::<Counters>::default();
    let (adding, telling) = (Arc::clone(&counters), Arc::clone(&counters));
    let count = move |_: Nothing, call: ResidentCall| {
        let counters = Arc::clone(&adding);
        async move { Ok(counters.add(call.caller).to_string().into()) }
    };
    let tell = move |_: Nothing, _: ResidentCall| {
        let counters = Arc::clone(&telling);
        async move {
            let counts = counters.counts.lock().clone();
            Ok(Counts { counts, dawdling: counters.dawdling.load(Ordering::SeqCst) })
        }
    };
    capability
        .tool(
            Tool::resident("count", "Count", "Adds one for its caller.", count)
                .effect(Effect::Write)
                .not_repeatable(),
        )
        .tool(Tool::resident_data("counts", "Counts", "The counts of all callers.", tell))
        .tool(Tool::resident("stumble", "Stumble", "Panics in the server.", stumble))
        .tool(Tool::resident("dawdle", "Dawdle", "Takes its time in the server.", dawdling(&counters)))
        .tool(
            Tool::resident("rush", "Rush", "Dawdles too, but is given little time.", dawdling(&counters))
                .time_limit(Duration::from_millis(200)),
        )
        .tool(Tool::resident("show", "Show", "Says a word and shows bytes.", show))
        .tool(Tool::resident("unlock", "Unlock", "Uses a credential.", unlock).secret("secret"))
        .residence(counters)
}

/// The state of the server.
#[derive(Serialize, JsonSchema)]
struct Counts {
    counts: BTreeMap<String, u64>,
    dawdling: usize,
}

async fn stumble(_: Nothing, _: ResidentCall) -> Result<ResidentAnswer, Trouble> {
    panic!("as asked")
}

/// A call of `dawdle`, until it is dropped.
struct DawdleGuard(Arc<Counters>);

impl Drop for DawdleGuard {
    fn drop(&mut self) {
        self.0.dawdling.fetch_sub(1, Ordering::SeqCst);
    }
}

fn dawdling(
    counters: &Arc<Counters>,
) -> impl Fn(Sleep, ResidentCall) -> ResidentFuture<Result<ResidentAnswer, Trouble>> + Send + Sync + 'static {
    let counters = Arc::clone(counters);
    move |arguments, call| {
        counters.dawdling.fetch_add(1, Ordering::SeqCst);
        let guard = DawdleGuard(Arc::clone(&counters));
        Box::pin(async move {
            call.work.progress(1.0, 2.0, "half of it");
            tokio::time::sleep(Duration::from_millis(arguments.ms)).await;
            drop(guard);
            Ok(ResidentAnswer::text("done at last"))
        })
    }
}

async fn show(_: Nothing, _: ResidentCall) -> Result<ResidentAnswer, Trouble> {
    let attachment = |media_type: &str, name: &str| Attachment {
        bytes: b"bytes".to_vec(),
        media_type: media_type.to_owned(),
        name: name.to_owned(),
    };
    Ok(ResidentAnswer::text("look")
        .with(attachment("image/png", "page.png"))
        .with(attachment("application/pdf", "a page.pdf")))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Unlock {
    /// The credential, by its handle.
    secret: Secret,
    /// The origin of the page that gets it.
    page: String,
}

async fn unlock(arguments: Unlock, _: ResidentCall) -> Result<ResidentAnswer, Trouble> {
    let Unlock { secret, page } = arguments;
    let length = secret.value_for(&page)?.len();
    Ok(ResidentAnswer::text(format!("{} has {length} characters", secret.handle())))
}
