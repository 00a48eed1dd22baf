"""Source archives of packages, by name, from wherever pip gets packages on this machine. pip itself would want to build them."""
import html
import io
import os
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request


def index_url():
    said = os.environ.get("PIP_INDEX_URL")
    if not said:
        asked = subprocess.run(
            [sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True
        )
        said = asked.stdout.strip()
    if not said:
        from pip._internal.models.index import PyPI

        said = PyPI.simple_url
    return said.rstrip("/")


def source_archive(package, file=None):
    """The archive of this name, or the newest."""
    base = f"{index_url()}/{package}/"
    page = urllib.request.urlopen(base, timeout=60).read().decode()
    links = [html.unescape(link) for link in re.findall(r'href="([^"#]+?\.tar\.gz)', page)]
    wanted = [link for link in links if file is None or link.endswith(f"/{file}")]
    answer = urllib.request.urlopen(urllib.parse.urljoin(base, wanted[-1]), timeout=300)
    return tarfile.open(fileobj=io.BytesIO(answer.read()))
