//! Ways out of the allowed hosts, and the trap at the end of each: an address that is not allowed and counts who connects.

use std::sync::atomic::Ordering;

use capability_browser::{Browser, BrowserSettings, HostRules, News};
use capability_kit::TroubleCode;
use serde_json::json;

use crate::site::{Reply, Site};
use crate::stage::{key, news_with, on_stage, settings, until};

/// Where nobody may come: an address that is not allowed, and a name for one that is.
fn trap(site: &Site, path: &str) -> String {
    format!("http://127.0.0.3:{}{path}", site.port)
}

/// Each is a statement; `TRAP` is the address that must not be reached.
const WAYS: [(&str, &str); 22] = [
    ("fetch", "await fetch(TRAP)"),
    ("fetch without CORS", "await fetch(TRAP, { mode: 'no-cors', keepalive: true })"),
    ("XMLHttpRequest", "const x = new XMLHttpRequest(); x.open('GET', TRAP, false); x.send()"),
    ("beacon", "navigator.sendBeacon(TRAP, 'x')"),
    ("image", "await element('img', { src: TRAP })"),
    ("script", "await element('script', { src: TRAP })"),
    ("module", "await import(TRAP)"),
    ("style", "await element('link', { rel: 'stylesheet', href: TRAP })"),
    ("icon", "await element('link', { rel: 'icon', href: TRAP })"),
    ("prefetch", "await element('link', { rel: 'prefetch', href: TRAP })"),
    ("preload", "await element('link', { rel: 'preload', as: 'image', href: TRAP })"),
    ("preconnect", "await element('link', { rel: 'preconnect', href: TRAP })"),
    ("names ahead", "await element('link', { rel: 'dns-prefetch', href: TRAP })"),
    ("prerender", "await rules({ prerender: [{ source: 'list', urls: [TRAP] }] })"),
    ("video", "await element('video', { src: TRAP, autoplay: true })"),
    ("object", "await element('object', { data: TRAP })"),
    ("frame", "await element('iframe', { src: TRAP })"),
    ("WebSocket", "await socket(TRAP.replace('http', 'ws'))"),
    (
        "events",
        "await new Promise(done => { const e = new EventSource(TRAP); e.onerror = () => { e.close(); done() } })",
    ),
    ("WebTransport", "await new WebTransport(TRAP.replace('http:', 'https:')).ready"),
    ("redirect of an image", "await element('img', { src: '/to-trap' })"),
    ("redirect of a fetch", "await fetch('/to-trap', { mode: 'no-cors' })"),
];

const WORKERS: [(&str, &str); 3] = [
    ("worker", "await new Promise(done => { new Worker('/worker.js').onmessage = done })"),
    ("shared worker", "await new Promise(done => { new SharedWorker('/worker.js').port.onmessage = done })"),
    (
        "service worker",
        "await navigator.serviceWorker.register('/worker.js'); const at = await navigator.serviceWorker.ready; \
         await new Promise(done => { navigator.serviceWorker.onmessage = done; at.active.postMessage('go') })",
    ),
];

const HELPERS: &str = "const element = (name, fields) => new Promise(done => { const e = document.createElement(name); \
     e.onload = e.onerror = done; setTimeout(done, 300); Object.assign(e, fields); document.body.append(e); });\
     const rules = set => new Promise(done => { const e = document.createElement('script'); e.type = 'speculationrules'; \
     e.textContent = JSON.stringify(set); document.head.append(e); setTimeout(done, 300); });\
     const socket = url => new Promise(done => { const s = new WebSocket(url); s.onerror = s.onclose = done; s.onopen = done; });";

fn script(site: &Site, ways: &[(&str, &str)]) -> String {
    let mut text =
        format!("{HELPERS} const TRAP = '{}'; (async () => {{ const tried = [];", trap(site, "/x"));
    for (name, way) in ways {
        text.push_str(&format!(
            " try {{ {way} }} catch (e) {{}} tried.push('{name}'); document.title = 'tried ' + tried.length;"
        ));
    }
    text.push_str(" })()");
    text
}

