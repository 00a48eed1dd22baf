//! Files that pages give.

use capability_browser::{Download, News};

use crate::stage::{files_in, news_with, on_stage};

#[test]
fn a_download_is_kept_until_it_is_taken_and_goes_with_its_context() {
    on_stage(async |stage| {
        let (context, tab) = stage.tab_at("download", "/form").await;
        let stays = tab.navigate(&stage.site.url("/file").parse().unwrap()).await.unwrap();
        assert_eq!(stays.url, stage.site.url("/form"), "a download is no page");
        let done = News::DownloadDone { name: "a file.bin".into(), bytes: 5000 };
        news_with(&context, "a download", |news| *news == done).await;
        let taken = context.take_downloads();
        let [Download::Done { name, media_type, path, bytes }] = &taken[..] else { panic!("{taken:?}") };
        assert_eq!(
            (name.as_str(), media_type.as_str(), *bytes),
            ("a file.bin", "application/octet-stream", 5000)
        );
        assert_eq!(std::fs::metadata(path).unwrap().len(), 5000);
        assert!(context.take_downloads().is_empty());
        stage.browser.end(&crate::stage::key("download")).await;
        assert!(!path.exists());
    });
}

#[test]
fn a_download_of_two_gibibytes_is_broken_off_and_leaves_no_file() {
    on_stage(async |stage| {
        for path in ["/huge", "/endless"] {
            let (context, tab) = stage.tab_at("huge", "/form").await;
            tab.navigate(&stage.site.url(path).parse().unwrap()).await.unwrap();
            let refused =
                |news: &News| matches!(news, News::DownloadRefused { why, .. } if why.contains("1 MiB"));
            news_with(&context, "a refusal", refused).await;
            let taken = context.take_downloads();
            assert!(matches!(&taken[..], [Download::Refused { .. }]), "{taken:?}");
            assert!(context.downloading().is_empty());
            stage.browser.end(&crate::stage::key("huge")).await;
        }
        let large = files_in(&std::env::temp_dir()).into_iter().filter(|path| {
            let is_ours =
                path.to_string_lossy().contains(&format!("capability-browser-test-{}", std::process::id()));
            is_ours && std::fs::metadata(path).is_ok_and(|data| data.len() > 32 << 20)
        });
        assert_eq!(large.count(), 0);
    });
}
