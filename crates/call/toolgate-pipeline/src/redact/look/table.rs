//! The table of kinds. If one beginning is a prefix of another, the longer one comes first.

use super::CredentialLook;
use super::shape::{
    CredentialShape, is_alphanumeric, is_base64, is_capital, is_dotted, is_hex, is_path, is_word,
};

const AWS: CredentialShape = CredentialShape::Exactly { of: is_capital, bytes: 16 };
const GITHUB: CredentialShape = CredentialShape::Run { of: is_alphanumeric, bytes_min: 36 };
const SLACK: CredentialShape = CredentialShape::Run { of: is_word, bytes_min: 20 };
const STRIPE: CredentialShape = CredentialShape::Run { of: is_alphanumeric, bytes_min: 16 };

pub(super) const LOOKS: [CredentialLook; 47] = [
    look("tg_", "Toolgate token", CredentialShape::Toolgate),
    look("bearer ", "bearer token", CredentialShape::Bearer),
    look("basic ", "name and password", CredentialShape::Basic),
    look("eyJ", "JSON Web Token", CredentialShape::WebToken),
    look("-----BEGIN ", "private key", CredentialShape::PrivateKey),
    look("://", "password", CredentialShape::Address),
    look("AKIA", "AWS access key", AWS),
    look("ASIA", "AWS access key", AWS),
    look("ABIA", "AWS access key", AWS),
    look("ACCA", "AWS access key", AWS),
    look("ghp_", "GitHub token", GITHUB),
    look("gho_", "GitHub token", GITHUB),
    look("ghu_", "GitHub token", GITHUB),
    look("ghs_", "GitHub token", GITHUB),
    look("ghr_", "GitHub token", GITHUB),
    look("github_pat_", "GitHub token", CredentialShape::Run { of: is_word, bytes_min: 40 }),
    look("glpat-", "GitLab token", CredentialShape::Run { of: is_dotted, bytes_min: 20 }),
    look("xoxa-", "Slack token", SLACK),
    look("xoxb-", "Slack token", SLACK),
    look("xoxe-", "Slack token", SLACK),
    look("xoxp-", "Slack token", SLACK),
    look("xoxr-", "Slack token", SLACK),
    look("xoxs-", "Slack token", SLACK),
    look("xapp-", "Slack token", SLACK),
    look("hooks.slack.com/services/", "Slack webhook", CredentialShape::Run { of: is_path, bytes_min: 20 }),
    look("AIza", "Google key", CredentialShape::Run { of: is_word, bytes_min: 35 }),
    look("ya29.", "Google token", CredentialShape::Run { of: is_dotted, bytes_min: 20 }),
    look("GOCSPX-", "Google secret", CredentialShape::Run { of: is_word, bytes_min: 20 }),
    look("sk_live_", "Stripe key", STRIPE),
    look("sk_test_", "Stripe key", STRIPE),
    look("rk_live_", "Stripe key", STRIPE),
    look("rk_test_", "Stripe key", STRIPE),
    look("whsec_", "webhook secret", CredentialShape::Run { of: is_base64, bytes_min: 24 }),
    look("sk-", "key of a model's maker", CredentialShape::Mixed { of: is_word, bytes_min: 32 }),
    look("hf_", "Hugging Face token", CredentialShape::Mixed { of: is_alphanumeric, bytes_min: 30 }),
    look("npm_", "npm token", CredentialShape::Run { of: is_alphanumeric, bytes_min: 36 }),
    look("pypi-AgE", "PyPI token", CredentialShape::Run { of: is_word, bytes_min: 50 }),
    look("SG.", "SendGrid key", CredentialShape::Mixed { of: is_dotted, bytes_min: 60 }),
    look("dop_v1_", "DigitalOcean token", CredentialShape::Run { of: is_hex, bytes_min: 64 }),
    look("hvs.", "Vault token", CredentialShape::Run { of: is_word, bytes_min: 24 }),
    look("shpat_", "Shopify token", CredentialShape::Run { of: is_hex, bytes_min: 32 }),
    look("dapi", "Databricks token", CredentialShape::Run { of: is_hex, bytes_min: 32 }),
    look("lin_api_", "Linear key", CredentialShape::Run { of: is_alphanumeric, bytes_min: 32 }),
    look("ATATT3", "Atlassian token", CredentialShape::Run { of: is_base64, bytes_min: 60 }),
    look("AccountKey=", "Azure key", CredentialShape::Behind { of: is_base64, bytes_min: 60 }),
    look("SharedAccessKey=", "Azure key", CredentialShape::Behind { of: is_base64, bytes_min: 40 }),
    look("AGE-SECRET-KEY-1", "age key", CredentialShape::Run { of: is_alphanumeric, bytes_min: 50 }),
];

const fn look(start: &'static str, kind: &'static str, shape: CredentialShape) -> CredentialLook {
    CredentialLook { start, kind, shape }
}
