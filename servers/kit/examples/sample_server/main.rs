//! A server with badly behaved tools: the kit's tests check that it survives them.

mod resident;

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use capability_kit::{Capability, Effect, FileInput, FileStrategy, TextOut, Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(clap::Args)]
struct SampleOptions {
    /// The beginning of echoed texts
    #[arg(long, default_value = "")]
    greeting: String,
}

fn main() -> ExitCode {
    capability_kit::run(|options: SampleOptions| capability(options.greeting))
}

fn capability(greeting: String) -> Capability {
    let echo = move |arguments: Echo, _: &Work| {
        Ok::<_, Trouble>(Echoed { text: greeting.clone() + &arguments.text })
    };
    let capability = Capability::new("sample-mcp", env!("CARGO_PKG_VERSION"), "Misbehaves on demand.")
        .tool(
            Tool::new("echo", "Echo", "Says the text again.", echo)
                .capabilities(&["sample"])
                .aliases(&["say"]),
        )
        .tool(
            Tool::new("measure", "Measure", "Says how large a file is.", measure)
                .file(FileStrategy::BinaryBase64),
        )
        .tool(Tool::new("sleep", "Sleep", "Takes its time.", sleep))
        .tool(
            Tool::new("hurry", "Hurry", "Sleeps too, but is given half a second.", sleep)
                .time_limit(Duration::from_millis(500)),
        )
        .tool(Tool::new("panic", "Panic", "Panics.", panic))
        .tool(Tool::new("exit", "Exit", "Ends the process that it runs in.", exit))
        .tool(Tool::new("eat", "Eat", "Takes memory until there is none left.", eat))
        .tool(Tool::new("grow", "Grow", "Takes some memory and never gives it back.", grow))
        .tool(Tool::new("dive", "Dive", "Calls itself until the stack is full.", dive))
        .tool(Tool::new("spin", "Spin", "Never ends.", spin))
        .tool(Tool::new("chatter", "Chatter", "Prints to stdout, where frames go.", chatter))
        .tool(Tool::new("program", "Program", "Starts a program that outlives it.", program))
        .tool(Tool::new("keep", "Keep", "Keeps a text as a ref if it is long.", keep).effect(Effect::Write))
        .tool(Tool::new("picture", "Picture", "Keeps some bytes.", picture).effect(Effect::Write))
        .tool(Tool::new("flood", "Flood", "Answers with more than an answer may have.", flood))
        .tool(Tool::new("steps", "Steps", "Tells how far it is.", steps))
        .tool(Tool::new("whoami", "Who am I", "The id of the process that does the work.", whoami))
        .tool(
            Tool::new("missing", "Missing", "Needs what is not there.", whoami)
                .off(Trouble::unavailable("the frobnicator is not installed").hint("install it")),
        );
    resident::resides(capability)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Done {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    /// The text to say.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Echoed {
    /// The text that was said.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Size {
    /// The size in bytes.
    bytes: usize,
    media_type: Option<String>,
}

fn measure(arguments: FileInput, work: &Work) -> Result<Size, Trouble> {
    let loaded = arguments.load(work)?;
    Ok(Size { bytes: loaded.bytes.len(), media_type: loaded.media_type })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sleep {
    /// The duration.
    ms: u64,
}

/// The process that did it.
#[derive(Serialize, JsonSchema)]
struct Slept {
    worker: u32,
}

fn sleep(arguments: Sleep, _: &Work) -> Result<Slept, Trouble> {
    thread::sleep(Duration::from_millis(arguments.ms));
    Ok(Slept { worker: std::process::id() })
}

fn panic(_: Nothing, _: &Work) -> Result<Done, Trouble> {
    panic!("as asked")
}

fn exit(_: Nothing, _: &Work) -> Result<Done, Trouble> {
    std::process::exit(3)
}

fn eat(_: Nothing, _: &Work) -> Result<Done, Trouble> {
    let mut eaten = Vec::new();
    loop {
        eaten.push(std::hint::black_box(vec![0_u8; 16 << 20]));
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Grow {
    /// The amount.
    mib: usize,
}

fn grow(arguments: Grow, _: &Work) -> Result<Slept, Trouble> {
    Vec::leak(vec![1_u8; arguments.mib << 20]);
    Ok(Slept { worker: std::process::id() })
}

fn dive(_: Nothing, _: &Work) -> Result<Echoed, Trouble> {
    Ok(Echoed { text: deeper(0).to_string() })
}

fn deeper(depth: u64) -> u64 {
    let here = std::hint::black_box([depth; 64]);
    if here[0] == u64::MAX { 0 } else { deeper(depth + 1) + here[63] }
}

fn spin(_: Nothing, _: &Work) -> Result<Done, Trouble> {
    loop {
        std::hint::black_box(Instant::now());
    }
}

fn chatter(_: Nothing, _: &Work) -> Result<Done, Trouble> {
    use std::io::Write;
    writeln!(std::io::stdout(), "what a library prints")
        .map_err(|error| Trouble::internal(error.to_string()))?;
    Ok(Done {})
}

fn program(_: Nothing, _: &Work) -> Result<Slept, Trouble> {
    let child = std::process::Command::new("sleep").arg("600").spawn();
    Ok(Slept { worker: child.map_err(|error| Trouble::internal(error.to_string()))?.id() })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Keep {
    /// The length of the text in characters.
    chars: usize,
}

fn keep(arguments: Keep, work: &Work) -> Result<TextOut, Trouble> {
    work.text("ä".repeat(arguments.chars), "text/plain", "text.txt")
}

#[derive(Serialize, JsonSchema)]
struct Kept {
    ref_id: String,
}

fn picture(arguments: Keep, work: &Work) -> Result<Kept, Trouble> {
    let ref_id = work.keep(&vec![0xff; arguments.chars], "image/png", "picture.png")?;
    Ok(Kept { ref_id: ref_id.into_string() })
}

fn flood(_: Nothing, _: &Work) -> Result<Echoed, Trouble> {
    Ok(Echoed { text: "x".repeat(17 << 20) })
}

fn steps(_: Nothing, work: &Work) -> Result<Done, Trouble> {
    const STEPS: u32 = 4;
    for step in 1..=STEPS {
        work.progress(f64::from(step), f64::from(STEPS), format!("step {step}"));
        thread::sleep(Duration::from_millis(60));
    }
    Ok(Done {})
}

fn whoami(_: Nothing, _: &Work) -> Result<Slept, Trouble> {
    Ok(Slept { worker: std::process::id() })
}
