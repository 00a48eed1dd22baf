//! Codes of indexes and their profiles.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { INDEXES, "Indexes";

    UNKNOWN_PROFILE = Code {
        name: "unknown_profile",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such profile or version",
        happened: "No profile of an index has this name, or it has no such version.",
        advice: "Use one of the profiles that the hint lists. More are read from the folder that `[index]` names.",
        message: "there is no profile \"docs.defualt\"",
        hint: Hint::Example("there are docs.citation_strict, docs.default, projects.cross_project_reuse, runs.trace_search"),
        see: &["bad_profile", "configuration.md#index"],
    };

    BAD_PROFILE = Code {
        name: "bad_profile",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Start],
        title: "The file of a profile cannot be used",
        happened: "A file in the folder of profiles cannot be read, has a key or a number that no profile has, or has the name and version \
             of another one. The gateway does not start without it: it would search with another profile than its operator wrote.",
        advice: "Correct the file that the message names. A changed profile gets the next version.",
        message: "the profile profiles/mine.toml cannot be used: `words_max` is at least 1 and not below `words_min`",
        hint: Hint::Standard("correct the file, or take it out of the folder"),
        see: &["unknown_profile"],
    };

    NO_INDEX = Code {
        name: "no_index",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "Nothing in the scope has an index",
        happened: "None of the pointers that the search may use was indexed with this profile, or the pointer leads to no manifest yet.",
        advice: "Call `index.ingest` for the pointer and the profile first. `index.status` shows the indexes that there are.",
        message: "project/a:handbook has no index of the profile docs.default",
        hint: Hint::Standard("call index.ingest first; index.status shows the indexes that there are"),
        see: &["unknown_pointer", "unknown_profile"],
    };

    INDEX_UNDER_WAY = Code {
        name: "index_under_way",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The index is not built yet",
        happened: "An evaluation needs an index of the version that it measures, and that one is still being built.",
        advice: "Call again when the run that the message names has ended, or with a longer `wait_seconds`.",
        message: "the index of docs.default@2 that is measured is not built yet; run run_1 builds it",
        hint: Hint::Standard("call again when that run has ended"),
        see: &["no_index"],
    };

    PROFILE_FALLS = Code {
        name: "profile_falls",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The new version of the profile is worse",
        happened: "A version of a profile is promoted only if none of its measures falls below those of the active version on the same \
             questions. Nothing was changed. `details` has both.",
        advice: "Improve the profile, and evaluate it again.",
        message: "docs.default@2 is not promoted: nDCG@10 falls from 0.812 to 0.790",
        hint: Hint::Standard("improve the profile, and evaluate it again"),
        see: &["profile_stale"],
    };

    PROFILE_STALE = Code {
        name: "profile_stale",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(412), CodeChannel::Result],
        title: "Another version of the profile was promoted meanwhile",
        happened: "The active version changed while both versions were measured. Nothing was changed.",
        advice: "Evaluate again: the new version is compared with the one that is active now.",
        message: "another version of docs.default was promoted meanwhile",
        hint: Hint::Standard("evaluate again"),
        see: &["profile_falls"],
    };

    SEARCH_LIMITED = Code {
        name: "search_limited",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Warning],
        title: "The search did not cover everything",
        happened: "An index is behind its pointer, is being rebuilt, or was left out; or the query was cut. The message says which.",
        advice: "Call `index.ingest` for a pointer whose index is behind.",
        message: "the index of project/a:handbook is behind: the pointer has moved since it was built",
        hint: Hint::None,
        see: &["no_index"],
    };
}
