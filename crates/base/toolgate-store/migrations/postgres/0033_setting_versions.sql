-- Earlier values of settings, and why each was set. The latest ones of each setting are kept.
CREATE TABLE setting_versions (
    tenant    TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    key       TEXT COLLATE "C" NOT NULL,
    version   BIGINT NOT NULL,
    value     TEXT COLLATE "C" NOT NULL,
    reason    TEXT COLLATE "C",
    set_at_ms BIGINT NOT NULL,
    set_by    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, key, version)
);
