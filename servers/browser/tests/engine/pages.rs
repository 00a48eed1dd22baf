//! The pages of the site, and what an honest page can be used for.

use std::time::Duration;

use capability_browser::page::{SnapshotWish, snapshot};
use capability_browser::{
    DialogAnswer, DialogKind, KeyChord, MouseButton, MouseEvent, MouseKind, News, Rect, Shot, ShotFormat, Tab,
};
use serde_json::json;

use crate::site::{Reply, Site};
use crate::stage::{news_with, on_stage, until};

pub(crate) fn answer(site: &Site, path: &str) -> Reply {
    if let Some(reply) = crate::attacks::answer(site, path) {
        return reply;
    }
    if let Some(reply) = crate::page::answer(site, path) {
        return reply;
    }
    let page = |text: &str| Reply::Page(text.to_owned());
    match path.split('?').next().unwrap_or(path) {
        "/form" => page(
            "<title>A form</title><input id=name autofocus><button id=go style='position:absolute;left:200px;top:100px;width:80px;height:30px' \
             onclick='document.title=\"clicked \"+document.getElementById(\"name\").value'>Go</button>",
        ),
        "/framed" => Reply::Page(format!(
            "<title>framed</title><body style='margin:0'><iframe src='{}' style='position:absolute;left:100px;top:50px;width:300px;height:200px;border:0'></iframe>",
            site.other("/inner")
        )),
        "/inner" => page(
            "<title>inner</title><body style='margin:0'><button style='position:absolute;left:20px;top:30px;width:100px;height:40px' \
             onclick='fetch(\"/inner-clicked\")'>inner</button>",
        ),
        "/upload" => page("<title>upload</title><input type=file id=file><p>no input</p>"),
        "/late" => page(
            "<title>late</title><p id=p>wait</p><script>fetch('/slow').then(r=>r.text()).then(t=>document.getElementById('p').textContent=t)</script>",
        ),
        "/slow" => Reply::Typed("text/plain", "arrived".to_owned()),
        "/leave" => page(
            "<title>leave</title><script>onbeforeunload=e=>{e.preventDefault();return 'x'}</script><button id=b>b</button>",
        ),
        "/ask" => page(
            "<title>ask</title><script>document.title=String(confirm('sure?'))+' '+String(prompt('name?','n'))</script>",
        ),
        "/alerts" => page("<title>alerts</title><script>while(true)alert('again')</script>"),
        "/alert-timer" => {
            page("<title>alert timer</title><script>setInterval(()=>alert('again'),1)</script>")
        }
        "/popup" => page(
            "<title>popup</title><a id=a href='/form' target=_blank style='position:absolute;left:0;top:0;width:100px;height:50px'>new</a>",
        ),
        "/storm" => page("<title>storm</title><script>for(let i=0;i<60;i++)window.open('/form?'+i)</script>"),
        "/loop" => page("<title>loop</title><script>setTimeout(()=>{for(;;);},200)</script>"),
        "/eat" => page(
            "<title>eat</title><script>const a=[];setInterval(()=>{const b=new Uint8Array(32<<20).fill(7);a.push(b)},20)</script>",
        ),
        "/image-never" => page("<title>image</title><img src=/never><p>there</p>"),
        "/blob" => page(
            "<title>blob</title><script>location=URL.createObjectURL(new Blob(['<h1>blob</h1>'],{type:'text/html'}))</script>",
        ),
        "/status" => Reply::Status(418),
        "/nothing" => Reply::Status(204),
        "/half" => Reply::Half,
        "/never" => Reply::Never,
        "/file" => Reply::File { bytes: 5000, says_length: true },
        "/huge" => Reply::File { bytes: 2 << 30, says_length: true },
        "/endless" => Reply::File { bytes: 2 << 30, says_length: false },
        "/set-cookie" => {
            page("<title>set</title><script>document.cookie='mine='+location.search.slice(1)</script>")
        }
        "/fetches" => {
            page("<title>fetches</title><script>setInterval(()=>fetch('/slow?'+Math.random()),5)</script>")
        }
        _ => page("<title>home</title><h1>Home</h1>"),
    }
}

