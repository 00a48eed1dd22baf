//! The pictures of pages that were drawn last. A page of the console asks whether a page of a document can be drawn, the browser then
//! fetches its picture, and whoever reads on wants the next one: each is drawn once.

use std::collections::VecDeque;

use bytes::Bytes;
use parking_lot::Mutex;
use toolgate_api::DrawnPageRequest;

const PICTURES_MAX: usize = 8;
/// All of them together. A larger picture is not kept.
const BYTES_MAX: usize = 16 << 20;

/// Documents do not change under their digest, and neither do their pages.
#[derive(Default)]
pub(crate) struct DrawnPages(Mutex<VecDeque<(DrawnPageRequest, Bytes)>>);

impl DrawnPages {
    pub(crate) fn find(&self, request: &DrawnPageRequest) -> Option<Bytes> {
        let kept = self.0.lock();
        kept.iter().find(|(drawn, _)| drawn == request).map(|(_, picture)| picture.clone())
    }

    pub(crate) fn keep(&self, request: &DrawnPageRequest, picture: &Bytes) {
        let mut kept = self.0.lock();
        kept.retain(|(drawn, _)| drawn != request);
        kept.push_back((request.clone(), picture.clone()));
        while kept.len() > PICTURES_MAX || bytes(&kept) > BYTES_MAX {
            kept.pop_front();
        }
    }
}

fn bytes(kept: &VecDeque<(DrawnPageRequest, Bytes)>) -> usize {
    kept.iter().map(|(_, picture)| picture.len()).sum()
}

#[cfg(test)]
mod tests {
    use toolgate_core::Digest;

    use super::*;

    fn page(page: u32) -> DrawnPageRequest {
        let (artifact, media_type) = (Digest::of("lease"), "application/pdf".to_owned());
        DrawnPageRequest { artifact, media_type, page, width: 1_400 }
    }

    #[test]
    fn the_last_pictures_are_found_again_each_under_its_own_page() {
        let drawn = DrawnPages::default();
        assert_eq!(drawn.find(&page(1)), None);
        for number in 1..=9 {
            drawn.keep(&page(number), &Bytes::from(format!("picture {number}")));
            drawn.keep(&page(number), &Bytes::from(format!("picture {number}")));
        }
        assert_eq!(drawn.find(&page(1)), None, "the oldest went");
        for number in 2..=9 {
            assert_eq!(drawn.find(&page(number)), Some(Bytes::from(format!("picture {number}"))));
        }
        assert_eq!(drawn.find(&DrawnPageRequest { width: 500, ..page(9) }), None);
    }

    #[test]
    fn large_pictures_take_no_more_room_than_there_is() {
        let drawn = DrawnPages::default();
        for number in 1..=3 {
            drawn.keep(&page(number), &Bytes::from(vec![0; BYTES_MAX / 2]));
        }
        assert_eq!([1, 2, 3].map(|number| drawn.find(&page(number)).is_some()), [false, true, true]);
        drawn.keep(&page(4), &Bytes::from(vec![0; BYTES_MAX + 1]));
        assert_eq!([3, 4].map(|number| drawn.find(&page(number)).is_some()), [false, false]);
    }
}
