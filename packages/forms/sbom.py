"""What is inside: a list in CycloneDX of each crate that the program is built from, and the digests of the packages."""

import hashlib
import json
import tomllib
import uuid

from .program import ROOT, run

SPECIFICATION = "1.5"


def crates(package):
    """The crates that `package` is built from, without those of its tests and its build."""
    told = json.loads(run("cargo", "metadata", "--locked", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu", "--features=toolgate/own-roots", cwd=ROOT))
    nodes = {node["id"]: node for node in told["resolve"]["nodes"]}
    packages = {one["id"]: one for one in told["packages"]}
    first = next(one["id"] for one in told["packages"] if one["name"] == package and one["id"] in nodes)
    seen, waiting = {}, [first]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        wanted = [link["pkg"] for link in nodes[current]["deps"] if any(kind["kind"] is None for kind in link["dep_kinds"])]
        seen[current] = wanted
        waiting.extend(wanted)
    return first, {one: (packages[one], wanted) for one, wanted in seen.items()}


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, digest):
    told = {"type": "library", "bom-ref": reference(package), "name": package["name"], "version": package["version"]}
    if package["license"]:
        told["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if package["source"]:
        told["purl"] = reference(package)
    if digest:
        told["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return told


def checksums():
    """The digests that the lockfile has for crates from a registry."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())
    return {(one["name"], one["version"]): one.get("checksum") for one in locked["package"]}


def build(version, folder, package="toolgate"):
    first, found = crates(package)
    digests = checksums()
    order = sorted(found, key=lambda one: reference(found[one][0]))
    components = [component(found[one][0], digests.get((found[one][0]["name"], found[one][0]["version"]))) for one in order if one != first]
    links = [{"ref": reference(found[one][0]), "dependsOn": sorted(reference(found[other][0]) for other in found[one][1])} for one in order]
    whole = {
        "bomFormat": "CycloneDX", "specVersion": SPECIFICATION, "version": 1,
        # The same crates have the same number.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(links))}",
        "metadata": {"component": {"type": "application", "bom-ref": reference(found[first][0]), "name": package, "version": version}},
        "components": components, "dependencies": links,
    }
    path = folder / f"{package}-{version}.cdx.json"
    path.write_text(json.dumps(whole, indent=1) + "\n")
    return path, len(components)


def digests(folder):
    """`SHA256SUMS`, as `sha256sum --check` reads it."""
    lines = []
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name != "SHA256SUMS":
            with path.open("rb") as file:
                lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    (folder / "SHA256SUMS").write_text("".join(lines))
    run("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=folder)
