//! A run as it goes on: the model's text as it comes, calls as lines, what it waits for, and its end.

mod stream;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::chat;
use super::context::Context;
use super::shown::{count, money, text};
use crate::config::Config;
use crate::local::LocalApi;
use crate::output::{printable, put, say, talk};
use crate::table;
use stream::{EventBuffer, StreamEvent};

/// The exit code of a run that ended before it was done.
const PARTIAL: u8 = 3;
/// The exit code of a command that was interrupted, as shells have it.
const INTERRUPTED: u8 = 130;

/// The pause before a stream that ended is opened again.
const AGAIN: Duration = Duration::from_millis(500);

/// Tries to pause a run that has not begun.
const PAUSES_MAX: usize = 10;

/// The meaning of Ctrl-C.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    /// It pauses the run.
    Pauses,
    /// It ends the watch alone.
    StopsWatching,
}

/// Shows a run until it ends.
pub(super) async fn follow(
    context: &Context,
    config: &Config,
    run: &str,
    interruption: Interruption,
) -> anyhow::Result<ExitCode> {
    let mut shown = ShownRun::new(connected(config).await?, run, context.global.json);
    let ended = tokio::select! {
        ended = shown.watch(config) => ended?,
        signal = tokio::signal::ctrl_c() => {
            signal.context("could not wait for signals")?;
            return interrupted(config, run, interruption).await;
        }
    };
    if context.global.json {
        put!("{}", table::json(&ended));
    } else {
        talk!("{}", farewell(&ended));
    }
    Ok(exit_code(&ended))
}

/// The part of a run that was shown.
struct ShownRun {
    api: LocalApi,
    run: String,
    /// The number of the last message.
    messages: u64,
    /// The text that was shown while it came, since the last message. Who comes late has missed its beginning.
    live: String,
    /// True if the cursor stands behind a piece of text.
    is_in_line: bool,
    /// True if the output is for a program, which gets the end alone.
    is_quiet: bool,
    /// The last event.
    after: Option<String>,
}

impl ShownRun {
    fn new(api: LocalApi, run: &str, is_quiet: bool) -> Self {
        let (messages, live, is_in_line, after) = (0, String::new(), false, None);
        Self { api, run: run.to_owned(), messages, live, is_in_line, is_quiet, after }
    }

