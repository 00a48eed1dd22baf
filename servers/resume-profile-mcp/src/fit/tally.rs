//! Requirements that are met, of all: what they weigh, and the share in words that can be checked.

use super::Importance;

/// The weight of a required item relative to an optional one.
const MUST: f64 = 2.0;
const NICE: f64 = 1.0;

pub(super) fn weight(importance: Importance) -> f64 {
    if importance == Importance::Must { MUST } else { NICE }
}

/// The numbers of met and of all requirements.
#[derive(Default)]
pub(super) struct RequirementTally {
    must: (u32, u32),
    nice: (u32, u32),
}

impl RequirementTally {
    pub(super) fn add(&mut self, importance: Importance, is_met: bool) {
        let (met, all) = if importance == Importance::Must { &mut self.must } else { &mut self.nice };
        *met += u32::from(is_met);
        *all += 1;
    }

    pub(super) fn share(&self) -> f64 {
        weighed(self.must.0, self.nice.0) / weighed(self.must.1, self.nice.1)
    }

    pub(super) fn why(&self) -> String {
        let ((must, musts), (nice, nices)) = (self.must, self.nice);
        let percent = self.share() * 100.0;
        match (musts, nices) {
            (_, 0) => format!("{must} of {musts} required skills are met: {percent:.0}%"),
            (0, _) => format!("{nice} of {nices} optional skills are met: {percent:.0}%"),
            _ => format!(
                "{must} of {musts} required skills are met, which count double, and {nice} of {nices} optional \
                 ones: {} of {} is {percent:.0}%",
                weighed(must, nice),
                weighed(musts, nices)
            ),
        }
    }
}

fn weighed(must: u32, nice: u32) -> f64 {
    f64::from(must) * MUST + f64::from(nice) * NICE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_lead_to_the_share() {
        let mut tally = RequirementTally::default();
        for is_met in [true, true, true, false] {
            tally.add(Importance::Must, is_met);
        }
        assert_eq!(tally.why(), "3 of 4 required skills are met: 75%");
        for is_met in [true, false, false, true] {
            tally.add(Importance::Nice, is_met);
        }
        let why =
            "3 of 4 required skills are met, which count double, and 2 of 4 optional ones: 8 of 12 is 67%";
        assert_eq!(tally.why(), why);
    }
}
