//! `[[models]]`.

use toolgate_core::model::{ModelDefinition, ModelLimits, ModelPrices};

use super::EffectTime::WhileRunning;
use super::KeyKind::{Count, Other, Seconds, Table as Nested, Text, Url, Word};
use super::{ConfigTable, is, needed, without};

const PRICE: super::KeyKind = Other("number");

pub(super) const MODELS: ConfigTable = ConfigTable {
    header: "[[models]]",
    about: "Language models, for the agents that run here. Nothing else needs one. More can be set while the gateway runs \
         (`PATCH /settings/models`); `toolgate models test NAME` says whether a model answers, streams and calls tools.",
    accepted: ModelDefinition::KEYS,
    keys: &[
        needed("name", Text, "The gateway's own name of the model: letters, digits, `-`, `_` and `.`."),
        needed(
            "provider",
            Word(&["openai", "openai_responses", "anthropic", "gemini", "ollama"]),
            "The wire format; `openai` is that of chat completions, which most servers are compatible with.",
        ),
        needed("model", Text, "The provider's own name of the model."),
        without(
            "url",
            Url,
            "that of the provider",
            "The address; paths such as `/chat/completions` are appended.",
        ),
        without(
            "key",
            Text,
            "none is sent",
            "The name of the secret with the key: `toolgate secrets set toolgate NAME` stores it, or `[[secrets]]` with \
                 `server = \"toolgate\"`.",
        ),
        is(
            "context_tokens",
            Count,
            "128000",
            "The number of tokens that a request and its answer may have together.",
        ),
        is("prices", Nested("`{ … }`"), "{}", "Prices for a million tokens; see below."),
        is("limits", Nested("`{ … }`"), "{}", "Limits of requests and answers; see below."),
    ],
    changes: WhileRunning,
    least: "[[models]]\nname = \"gpt\"\nprovider = \"openai\"\nmodel = \"gpt-5-mini\"\n",
    example: "[[models]]\nname = \"gpt\"\nprovider = \"openai\"\nmodel = \"gpt-5-mini\"\nkey = \"OPENAI_KEY\"\n\
              context_tokens = 400000\nprices = { input = 0.25, cached = 0.025, output = 2 }\n",
};

pub(super) const PRICES: ConfigTable = ConfigTable {
    header: "[models.prices]",
    about: "Prices in currency units for a million tokens, from which costs and budgets are counted; within `[[models]]`.",
    accepted: ModelPrices::KEYS,
    keys: &[
        is("input", PRICE, "0", "Input that the provider reads for the first time."),
        without("cached", PRICE, "as `input`", "Input that the provider had in its cache."),
        without("written", PRICE, "as `input`", "Input that the provider wrote into its cache."),
        is("output", PRICE, "0", "Output."),
        without(
            "currency",
            Text,
            "none is shown",
            "Three capital letters, such as `EUR`, shown beside costs. Amounts are never converted.",
        ),
    ],
    changes: WhileRunning,
    least: "[[models]]\nname = \"gpt\"\nprovider = \"openai\"\nmodel = \"gpt-5-mini\"\n[models.prices]\n",
    example: "[[models]]\nname = \"claude\"\nprovider = \"anthropic\"\nmodel = \"claude-sonnet-4-5\"\n\
              prices = { input = 3, cached = 0.3, written = 3.75, output = 15 }\n",
};

pub(super) const LIMITS: ConfigTable = ConfigTable {
    header: "[models.limits]",
    about: "Limits of requests to a model and of its answers; within `[[models]]`.",
    accepted: ModelLimits::KEYS,
    keys: &[
        is(
            "output_tokens_max",
            Count,
            "8192",
            "The number of tokens of one answer; half of the context, if that is less.",
        ),
        is("parallel_max", Count, "16", "The number of requests at the same time; others wait."),
        is(
            "silence_seconds",
            Seconds,
            "120",
            "The time until the first piece of an answer, between two pieces, and for a free place.",
        ),
        is("answer_seconds", Seconds, "600", "The time of a whole answer."),
        without(
            "spend_per_day",
            Other("amount"),
            "any amount",
            "The cost per day (UTC) of all runs with this model, over all replicas, in the currency of its prices. A run that reaches \
             it waits for a person.",
        ),
    ],
    changes: WhileRunning,
    least: "[[models]]\nname = \"gpt\"\nprovider = \"openai\"\nmodel = \"gpt-5-mini\"\n[models.limits]\n",
    example: "[[models]]\nname = \"local\"\nprovider = \"ollama\"\nmodel = \"llama3.2:3b\"\ncontext_tokens = 32768\n\
              limits = { output_tokens_max = 2048, parallel_max = 1, silence_seconds = 300 }\n",
};
