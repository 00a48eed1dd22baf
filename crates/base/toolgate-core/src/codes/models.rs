//! Codes of language models.

use super::code::{Code, CodeChannel, Hint, Retry};
use crate::Blame;

codes! { MODELS, "Models";

    UNKNOWN_MODEL = Code {
        name: "unknown_model",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(404), CodeChannel::Result],
        title: "There is no such model",
        happened: "No model of this name is configured, in the file or in the setting `models`.",
        advice: "`toolgate models list` shows the configured models; `[[models]]` or `PATCH /settings/models` adds one.",
        message: "there is no model \"gtp-5\"",
        hint: Hint::Standard("`toolgate models list` shows those there are; `[[models]]` adds one"),
        see: &["bad_model", "configuration.md#models"],
    };

    BAD_MODEL = Code {
        name: "bad_model",
        fault: Blame::Caller,
        retry: Retry::No,
        seen: &[CodeChannel::Http(422)],
        title: "The definition of the model cannot be used",
        happened: "The address of the model cannot be dialled from here: it is none, or the address rules forbid it.",
        advice: "Correct `url` where the model is defined. For addresses of this machine or of a private network, define the \
             model in the file, or allow them in `[network]`.",
        message: "the address of model \"local\" cannot be used: 127.0.0.1 is an address of this machine",
        hint: Hint::Example("correct `url`; `toolgate models show local` shows where the model is defined"),
        see: &["unknown_model", "configuration.md#network"],
    };

    MODEL_FAULT = Code {
        name: "model_fault",
        fault: Blame::Server,
        retry: Retry::Sometimes,
        seen: &[CodeChannel::Http(503), CodeChannel::Result],
        title: "The model did not answer as it should",
        happened: "A request to a model failed: it is away or busy, it refused, its answer made no sense, the request was \
             larger than its context, or its key or address cannot be used.",
        advice: "`toolgate models test NAME` asks the model and says what is wrong with it.",
        message: "model \"gpt\" refused the request with HTTP status 401",
        hint: Hint::Example("the provider does not accept the key; `toolgate secrets set toolgate OPENAI_KEY` stores another"),
        see: &["unknown_model"],
    };
}
