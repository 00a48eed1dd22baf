-- Earlier values of settings, and why each was set. The latest ones of each setting are kept.
CREATE TABLE setting_versions (
    tenant    TEXT    NOT NULL DEFAULT 'default',
    key       TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    value     TEXT    NOT NULL,
    reason    TEXT,
    set_at_ms INTEGER NOT NULL,
    set_by    TEXT    NOT NULL,
    PRIMARY KEY (tenant, key, version)
) STRICT;
