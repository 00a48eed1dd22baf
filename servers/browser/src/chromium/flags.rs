//! The flags that Chromium is started with, each for a reason.

use std::path::Path;

/// The size of a window, which is what pages see.
const WINDOW: &str = "1280,800";
/// The heap of one page's scripts; past that its renderer ends by itself.
const SCRIPT_HEAP_MIB: u64 = 512;

/// Nothing of Chromium's own: no first run, no updates, no reports, no lists from anywhere.
const QUIET: [&str; 21] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--no-startup-window",
    "--no-pings",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--password-store=basic",
];

/// No way out but the proxy that each context is given; the browser itself has one that leads nowhere.
const NETWORK: [&str; 8] = [
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    // Nothing is looked up here: the proxy resolves every name, so a page cannot tell anyone anything by asking for names.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--enforce-webrtc-ip-permission-check",
];

/// Pages behave alike whether or not somebody looks at them, and sites share no process.
const PAGES: [&str; 11] = [
    "--site-per-process",
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling",
    "--disable-hang-monitor",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
    "--mute-audio",
];

/// Features that would only ask the network, guess or interrupt.
const WITHOUT: &str = "--disable-features=AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater,\
    DestroyProfileOnBrowserClose,DialMediaRouteProvider,GlobalMediaControls,HttpsUpgrades,InterestFeedContentSuggestions,\
    MediaRouter,OptimizationHints,PaintHolding,Prerender2,Translate";

pub(super) fn flags(profile: &Path) -> Vec<String> {
    let fixed = QUIET.iter().chain(&NETWORK).chain(&PAGES).map(|flag| (*flag).to_owned());
    let own = [
        WITHOUT.to_owned(),
        format!("--window-size={WINDOW}"),
        format!("--js-flags=--max-old-space-size={SCRIPT_HEAP_MIB}"),
        format!("--user-data-dir={}", profile.display()),
    ];
    fixed.chain(own).collect()
}
