"""
Builds the wheel and the source archive with the standard library alone: for pip, as the backend of pyproject.toml, and
for people: `python3 build_package.py FOLDER`. The archives hold no times and no names of the machine.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PACKAGE = HERE / "src" / "sallyport"
VERSION = re.findall(r'__version__ = "([^"]+)"', (PACKAGE / "_version.py").read_text())[0]
NAME = f"sallyport-{VERSION}"
DIST_INFO = f"{NAME}.dist-info"
SOURCES = ["LICENSE", "README.md", "build_package.py", "pyproject.toml"]
WHEEL = "Wheel-Version: 1.0\nGenerator: build_package\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
METADATA = f"""\
Metadata-Version: 2.4
Name: sallyport
Version: {VERSION}
Summary: Tokens of the Sallyport LLM gateway for Python servers
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.10
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""

Settings = dict[str, Any] | None


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    return _write_wheel(wheel_directory, {f"sallyport/{path.name}": path.read_bytes() for path in _modules()})


def build_editable(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    return _write_wheel(wheel_directory, {"sallyport.pth": f"{PACKAGE.parent}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    files = {path: (HERE / path).read_bytes() for path in SOURCES}
    files |= {f"src/sallyport/{path.name}": path.read_bytes() for path in _modules()}
    files["PKG-INFO"] = _metadata()
    name = f"{NAME}.tar.gz"
    with (
        open(Path(sdist_directory) / name, "wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{NAME}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return name


def _modules() -> list[Path]:
    return sorted([*PACKAGE.glob("*.py"), PACKAGE / "py.typed"])


def _metadata() -> bytes:
    return METADATA.encode() + (HERE / "README.md").read_bytes()


def _write_wheel(folder: str, files: dict[str, bytes]) -> str:
    name = f"{NAME}-py3-none-any.whl"
    described = {
        **files,
        f"{DIST_INFO}/METADATA": _metadata(),
        f"{DIST_INFO}/WHEEL": WHEEL.encode(),
        f"{DIST_INFO}/licenses/LICENSE": (HERE / "LICENSE").read_bytes(),
    }
    record = [f"{path},sha256={_hash(content)},{len(content)}" for path, content in described.items()]
    described[f"{DIST_INFO}/RECORD"] = "\n".join([*record, f"{DIST_INFO}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(Path(folder) / name, "w") as archive:
        for path, content in described.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    target = sys.argv[1]
    Path(target).mkdir(parents=True, exist_ok=True)
    for built in (build_wheel(target), build_sdist(target)):
        print(Path(target) / built)