pub(crate) fn answer(site: &Site, path: &str) -> Option<Reply> {
    let page = |script: String| Reply::Page(format!("<body><script>{script}</script>"));
    Some(match path {
        "/ways" => page(script(site, &WAYS)),
        "/workers" => page(script(site, &WORKERS)),
        "/worker.js" => Reply::Typed(
            "text/javascript",
            format!(
                "const go = async say => {{ try {{ await fetch('{trap}', {{ mode: 'no-cors' }}) }} catch (e) {{}} \
                 try {{ importScripts('{trap}') }} catch (e) {{}} await fetch('/worker-was-here'); say('done'); }};\
                 if (self.postMessage && !self.clients) go(text => postMessage(text));\
                 self.onconnect = e => go(text => e.ports[0].postMessage(text));\
                 self.onmessage = e => e.source && go(text => e.source.postMessage(text));",
                trap = trap(site, "/worker")
            ),
        ),
        "/to-trap" => Reply::Redirect(trap(site, "/redirected")),
        "/to-name" => Reply::Redirect(format!("http://localhost:{}/named", site.port)),
        "/to-file" => Reply::Redirect("file:///etc/passwd".to_owned()),
        "/meta" => Reply::Page(format!("<meta http-equiv=refresh content='0;url={}'>", trap(site, "/meta"))),
        "/opens" => Reply::Page(format!("<script>window.open('{}')</script>", trap(site, "/opened"))),
        _ => return None,
    })
}

#[test]
fn no_request_of_a_page_leaves_the_allowed_hosts() {
    on_stage(async |stage| {
        let (context, tab) = stage.tab_at("ways", "/ways").await;
        let done = format!("tried {}", WAYS.len());
        until("every way is tried", || async { tab.title().await == done }).await;
        assert_eq!(stage.site.trapped.load(Ordering::SeqCst), 0);
        let news = context.news();
        let blocked = |url: &str| {
            news.iter().any(|news| matches!(news, News::Blocked { url: at, why } if at.starts_with(url) && why.contains("operator allows")))
        };
        assert!(blocked(&trap(&stage.site, "/x")), "{news:?}");
        assert!(blocked(&trap(&stage.site, "/redirected")), "{news:?}");
        assert!(blocked(&format!("https://127.0.0.3:{}", stage.site.port)), "the WebSocket: {news:?}");
    });
}

#[test]
fn no_worker_of_any_kind_leaves_the_allowed_hosts() {
    on_stage(async |stage| {
        let (context, tab) = stage.tab_at("workers", "/workers").await;
        let done = format!("tried {}", WORKERS.len());
        until("every worker has tried", || async { tab.title().await == done }).await;
        assert!(stage.site.has_seen("/worker-was-here"), "workers ran");
        assert_eq!(stage.site.trapped.load(Ordering::SeqCst), 0);
        let news = context.news();
        let url = trap(&stage.site, "/worker");
        assert!(
            news.iter().any(|news| matches!(news, News::Blocked { url: at, .. } if *at == url)),
            "{news:?}"
        );
    });
}

#[test]
fn no_navigation_leaves_the_allowed_hosts() {
    on_stage(async |stage| {
        let (context, tab) = stage.tab_at("leaving", "/form").await;
        for (path, host) in [("/to-trap", "127.0.0.3"), ("/to-name", "localhost")] {
            let refused = tab.navigate(&stage.site.url(path).parse().unwrap()).await.unwrap_err();
            assert_eq!(refused.code, TroubleCode::BadArguments, "{refused}");
            assert!(refused.message.contains(&format!("{host} is not one of the hosts")), "{refused}");
        }
        let asked = trap(&stage.site, "/asked");
        for url in [
            &asked,
            &asked.replace("http:", "https:"),
            "http://[::ffff:127.0.0.3]/",
            "http://0x7f000003/",
            "http://localhost./",
        ] {
            let refused = tab.navigate(&url.parse().unwrap()).await.unwrap_err();
            assert!(refused.message.contains("is not visited"), "{url}: {refused}");
        }
        context.news();
        for path in ["/meta", "/opens"] {
            drop(tab.navigate(&stage.site.url(path).parse().unwrap()).await);
            let url = trap(&stage.site, if path == "/meta" { "/meta" } else { "/opened" });
            news_with(&context, path, |news| matches!(news, News::Blocked { url: at, .. } if *at == url))
                .await;
        }
        assert_eq!(stage.site.trapped.load(Ordering::SeqCst), 0);
        let hosts = stage.site.hosts();
        assert!(
            hosts.iter().all(|host| host.starts_with("127.0.0.1:") || host.starts_with("127.0.0.2:")),
            "{hosts:?}"
        );
    });
}

