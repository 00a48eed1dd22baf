"""Counts the events of an archive with DuckDB: ledger_archive.py GLOB TOOL. Prints JSON."""

import json
import sys

import duckdb

pattern, tool = sys.argv[1:]
events = duckdb.read_parquet(pattern)
ask = duckdb.sql
counted = ask("SELECT count(*), count(DISTINCT stream), count(DISTINCT day) FROM events").fetchone()
of_tool = ask(
    "SELECT count(*), sum(duration_us), epoch_ms(min(at)), max(octet_length(line)) > 0 FROM events WHERE tool = $tool",
    params={"tool": tool},
).fetchone()
by_day = ask("SELECT day, count(*) FROM events WHERE outcome = 'succeeded' GROUP BY day ORDER BY day").fetchall()
print(
    json.dumps(
        {
            "events": counted[0],
            "streams": counted[1],
            "days": counted[2],
            "of_tool": of_tool[0],
            "duration_us": int(of_tool[1]),
            "first_ms": of_tool[2],
            "has_lines": of_tool[3],
            "succeeded": {str(day): count for day, count in by_day},
        }
    )
)
