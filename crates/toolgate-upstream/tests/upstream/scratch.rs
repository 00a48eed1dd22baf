use crate::kit::*;
use toolgate_core::Limits;
use toolgate_core::port::*;
use toolgate_core::server::*;

#[tokio::test]
async fn scratch() {
    let url = std::env::var("SCRATCH_URL").unwrap();
    let flags = ["--modern-only", "--legacy-only"];
    for flag in flags { let era = None;
        let gateway = Gateway::remembering(
            spec(TransportSpec::Stdio { command: url.clone(), args: vec!["--stdio".into(), flag.into()], env: Default::default(), cwd: None }),
            era,
            Limits::default(),
        );
        let state = gateway.recorder.healthy().await;
        eprintln!("{state:?}");
        let told = gateway.recorder.told();
        let l = &told.listings[0];
        eprintln!(
            "tools {} prompts {} resources {} templates {} caps {:?}",
            l.tools.len(),
            l.prompts.len(),
            l.resources.len(),
            l.templates.len(),
            l.capabilities
        );
        let caller = Agent {
            wants_progress: true,
            can: vec![AskKind::Elicitation, AskKind::Sampling],
            capabilities: toolgate_core::RawJson::from_composed(r#"{"elicitation":{},"sampling":{}}"#.into()),
            ..Agent::new("a", 1)
        }
        .shared();
        for tool in [
            "test_simple_text",
            "test_tool_with_progress",
            "test_tool_with_logging",
            "test_elicitation",
            "test_sampling",
            "test_error_handling",
            "test_trigger_tool_change",
            "test_reconnection",
        ] {
            let begun = std::time::Instant::now();
            let r = gateway.call(tool, r#"{"message":"hi","prompt":"p"}"#, &caller).await;
            eprintln!(
                "{tool} {:?}: {}",
                begun.elapsed(),
                format!("{r:?}").chars().take(300).collect::<String>()
            );
        }
        gateway.manager.set_log_level("debug");
        gateway.manager.watch_resource(&name(), "test://watched-resource");
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        {
            let heard = caller.heard.lock().unwrap();
            eprintln!(
                "progress {} logs {} questions {}; listings {} ",
                heard.progress.len(),
                heard.logs,
                heard.questions,
                gateway.recorder.told().listings.len()
            );
        }
        eprintln!("{:?} {:?}", gateway.manager.discarded(&name()), gateway.recorder.told().logged.len());
        let begun = std::time::Instant::now();
        gateway.end().await;
        eprintln!("end in {:?}", begun.elapsed());
    }
}
