"""The kustomize base: what `kubectl kustomize` prints is judged by the schemas of Kubernetes."""

import os
import sys
import tarfile

from .program import ROOT, Failed, need, run

SOURCE = ROOT / "packages/kubernetes"
CLUSTER = "1.32"
# It brings the schemas of each version of Kubernetes with it.
VALIDATOR = "kubernetes-validate==1.37.0"
# What Kubernetes itself does not know.
FOREIGN = {"ServiceMonitor"}
WANTED = {"ServiceAccount", "ConfigMap", "Secret", "Service", "StatefulSet", "PodDisruptionBudget", "Job", "ServiceMonitor"}
JUDGE = """
import sys, yaml, kubernetes_validate
kinds = []
for one in yaml.safe_load_all(open(sys.argv[1])):
    kinds.append(one["kind"])
    if one["kind"] not in sys.argv[3:]:
        kubernetes_validate.validate(one, sys.argv[2], strict=True)
print(" ".join(kinds))
"""


def build(version, folder):
    path = folder / f"toolgate-{version}-kubernetes.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(SOURCE, "toolgate-kubernetes")
    return path


def try_it(archive, work):
    need("kubectl")
    home = work / "kubernetes"
    with tarfile.open(archive) as packed:
        packed.extractall(home, filter="data")
    printed = home / "printed.yaml"
    printed.write_text(run("kubectl", "kustomize", home / "toolgate-kubernetes/example"))
    judge = validator()
    kinds = run(judge, "-W", "ignore", "-c", JUDGE, printed, CLUSTER, *FOREIGN).split()
    missing = WANTED - set(kinds)
    if missing:
        raise Failed(f"the base has no {', '.join(sorted(missing))}")
    return f"kubectl kustomize; {len(kinds) - 1} objects fit the schemas of {CLUSTER}, strictly; the ServiceMonitor has none there"


def validator():
    cache = os.environ.get("TOOLGATE_CACHE", str(ROOT / ".cache"))
    place = f"{cache}/{VALIDATOR.replace('==', '-')}"
    python = f"{place}/bin/python"
    if not os.path.exists(f"{place}/ready"):
        run(sys.executable, "-m", "venv", "--clear", place)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", VALIDATOR, "pyyaml", "setuptools<81")
        open(f"{place}/ready", "w").close()
    return python
