"""Reads PROV-JSON from the standard input with the package prov, and says what is in it."""

import collections
import json
import sys

from prov.model import ProvDocument

document = ProvDocument.deserialize(content=sys.stdin.read(), format="json")
records = collections.Counter(record.get_type().localpart for record in document.get_records())
again = ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
print(json.dumps({"records": records, "same": document == again}))
