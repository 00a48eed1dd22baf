"""Counts the events of an archive with DuckDB: ledger_archive.py GLOB TOOL. Prints JSON."""

import json
import sys

import duckdb

pattern, tool = sys.argv[1:]
db = duckdb.connect()
quoted = pattern.replace("'", "''")
db.execute(f"CREATE VIEW events AS SELECT * FROM read_parquet('{quoted}')")


def ask(query, *values):
    return db.execute(query, list(values)).fetchall()


[(events, streams, days)] = ask("SELECT count(*), count(DISTINCT stream), count(DISTINCT day) FROM events")
[(of_tool, duration_us, first_ms, has_lines)] = ask(
    "SELECT count(*), sum(duration_us), epoch_ms(min(happened_at)), min(octet_length(line)) > 0 FROM events WHERE tool = ?",
    tool,
)
by_day = ask("SELECT day, count(*) FROM events WHERE outcome = 'succeeded' GROUP BY day ORDER BY day")
found = {
    "events": events,
    "streams": streams,
    "days": days,
    "of_tool": of_tool,
    "duration_us": int(duration_us),
    "first_ms": first_ms,
    "has_lines": has_lines,
    "succeeded": {str(day): count for day, count in by_day},
}
print(json.dumps(found))
