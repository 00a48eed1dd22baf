-- How many calls whoever has a daily quota has made.
CREATE TABLE call_counts (
    tenant TEXT   NOT NULL DEFAULT 'default',
    -- Since 1970.
    day    BIGINT NOT NULL,
    holder TEXT   NOT NULL,
    calls  BIGINT NOT NULL,
    PRIMARY KEY (tenant, day, holder)
);