async fn click(tab: &Tab, x: f64, y: f64) {
    for kind in [MouseKind::Move, MouseKind::Press, MouseKind::Release] {
        let button = if kind == MouseKind::Move { MouseButton::None } else { MouseButton::Left };
        tab.mouse(MouseEvent { kind, x, y, button, count: 1 }).await.expect("the mouse");
    }
}

#[test]
fn a_form_is_filled_and_sent_with_mouse_and_keyboard() {
    on_stage(async |stage| {
        let (_, tab) = stage.tab_at("form", "/form").await;
        tab.insert_text("Ada").await.unwrap();
        let all: KeyChord = "Control+A".parse().unwrap();
        tab.key(&all).await.unwrap();
        for key in ["E", "v", "a"] {
            tab.key(&key.parse().unwrap()).await.unwrap();
        }
        click(&tab, 240.0, 115.0).await;
        until("the click arrives", || async { tab.title().await == "clicked Eva" }).await;
    });
}

#[test]
fn a_navigation_says_where_it_arrived_and_with_what_status() {
    on_stage(async |stage| {
        let (_, tab) = stage.tab_at("status", "/status").await;
        let arrived = tab.navigate(&stage.site.url("/status?x#y").parse().unwrap()).await.unwrap();
        assert_eq!(
            (arrived.url, arrived.status, arrived.loaded),
            (stage.site.url("/status?x#y"), Some(418), true)
        );
        let stays = tab.navigate(&stage.site.url("/nothing").parse().unwrap()).await.unwrap();
        assert_eq!(stays.url, stage.site.url("/status?x#y"));
        let within = tab.navigate(&stage.site.url("/status?x#z").parse().unwrap()).await.unwrap();
        assert_eq!((within.url, within.loaded), (stage.site.url("/status?x#z"), true));
    });
}

#[test]
fn the_history_goes_back_and_forward_and_ends() {
    on_stage(async |stage| {
        let (_, tab) = stage.tab_at("history", "/form").await;
        tab.navigate(&stage.site.url("/popup").parse().unwrap()).await.unwrap();
        assert_eq!(tab.history(-1).await.unwrap().url, stage.site.url("/form"));
        until("the title is there", || async { tab.title().await == "A form" }).await;
        assert_eq!(tab.history(1).await.unwrap().url, stage.site.url("/popup"));
        assert_eq!(tab.history(0).await.unwrap().status, Some(200));
        let refused = tab.history(1).await.unwrap_err();
        assert!(refused.message.contains("no page after"), "{refused}");
    });
}

#[test]
fn a_frame_of_another_site_is_listed_asked_and_clicked() {
    on_stage(async |stage| {
        let (context, tab) = stage.tab_at("framed", "/framed").await;
        let inner = stage.site.other("/inner");
        until("the frame is there", || async { tab.frames().await.iter().any(|frame| frame.url == inner) })
            .await;
        let frames = tab.frames().await;
        let frame = frames.iter().find(|frame| frame.url == inner).unwrap();
        assert_eq!((frame.label.as_str(), frame.parent.as_ref()), ("f1", Some(&frames[0].id)));
        assert_eq!(frame.origin, format!("http://127.0.0.2:{}", stage.site.port));
        assert_eq!(frames[0].origin, format!("http://127.0.0.1:{}", stage.site.port));
        assert_eq!(tab.offset_of(&frame.id).await.unwrap(), (100.0, 50.0));
        assert_eq!(tab.offset_of(&frames[0].id).await.unwrap(), (0.0, 0.0));
        let seen = snapshot(&tab, &context, &SnapshotWish::default()).await.unwrap();
        assert!(seen.text.contains("button \"inner\" f1e"), "our script answers there: {}", seen.text);
        click(&tab, 170.0, 100.0).await;
        until("the click arrives", || async { stage.site.has_seen("/inner-clicked") }).await;
    });
}

#[test]
fn a_page_comes_to_rest_after_its_late_content_and_one_that_never_rests_is_not_waited_for() {
    on_stage(async |stage| {
        let (_, tab) = stage.tab_at("late", "/late").await;
        tab.settle(Duration::from_millis(100), Duration::from_secs(3)).await;
        assert_eq!(tab.evaluate("document.getElementById('p').textContent").await.unwrap(), json!("arrived"));
        tab.navigate(&stage.site.url("/fetches").parse().unwrap()).await.unwrap();
        let begun = std::time::Instant::now();
        tab.settle(Duration::from_millis(500), Duration::from_millis(600)).await;
        assert!(begun.elapsed() >= Duration::from_millis(590) && begun.elapsed() < Duration::from_secs(3));
    });
}

