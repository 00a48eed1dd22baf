-- Bodies in the order in which they came. Their digests are random: an index over all of them makes each new body change a page
-- somewhere in it, which costs more than all the rest of a call. This one is in boxes of 256 neighbours, so that only its end
-- changes; whoever looks for a digest looks into each box, the latest first.
ALTER TABLE ledger_bodies RENAME TO ledger_bodies_before;
DROP INDEX ledger_bodies_by_time;
CREATE TABLE ledger_bodies (
    place         INTEGER NOT NULL PRIMARY KEY,
    digest        BLOB    NOT NULL,
    salt          BLOB,
    tenant        TEXT    NOT NULL,
    keep_until_ms INTEGER NOT NULL,
    body          TEXT    NOT NULL
) STRICT;
INSERT INTO ledger_bodies (digest, salt, tenant, keep_until_ms, body)
    SELECT digest, salt, tenant, keep_until_ms, body FROM ledger_bodies_before ORDER BY rowid;
DROP TABLE ledger_bodies_before;
CREATE INDEX ledger_bodies_by_digest ON ledger_bodies (place >> 8, digest);
CREATE INDEX ledger_bodies_by_time ON ledger_bodies (keep_until_ms);
