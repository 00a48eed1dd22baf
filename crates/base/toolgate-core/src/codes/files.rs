//! Codes of files, refs, artifacts and addresses that are given out.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { FILES, "Files, refs and artifacts";

    UNKNOWN_FILE = Code {
        name: "unknown_file",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such file",
        happened: "No file has this id, or the file was deleted, has expired, or belongs to another principal. All \
             cases get the same answer.",
        advice: "Upload the file (again) and use the new id.",
        message: "there is no file file_019a…",
        hint: Hint::Example("it may have been deleted, have expired, or belong to another principal"),
        see: &["unknown_ref", "unknown_upload"],
    };

    UNKNOWN_REF = Code {
        name: "unknown_ref",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Http(409), CodeChannel::Result],
        title: "There is no such ref",
        happened: "No ref has this id, the ref has expired, it belongs to another session, or the server that made it \
             no longer returns its content.",
        advice: "Call the tool that made it again.",
        message: "there is no ref ref_019a…",
        hint: Hint::Example("it may have been deleted, have expired, or belong to another principal"),
        see: &["unknown_file", "ref_not_fetched", "configuration.md#results"],
    };

    UNKNOWN_ARTIFACT = Code {
        name: "unknown_artifact",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such artifact",
        happened: "No artifact that this caller may see has this digest or name. A run completes only with artifacts \
             that it has stored.",
        advice: "Store it with `store_artifact` first, or leave it out.",
        message: "this run has stored no artifact \"report.md\"",
        hint: Hint::Example("store it with store_artifact first, or leave it out"),
        see: &["unknown_file", "artifact_conflict"],
    };

    UNKNOWN_UPLOAD = Code {
        name: "unknown_upload",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404)],
        title: "There is no such upload URL",
        happened: "The gateway did not issue this upload URL, or has removed it.",
        advice: "Request a new upload URL.",
        message: "there is no upload URL upl_019a…",
        hint: Hint::Example("it may have been deleted, have expired, or belong to another principal"),
        see: &["upload_expired"],
    };

    FILE_TOO_LARGE = Code {
        name: "file_too_large",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(413), CodeChannel::Result],
        title: "The file is larger than its limit",
        happened: "An upload is larger than `files.upload_bytes_max`, or a file is larger than what its \
             strategy can put into a call.",
        advice: "Use a smaller file, read it in pieces with `read_ref`, or ask the operator to raise the limit in the message.",
        message: "file_019a… has 209715200 bytes; as `file_data` at most 104857600 can be given",
        hint: Hint::Standard("give a smaller file, or ask the operator to raise the limit"),
        see: &["body_too_large", "configuration.md#files"],
    };

    UPLOAD_CUT_OFF = Code {
        name: "upload_cut_off",
        fault: Blame::Caller,
        retry: Retry::NewRequest,
        seen: &[CodeChannel::Http(400)],
        title: "The upload was interrupted",
        happened: "The connection ended before the whole file had arrived. Nothing was kept.",
        advice: "Send it again.",
        message: "the upload broke off after 65536 bytes: the connection ended",
        hint: Hint::Standard("nothing of it was kept; send it again"),
        see: &["body_broken"],
    };

    UPLOAD_USED = Code {
        name: "upload_used",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The upload URL was already used",
        happened: "An upload URL takes one file.",
        advice: "Request another upload URL.",
        message: "the upload URL upl_019a… was used, or is in use",
        hint: Hint::Standard("an upload URL takes one file; request another"),
        see: &["upload_expired"],
    };

    UPLOAD_EXPIRED = Code {
        name: "upload_expired",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410)],
        title: "The upload URL has expired",
        happened: "Upload URLs are valid for `files.upload_url_keep_seconds`.",
        advice: "Request another upload URL.",
        message: "the upload URL upl_019a… has expired",
        hint: Hint::Standard("request another"),
        see: &["upload_used", "configuration.md#files"],
    };

    BAD_ADDRESS = Code {
        name: "bad_address",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(403)],
        title: "The URL's signature is not valid",
        happened: "The signature in the URL does not match the rest of it.",
        advice: "Use the URL exactly as it was issued.",
        message: "this URL was not issued here, or was changed",
        hint: Hint::Standard("use it exactly as it was issued"),
        see: &["signature_missing", "address_expired"],
    };

    ADDRESS_EXPIRED = Code {
        name: "address_expired",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(410)],
        title: "The URL has expired",
        happened: "A signed URL of a file is valid for a limited time.",
        advice: "Ask for a new one.",
        message: "this URL has expired",
        hint: Hint::Standard("ask for a new one"),
        see: &["bad_address", "configuration.md#files"],
    };

    NO_PUBLIC_URL = Code {
        name: "no_public_url",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409)],
        title: "The gateway does not know its own address",
        happened: "The gateway was asked for a URL, and cannot tell from the address that it listens on how it is \
             reached from outside.",
        advice: "The operator sets `public_url`.",
        message: "the gateway does not know its public URL",
        hint: Hint::Standard("an operator can set `public_url`"),
        see: &["address_expired", "configuration.md#top-of-the-file"],
    };

    BAD_FILE_ID = Code {
        name: "bad_file_id",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "This is not the id of a file",
        happened: "An argument that takes a file has a value other than a file id (or, where it takes several files, a \
             list of ids).",
        advice: "Give an id such as `file_…` or `ref_…`, as a string.",
        message: "`file_id` takes the id of a file",
        hint: Hint::Standard("an id looks like `file_…` or `ref_…`, and is written as a string"),
        see: &["unknown_file"],
    };

    BAD_FILE_NAME = Code {
        name: "bad_file_name",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422), CodeChannel::Result],
        title: "The file cannot have this name",
        happened: "The name is empty or too long, or has folders or control characters in it.",
        advice: "Give the name alone, such as `report.pdf`.",
        message: "a file name has no `/` in it",
        hint: Hint::Standard("give the name alone, such as `report.pdf`, without folders"),
        see: &["name_missing"],
    };

    NAME_MISSING = Code {
        name: "name_missing",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The file has no name",
        happened: "The upload does not say what the file is called.",
        advice: "Give `name`, the header `x-file-name`, or a form whose file has a name.",
        message: "the file has no name",
        hint: Hint::Standard("give `name`, the header `x-file-name`, or a file with a name in the form"),
        see: &["bad_file_name"],
    };

    FILE_MISSING = Code {
        name: "file_missing",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The form has no file",
        happened: "The upload form has no part named `file`.",
        advice: "Name the part `file`; with curl: `-F file=@report.pdf`.",
        message: "the form has no part `file`",
        hint: Hint::Standard("with curl: -F file=@report.pdf"),
        see: &["second_file"],
    };

    SECOND_FILE = Code {
        name: "second_file",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The form has more than one file",
        happened: "One request stores one file; none of them was kept.",
        advice: "Send one request for each.",
        message: "the form has more than one file, so none of them was kept",
        hint: Hint::Standard("send one request for each"),
        see: &["file_missing"],
    };

    FORM_BROKEN = Code {
        name: "form_broken",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(400)],
        title: "The form cannot be read",
        happened: "The body is not `multipart/form-data` as RFC 7578 has it.",
        advice: "Send a form, or the file alone as the body.",
        message: "the form cannot be read: no boundary",
        hint: Hint::Standard("send `multipart/form-data` as RFC 7578 has it, or the file alone as the body"),
        see: &["upload_cut_off"],
    };

    BAD_OWNER = Code {
        name: "bad_owner",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The owner's name is not valid",
        happened: "`owner` is not a name that a principal could have.",
        advice: "Give the name of a principal, or leave `owner` out.",
        message: "a principal cannot be called \"\"",
        hint: Hint::None,
        see: &["not_allowed"],
    };

    BAD_EXPIRY = Code {
        name: "bad_expiry",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The file cannot be kept for that long",
        happened: "`expires_in_seconds` is 0, or more than `files.keep_days`.",
        advice: "Choose a time within the bounds in the message, or leave it out.",
        message: "a file is kept for 1 to 2592000 seconds here",
        hint: Hint::Standard("leave it out to keep the file as long as files are kept here"),
        see: &["configuration.md#files"],
    };

    BAD_RANGE = Code {
        name: "bad_range",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(416), CodeChannel::Result],
        title: "The range is outside the content",
        happened: "The requested range starts after the end of the content, or the requested line does not exist.",
        advice: "Request an earlier range; the message has the length of the content.",
        message: "none of the wanted bytes are there; it has 812",
        hint: Hint::None,
        see: &["bad_query"],
    };

    BAD_QUERY = Code {
        name: "bad_query",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The search text is not valid",
        happened: "`read_ref` was asked to search for a text that is empty or too long.",
        advice: "Give the words to search for.",
        message: "a query has 1 to 256 characters",
        hint: Hint::Standard("give the words that you look for"),
        see: &["bad_range"],
    };

    BAD_BASE64 = Code {
        name: "bad_base64",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The content is not Base64",
        happened: "The call of `store_artifact` says that the content is Base64, and it is not.",
        advice: "Send Base64 in the standard alphabet, or plain text.",
        message: "the content is no Base64: invalid symbol 32, offset 4",
        hint: Hint::Standard("send Base64 of the standard alphabet, or plain text"),
        see: &["artifact_conflict"],
    };

    ARTIFACT_CONFLICT = Code {
        name: "artifact_conflict",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Result],
        title: "The run already has an artifact of this name",
        happened: "Artifacts never change, and the run has stored other bytes under the same name.",
        advice: "Store it under another name.",
        message: "this run has an artifact \"report.md\" already, with other bytes: sha256:9f86…",
        hint: Hint::Standard("artifacts never change; store it under another name"),
        see: &["unknown_artifact"],
    };

    GIVEN_TWICE = Code {
        name: "given_twice",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "File and content were both given",
        happened: "An argument that the gateway fills from a file was given beside the file itself.",
        advice: "Give the file alone. Upload content that has no id yet first: `POST /files`, or `file_upload_url`.",
        message: "`content` is filled from `file_id`, and both were given",
        hint: Hint::Example("give `file_id` alone, and leave `content` to the gateway"),
        see: &["bad_file_id"],
    };

    AMBIGUOUS_REF = Code {
        name: "ambiguous_ref",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "Several servers use this id",
        happened: "The id was assigned by a server, and more than one server uses it.",
        advice: "Write it with the server in front, as the hint shows.",
        message: "2 servers call something doc-1",
        hint: Hint::Example("say whose is meant: `docs:doc-1` or `wiki:doc-1`"),
        see: &["unknown_ref"],
    };

    STORAGE_QUOTA = Code {
        name: "storage_quota",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(429), CodeChannel::Result],
        title: "The storage quota is reached",
        happened: "With this file, its owner would exceed `stored_bytes_max` of `[[quotas]]`. The file was not kept.",
        advice: "Delete files that are no longer needed, or ask the operator to raise the quota.",
        message: "1048576 bytes of files are kept for ann, who may have 1048576",
        hint: Hint::Standard("delete files that are not needed; `[[quotas]] stored_bytes_max` sets how much is kept"),
        see: &["file_too_large", "configuration.md#quotas"],
    };

    TOO_MANY_FILES = Code {
        name: "too_many_files",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The call names too many files",
        happened: "One call takes a limited number of files and refs.",
        advice: "Make several calls.",
        message: "the arguments name 80 files; a call takes 64 at most",
        hint: Hint::Standard("make several calls of it"),
        see: &["file_too_large"],
    };

    NOT_AN_IMAGE = Code {
        name: "not_an_image",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The file is not an image",
        happened: "The tool takes images, and the file's bytes are something else, whatever its name says.",
        advice: "Give a PNG, JPEG or the like, or use a tool that takes this kind of file.",
        message: "file_019a… is no image but application/pdf, as its bytes say",
        hint: Hint::Standard("give an image such as PNG or JPEG, or use a tool that takes this kind of file"),
        see: &["not_text"],
    };

    NOT_A_VIDEO = Code {
        name: "not_a_video",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The file is not a video",
        happened: "The tool takes video or audio, and the file's bytes are something else, whatever its name says.",
        advice: "Give an MP4, WebM or the like, or use a tool that takes this kind of file.",
        message: "file_019a… is no video but application/pdf, as its bytes say",
        hint: Hint::Standard("give a video such as MP4 or WebM, or use a tool that takes this kind of file"),
        see: &["not_an_image", "not_text"],
    };

    NOT_TEXT = Code {
        name: "not_text",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The file is not text",
        happened: "The tool takes text, and no text could be extracted from the file.",
        advice: "Give it to a tool that takes this kind of file, such as one that reads documents.",
        message: "file_019a… is application/zip, which is not text",
        hint: Hint::Standard("give it to a tool that takes this kind of file, such as one that reads documents"),
        see: &["not_an_image", "extractor_failed"],
    };

    EXTRACTOR_FAILED = Code {
        name: "extractor_failed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Result],
        title: "The text of a document could not be read",
        happened: "The tool that extracts text from documents (`files.extractor`) does not exist, does not take files, \
             or failed on this one.",
        advice: "Use a tool that takes the file itself, or a text file. The operator can start the server of the \
             extractor, or configure another tool.",
        message: "the text of this file is read by doc-parser-mcp:extract_text, and there is no such tool now",
        hint: Hint::Example("start the server that has it, or name another tool: `[files] extractor = \"server:tool\"`"),
        see: &["not_text", "configuration.md#files"],
    };

    REF_NOT_FETCHED = Code {
        name: "ref_not_fetched",
        fault: Blame::Caller,
        retry: Retry::Sometimes,
        seen: &[CodeChannel::Http(409), CodeChannel::Http(503), CodeChannel::Result],
        title: "The content is still with the server that made it",
        happened: "The ref stands for content that a server keeps itself, and it could not be fetched, or has not been \
             fetched yet.",
        advice: "Read it once, which fetches it; if the server is not available, try again later.",
        message: "what ref_019a… stands for is still with the server that made it",
        hint: Hint::Standard("read it once, which fetches it"),
        see: &["unknown_ref"],
    };

    FILE_CHANGED = Code {
        name: "file_changed",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(409), CodeChannel::Http(410), CodeChannel::Result],
        title: "The file has changed",
        happened: "A file or ref in the call was changed or deleted after the decision on the call, or can no longer be read.",
        advice: "Make the call again, which asks the approvers again; store the file again if it is gone.",
        message: "file_019a… is not what it was when the call was decided on",
        hint: Hint::Standard("what was approved no longer fits; make the call again"),
        see: &["not_approved", "content_unread"],
    };

    STORAGE_DOWN = Code {
        name: "storage_down",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(503), CodeChannel::Result, CodeChannel::Warning],
        title: "The file storage is not available",
        happened: "The folder or bucket with the files does not respond, or refuses the gateway. As a warning: part of \
             a result could not be kept and was withheld.",
        advice: "Repeat the request later. The operator looks at `toolgate doctor`, the folder's owner, mode \
             and disk, or the bucket's credentials.",
        message: "the storage did not answer",
        hint: Hint::Example("try again later"),
        see: &["storage_busy", "store_down", "configuration.md#files"],
    };

    STORAGE_BUSY = Code {
        name: "storage_busy",
        fault: Blame::Gateway,
        retry: Retry::Yes,
        seen: &[CodeChannel::Http(503), CodeChannel::Result],
        title: "The same content is being deleted",
        happened: "The last copy of the same content is being deleted while it is stored again.",
        advice: "Repeat the request in a few minutes.",
        message: "the same bytes are being deleted at this moment",
        hint: Hint::Standard("try again in a few minutes"),
        see: &["storage_down"],
    };

    BAD_STORAGE = Code {
        name: "bad_storage",
        fault: Blame::Gateway,
        retry: Retry::No,
        seen: &[CodeChannel::Start],
        title: "The file storage is misconfigured",
        happened: "The settings of the bucket are not valid, so the gateway does not start.",
        advice: "The operator corrects `[files]`: `url`, `endpoint`, `region`, `access_key_id`, \
             `secret_access_key`.",
        message: "the endpoint of the storage is not encrypted",
        hint: Hint::Example("use https, or say that http is allowed"),
        see: &["storage_down", "configuration.md#files"],
    };
}