    /// Follows the events, and returns the run once it has ended.
    async fn watch(&mut self, config: &Config) -> anyhow::Result<Value> {
        loop {
            // A stream ends after a while, and goes on where it ended.
            let mut listening = connected(config).await?;
            let query: Vec<(&str, String)> = self.after.iter().map(|id| ("after", id.clone())).collect();
            let mut events = listening.follow(&["runs", &self.run, "events"], &query).await?;
            let mut buffer = EventBuffer::default();
            while let Ok(Some(bytes)) = events.next().await {
                buffer.push(&bytes)?;
                while let Some(event) = buffer.next() {
                    self.hear(event).await?;
                }
            }
            let run = self.api.get(&["runs", &self.run], &[]).await?;
            if run.get("ended_at").is_some() {
                self.catch_up().await?;
                return Ok(run);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn hear(&mut self, event: StreamEvent) -> anyhow::Result<()> {
        if event.id.is_some() {
            self.after = event.id;
        }
        match event.name.as_str() {
            "model.text" => self.say_piece(&event.data),
            "model.again" => self.break_off(),
            "model.called" | "run.messages" | "run.ended" => self.catch_up().await?,
            "run.paused" => {
                self.catch_up().await?;
                self.say_waiting().await?;
            }
            "run.resumed" => self.tell("it goes on"),
            _ => {}
        }
        Ok(())
    }

    fn say_piece(&mut self, piece: &Value) {
        if self.is_quiet {
            return;
        }
        self.live.push_str(text(&piece["text"]));
        self.is_in_line = true;
        put!("{}", printable(text(&piece["text"])));
    }

    /// The text that was shown does not count: the model begins anew.
    fn break_off(&mut self) {
        self.live.clear();
        self.tell("the answer broke off; asking again");
    }

    /// Shows the messages that were stored meanwhile.
    async fn catch_up(&mut self) -> anyhow::Result<()> {
        for message in chat::after(&mut self.api, &self.run, self.messages).await? {
            self.messages = message["number"].as_u64().unwrap_or(self.messages);
            self.say_message(&message);
        }
        Ok(())
    }

    fn say_message(&mut self, message: &Value) {
        if self.is_quiet {
            return;
        }
        let (said, acts) = (text(&message["text"]), chat::acts(message));
        if text(&message["role"]) == "assistant" {
            self.end_line();
            if std::mem::take(&mut self.live) != said {
                say!("{}", printable(said));
            }
        }
        for line in acts {
            talk!("{line}");
        }
    }

    async fn say_waiting(&mut self) -> anyhow::Result<()> {
        let run = self.api.get(&["runs", &self.run], &[]).await?;
        let action = &run["driven"]["action"];
        match action["how"].as_str() {
            Some(how) => self.tell(&format!("it waits ({}): {}", text(&action["kind"]), printable(how))),
            None if run["state"] == "paused" => {
                let reason = printable(text(&run["reason"]));
                self.tell(&format!(
                    "it is paused ({reason}); `toolgate runs resume {}` lets it go on",
                    self.run
                ));
            }
            None => {}
        }
        Ok(())
    }

    fn tell(&mut self, line: &str) {
        if !self.is_quiet {
            self.end_line();
            talk!("{line}");
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_in_line) {
            put!("\n");
        }
    }
}

async fn connected(config: &Config) -> anyhow::Result<LocalApi> {
    let api = LocalApi::running(config).await?;
    api.context("the gateway has gone\nhint: `toolgate serve` starts it; the run goes on where it was")
}

async fn interrupted(config: &Config, run: &str, interruption: Interruption) -> anyhow::Result<ExitCode> {
    if interruption == Interruption::Pauses {
        let mut api = connected(config).await?;
        let state = paused(&mut api, run).await?;
        talk!(
            "\n{run} is {state}: `toolgate runs resume {run}` lets a paused one go on, `toolgate runs cancel {run}` ends it"
        );
    }
    talk!("`toolgate runs chat {run} --follow` shows it again");
    Ok(ExitCode::from(INTERRUPTED))
}

/// Pauses a run, and returns its state. One that waits for somebody is paused already, and one may end at this moment; one that has not
/// begun can be paused a moment later.
async fn paused(api: &mut LocalApi, run: &str) -> anyhow::Result<String> {
    for _ in 0..PAUSES_MAX {
        if let Err(error) = api.post(&["runs", run, "pause"], &json!({})).await {
            tracing::debug!(%error, "the run was not paused");
        }
        let state = text(&api.get(&["runs", run], &[]).await?["state"]).to_owned();
        if state != "pending" {
            return Ok(state);
        }
        tokio::time::sleep(AGAIN).await;
    }
    Ok("pending".to_owned())
}

fn exit_code(run: &Value) -> ExitCode {
    match text(&run["state"]) {
        "completed" => ExitCode::SUCCESS,
        "partial" => ExitCode::from(PARTIAL),
        _ => ExitCode::FAILURE,
    }
}

/// The end of a run in one line, with what it took.
fn farewell(run: &Value) -> String {
    let reason = match text(&run["reason"]) {
        "" | "complete_workflow" => String::new(),
        reason => format!(" ({})", printable(reason)),
    };
    let driven = &run["driven"];
    let number = |value: &Value| count(value.as_u64().unwrap_or_default());
    let cached = driven["tokens"]["cached_percent"].as_u64().unwrap_or_default();
    format!(
        "{} is {}{reason}: {} turns, {} calls, {} tokens in ({cached} % cached), {} out, cost {}",
        text(&run["id"]),
        text(&run["state"]),
        number(&driven["turn"]),
        number(&run["used"]["calls"]),
        number(&driven["tokens"]["input"]),
        number(&driven["tokens"]["output"]),
        money(driven["cost_micros"].as_u64().unwrap_or_default()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_says_what_it_took_and_the_exit_code_how_it_went() {
        let run = json!({ "id": "run_1", "state": "partial", "reason": "budget.turns", "used": { "calls": 3 },
            "driven": { "turn": 7, "cost_micros": 12_345,
                "tokens": { "input": 40_000, "cached": 30_000, "output": 900, "cached_percent": 75 } } });
        assert_eq!(
            farewell(&run),
            "run_1 is partial (budget.turns): 7 turns, 3 calls, 40,000 tokens in (75 % cached), 900 out, cost 0.0123"
        );
        let coded = |state: &str| format!("{:?}", exit_code(&json!({ "state": state })));
        assert_eq!(coded("completed"), format!("{:?}", ExitCode::SUCCESS));
        assert_eq!(coded("partial"), format!("{:?}", ExitCode::from(PARTIAL)));
        assert_eq!(coded("cancelled"), format!("{:?}", ExitCode::FAILURE));
    }
}
