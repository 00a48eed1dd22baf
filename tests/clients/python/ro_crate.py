"""Judges an unpacked RO-Crate with roc-validator, without the network: the context comes from the package rocrate."""

import importlib.util
import io
import pathlib
import sys

import requests
from urllib3 import HTTPResponse

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
PACKAGE = importlib.util.find_spec("rocrate").submodule_search_locations[0]


def send(self, request, **_):
    if request.url != CONTEXT:
        raise requests.ConnectionError(f"{request.url} is not fetched here", request=request)
    body = (pathlib.Path(PACKAGE) / "data" / "ro-crate.jsonld").read_bytes()
    raw = HTTPResponse(io.BytesIO(body), {"content-type": "application/ld+json"}, 200, preload_content=False)
    return self.build_response(request, raw)


requests.adapters.HTTPAdapter.send = send

from rocrate_validator import models, services  # noqa: E402

settings = services.ValidationSettings(
    rocrate_uri=sys.argv[1],
    profile_identifier="ro-crate-1.1",
    requirement_severity=models.Severity.REQUIRED,
    no_cache=True,
)
result = services.validate(settings)
for issue in result.get_issues():
    print(issue.check.identifier, issue.message)
if not result.get_issues():
    print("conforms")