#[test]
fn a_picture_is_taken_of_the_view_of_a_part_and_of_the_whole_page() {
    on_stage(async |stage| {
        let (_, tab) = stage.tab_at("picture", "/form").await;
        let png = tab.screenshot(&Shot::default()).await.unwrap();
        assert_eq!(&png[1..4], b"PNG");
        let clip = Some(Rect { x: 200.0, y: 100.0, width: 80.0, height: 30.0 });
        let part = tab.screenshot(&Shot { clip, ..Shot::default() }).await.unwrap();
        assert!(part.len() < png.len());
        let jpeg = Shot { format: ShotFormat::Jpeg(50), full: true, scale: 0.5, ..Shot::default() };
        assert_eq!(&tab.screenshot(&jpeg).await.unwrap()[..2], b"\xff\xd8");
    });
}

#[test]
fn a_file_is_given_to_a_file_input_and_to_nothing_else() {
    on_stage(async |stage| {
        let (_, tab) = stage.tab_at("upload", "/upload").await;
        let main = tab.frames().await[0].id.clone();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "content").unwrap();
        let files = [file.path().to_owned()];
        tab.set_files(&main, "#file", &files).await.unwrap();
        let size = tab.evaluate("document.getElementById('file').files[0].size").await.unwrap();
        assert_eq!(size, json!(7));
        let refused = tab.set_files(&main, "p", &files).await.unwrap_err();
        assert!(refused.message.contains("takes no files"), "{refused}");
        let refused = tab.set_files(&main, "e99", &files).await.unwrap_err();
        assert!(refused.message.contains("no longer on the page"), "{refused}");
    });
}

#[test]
fn dialogs_are_answered_at_once_as_was_said_or_dismissed() {
    on_stage(async |stage| {
        let context = stage.context("dialogs").await;
        let _turn = context.act().await;
        let tab = context.tab().await.unwrap();
        context.answer_dialog(DialogAnswer::Accept(None));
        tab.navigate(&stage.site.url("/ask").parse().unwrap()).await.unwrap();
        until("both are answered", || async { tab.title().await == "true null" }).await;
        let news = context.news();
        let dialog =
            |kind, message: &str, answered| News::Dialog { kind, message: message.to_owned(), answered };
        assert!(news.contains(&dialog(DialogKind::Confirm, "sure?", "accepted")), "{news:?}");
        assert!(news.contains(&dialog(DialogKind::Prompt, "name?", "dismissed")), "{news:?}");
    });
}

#[test]
fn a_page_that_wants_to_keep_its_visitor_is_left() {
    on_stage(async |stage| {
        let (_, tab) = stage.tab_at("leave", "/leave").await;
        click(&tab, 20.0, 20.0).await;
        let arrived = tab.navigate(&stage.site.url("/form").parse().unwrap()).await.unwrap();
        assert_eq!(arrived.url, stage.site.url("/form"));
    });
}

#[test]
fn a_link_that_opens_a_window_gives_a_tab_that_can_be_chosen_and_closed() {
    on_stage(async |stage| {
        let (context, tab) = stage.tab_at("popup", "/popup").await;
        click(&tab, 20.0, 20.0).await;
        let news = news_with(&context, "a popup", |news| matches!(news, News::Popup { .. })).await;
        assert!(news.contains(&News::Popup { tab: "t2".into(), url: stage.site.url("/form") }), "{news:?}");
        assert_eq!(context.tab().await.unwrap().id(), "t1");
        let popup = context.select("t2").await.unwrap();
        until("it has loaded", || async { popup.title().await == "A form" }).await;
        let tabs = context.tabs().await;
        assert_eq!(tabs.iter().map(|tab| tab.active).collect::<Vec<_>>(), [false, true]);
        context.close_tab("t2").await.unwrap();
        assert_eq!(context.tab().await.unwrap().id(), "t1");
        let refused = context.select("t2").await.err().unwrap();
        assert!(refused.to_string().contains("open tabs: t1"), "{refused}");
    });
}
