"""Trees to measure on: packages of fixed versions, generated files, one large file.

All lie under the build folder and are made once; nothing is written into the repository.
"""

import os
import random
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).resolve()
SCRATCH = TARGET / "bench"

# Versions are fixed, so the tree is the same everywhere and whenever it is made.
QUICK = {"npm": ["lodash@4.17.21", "@babel/types@7.28.2"], "pip": []}
FULL = {
    "npm": [
        "@babel/types@7.28.2",
        "@mui/material@7.3.1",
        "core-js@3.45.0",
        "date-fns@4.1.0",
        "effect@3.17.0",
        "lodash@4.17.21",
        "lucide-static@0.540.0",
        "rxjs@7.8.2",
        "three@0.179.1",
        "typescript@5.9.2",
    ],
    "pip": ["django==5.1.7", "sympy==1.13.3"],
}

# Every file and folder gets this time, whatever its archive says.
EPOCH = 1_700_000_000


def packages(quick):
    """The tree of unpacked packages; about 1,200 files where `quick`, else about 29,000."""
    wanted = QUICK if quick else FULL
    tree = SCRATCH / ("tree-quick" if quick else "tree")
    done = SCRATCH / f"{tree.name}.done"
    words = "\n".join(wanted["npm"] + wanted["pip"])
    if done.exists() and done.read_text() == words:
        return tree
    downloads = SCRATCH / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(tree, ignore_errors=True)
    for package in wanted["npm"]:
        name = package.lstrip("@").replace("/", "-").rsplit("@", 1)
        archive = downloads / f"{name[0]}-{name[1]}.tgz"
        if not archive.exists():
            run(["npm", "pack", "--silent", package], downloads)
        place = tree / "node" / name[0]
        place.mkdir(parents=True)
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
    for package in wanted["pip"]:
        name, version = package.split("==")
        found = named(downloads, name, version)
        if not found:
            run(["pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", package],
                downloads)
            found = named(downloads, name, version)
        place = tree / "python" / name
        place.mkdir(parents=True)
        with zipfile.ZipFile(found[0]) as packed:
            packed.extractall(place)
    settle(tree)
    done.write_text(words)
    return tree


def named(folder, name, version):
    start = f"{name}-{version}-".lower()
    return [path for path in folder.iterdir()
            if path.name.lower().startswith(start) and path.suffix == ".whl"]


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed: {done.stderr.strip()[-400:]}")


def settle(tree):
    for folder, _, names in os.walk(tree, topdown=False):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o644)
                os.utime(path, (EPOCH, EPOCH))
        os.utime(folder, (EPOCH, EPOCH))


def generated(root, count):
    """Adds small Python files to `root` until there are `count`: 100 a folder, 20 folders a
    folder, about the shape of a source tree."""
    root = Path(root)
    for number in range(0, count, 100):
        folder = number // 100
        place = root / f"d{folder // 20}" / f"e{folder % 20}"
        place.mkdir(parents=True, exist_ok=True)
        for inner in range(number, min(number + 100, count)):
            path = f"{place}/f{inner}.py"
            if not os.path.exists(path):
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
                os.write(descriptor, f"def f{inner}():\n    return {inner}\n".encode())
                os.close(descriptor)
    return root


def large_file(folder, mebibytes):
    """A file of so many MiB without holes or equal blocks."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"large-{mebibytes}.bin"
    if not path.exists() or path.stat().st_size != mebibytes << 20:
        block = bytearray(random.Random(1).randbytes(1 << 20))
        with open(path, "wb") as file:
            for number in range(mebibytes):
                for page in range(0, 1 << 20, 4096):
                    block[page:page + 8] = (number << 20 | page).to_bytes(8, "little")
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
    return path


def files(root):
    """Relative paths of the regular files below `root`, sorted, sidecars left out."""
    found = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        inside = os.path.relpath(folder, root)
        for name in sorted(names):
            path = name if inside == "." else os.path.join(inside, name)
            if name != ".inspect.json" and not os.path.islink(os.path.join(root, path)):
                found.append(path)
    return found