#[test]
fn addresses_of_this_machine_are_refused_unless_the_operator_allows_them() {
    on_stage(async |stage| {
        let browser = Browser::new(BrowserSettings { hosts: HostRules::default(), ..settings() });
        let context = browser.context(&key("strict")).await.unwrap();
        let tab = context.tab().await.unwrap();
        let port = stage.site.port;
        for host in [
            "127.0.0.1",
            "localhost",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "2130706433",
            "0",
            "169.254.169.254",
            "10.0.0.1",
        ] {
            let url = format!("http://{host}:{port}/strict");
            let refused = tab.navigate(&url.parse().unwrap()).await.unwrap_err();
            assert_eq!(refused.code, TroubleCode::BadArguments, "{host}: {refused}");
            assert!(refused.message.contains("is not visited"), "{host}: {refused}");
        }
        let refused = tab.navigate(&"http://8.8.8.8:22/".parse().unwrap()).await.unwrap_err();
        assert!(refused.message.contains("port 22"), "{refused}");
        assert!(!stage.site.has_seen("/strict"));
        browser.close().await;
    });
}

#[test]
fn addresses_that_lead_out_of_the_web_are_not_shown() {
    on_stage(async |stage| {
        let (context, tab) = stage.tab_at("schemes", "/form").await;
        for url in [
            "file:///etc/passwd",
            "view-source:http://127.0.0.1/",
            "chrome://version",
            "devtools://devtools/bundled/inspector.html",
            "javascript:alert(1)",
            "data:text/html,hello",
            "blob:http://127.0.0.1/1",
            "filesystem:http://127.0.0.1/temporary/x",
            "ftp://127.0.0.1/",
            "about:version",
        ] {
            let refused = tab.navigate(&url.parse().unwrap()).await.unwrap_err();
            assert_eq!(refused.code, TroubleCode::BadArguments, "{url}: {refused}");
            let by_page = format!("location.href = {}; 1", json!(url));
            drop(tab.evaluate(&by_page).await);
        }
        let redirected = tab.navigate(&stage.site.url("/to-file").parse().unwrap()).await.unwrap_err();
        assert_eq!(redirected.code, TroubleCode::Unavailable, "{redirected}");
        drop(tab.navigate(&stage.site.url("/blob").parse().unwrap()).await);
        let is_blob = |news: &News| matches!(news, News::Blocked { url, .. } if url.starts_with("blob:"));
        news_with(&context, "the blob is blocked", is_blob).await;
        until("the tab is emptied", || async { tab.url().await == "about:blank" }).await;
    });
}

#[test]
fn nothing_goes_around_the_proxy_by_udp_and_no_permission_is_given() {
    on_stage(async |stage| {
        let listener = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (_, tab) = stage.tab_at("udp", "/form").await;
        let candidates = tab
            .evaluate(&format!(
                "(async () => {{ const c = []; const p = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:127.0.0.1:{port}' }}] }}); \
                 p.createDataChannel('x'); p.onicecandidate = e => e.candidate && c.push(e.candidate.candidate); \
                 await p.setLocalDescription(await p.createOffer()); \
                 await new Promise(done => {{ p.onicegatheringstatechange = () => p.iceGatheringState == 'complete' && done(); setTimeout(done, 1000); }}); \
                 return c; }})()"
            ))
            .await
            .unwrap();
        assert_eq!(candidates, json!([]));
        let mut packet = [0; 64];
        assert!(listener.try_recv(&mut packet).is_err(), "no packet came");
        let asked = "(async () => { const s = {}; for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read']) \
             s[name] = (await navigator.permissions.query({ name })).state; return Object.values(s).join(); })()";
        assert_eq!(tab.evaluate(asked).await.unwrap(), json!("denied,denied,denied,denied,denied"));
    });
}
