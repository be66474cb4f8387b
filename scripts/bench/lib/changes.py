"""Changes that the coherence run makes outside the view, and how a reader tells which version
it sees.

Each change is one system call, or is atomic by rename, so that a reader of the real tree never
sees a mixture, and one in the view must not either; an overwrite alone may be met half done. Each
version shows in the content and, where it can, in the size, so that an old size with new
content cannot pass.

A reader's function gets the folder and what it keeps (descriptors, mappings) and answers the
version it sees. It raises `Torn` for what no moment of the file ever was.
"""

import mmap
import os

BLOCK = 16
PAGE = 4096


class Torn(Exception):
    """Content, or content and size, of no version."""


class Unseen(Exception):
    """This look says nothing: a state that is allowed and has no version."""


def blocks(version, count):
    """Bytes that name their version in every 16."""
    return b"%015d\n" % version * count


def version_of(data, count_of):
    """The version of bytes made by `blocks`, whole and unmixed, of the length that the version
    has."""
    if not data:
        raise Unseen
    first = data[:BLOCK]
    try:
        version = int(first)
    except ValueError:
        raise Torn(f"begins with {first!r}") from None
    if data != blocks(version, count_of(version)):
        raise Torn(f"version {version} should have {count_of(version) * BLOCK} bytes alike, "
                   f"has {len(data)}, of versions {sorted(set(data.split()))[:4]}")
    return version


def whole(path):
    """In one call: between two, another version may come, on any file system."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 1 << 20)
    finally:
        os.close(descriptor)


def held(keep, path):
    """A descriptor that stays open."""
    if path not in keep:
        keep[path] = os.open(path, os.O_RDONLY)
    return keep[path]


def agree(before, content, after):
    """Content of one version between two sizes of another was cut or filled."""
    if before == after and content != before:
        raise Torn(f"size of version {before}, content of {content}")
    return content


class Change:
    """What the kinds share."""

    is_state = False
    # Whether a reader of the tree itself sees it whole or not at all.
    atomic = True
    # Readers to whom it shows no version, whatever happens.
    constant = ()
    # Versions beyond have no size of their own.
    most = 1_900

    def label(self, _version):
        return self.name


class Replace(Change):
    """A new file is renamed over the old: what editors and package managers do."""

    name, path = "replace by rename", "replaced"
    constant = ("hold", "map")

    def count(self, version):
        return 8 + version

    def change(self, root, version):
        scratch = f"{root}/.replaced.new"
        with open(scratch, "wb", buffering=0) as file:
            file.write(blocks(version, self.count(version)))
        os.rename(scratch, f"{root}/{self.path}")

    def stat(self, root, _keep):
        return os.stat(f"{root}/{self.path}").st_size // BLOCK - 8

    def open(self, root, _keep):
        return version_of(whole(f"{root}/{self.path}"), self.count)

    def hold(self, root, keep):
        """The old file stays whole for who has it open, however often it is replaced."""
        looks = keep["replaced looks"] = keep.get("replaced looks", 0) + 1
        path = f"{root}/{self.path}"
        if looks % 200 == 0 and path in keep:
            os.close(keep.pop(path))
        version_of(os.pread(held(keep, path), 1 << 20, 0), self.count)
        raise Unseen

    def map(self, root, keep):
        looks = keep["replaced looks"] = keep.get("replaced looks", 0) + 1
        if looks % 200 == 0 and "replaced map" in keep:
            keep.pop("replaced map").close()
        if "replaced map" not in keep:
            with open(f"{root}/{self.path}", "rb") as file:
                keep["replaced map"] = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        version_of(keep["replaced map"][:], self.count)
        raise Unseen


class Overwrite(Change):
    """One page written in place: the size tells nothing. A reader may come in the middle of the
    write, on any file system; what it sees then must not stay."""

    name, path = "overwrite", "overwritten"
    atomic = False

    def count(self, _version):
        return PAGE // BLOCK

    def change(self, root, version):
        descriptor = os.open(f"{root}/{self.path}", os.O_WRONLY | os.O_CREAT, 0o644)
        os.pwrite(descriptor, blocks(version, self.count(version)), 0)
        os.close(descriptor)

    def open(self, root, _keep):
        return version_of(whole(f"{root}/{self.path}"), self.count)

    def hold(self, root, keep):
        return version_of(os.pread(held(keep, f"{root}/{self.path}"), 1 << 20, 0), self.count)

    def map(self, root, keep):
        if "overwritten map" not in keep:
            descriptor = held(keep, f"{root}/{self.path}")
            keep["overwritten map"] = mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
        return version_of(keep["overwritten map"][:], self.count)


class Rewrite(Change):
    """Opened with O_TRUNC and written at once: empty for a moment, then another size."""

    name, path = "truncate and write", "rewritten"

    def count(self, version):
        return 8 + version * 7 % 240

    def change(self, root, version):
        descriptor = os.open(f"{root}/{self.path}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.write(descriptor, blocks(version, self.count(version)))
        os.close(descriptor)

    def open(self, root, _keep):
        return version_of(whole(f"{root}/{self.path}"), self.count)

    def hold(self, root, keep):
        return version_of(os.pread(held(keep, f"{root}/{self.path}"), 1 << 20, 0), self.count)


class Resize(Change):
    """Grown and shrunk in turn, within a page; each version has a size of its own, and growth
    reads as zeros."""

    path = "resized"
    pattern = bytes(range(1, 17))

    def label(self, version):
        return "grow" if version % 2 else "shrink"

    def size(self, version):
        return (2048 if version % 2 else 16) + version

    def change(self, root, version):
        path = f"{root}/{self.path}"
        if version == 0:
            with open(path, "wb") as file:
                file.write(self.pattern)
        os.truncate(path, self.size(version))

    def version(self, size):
        version = size - (2048 if size >= 2048 else 16)
        if version < 0 or self.size(version) != size:
            raise Torn(f"a size that never was: {size}")
        return version

    def content(self, data):
        if data[:16] != self.pattern or data[16:].strip(b"\0"):
            raise Torn("other bytes than were written")
        return self.version(len(data))

    def stat(self, root, _keep):
        return self.version(os.stat(f"{root}/{self.path}").st_size)

    def open(self, root, _keep):
        return self.content(whole(f"{root}/{self.path}"))

    def hold(self, root, keep):
        descriptor = held(keep, f"{root}/{self.path}")
        before = self.version(os.fstat(descriptor).st_size)
        content = self.content(os.pread(descriptor, 1 << 20, 0))
        return agree(before, content, self.version(os.fstat(descriptor).st_size))


class Append(Change):
    """One block more in one write."""

    name, path = "append", "appended"

    def change(self, root, version):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = os.open(f"{root}/{self.path}", flags, 0o644)
        os.write(descriptor, blocks(version, 1))
        os.close(descriptor)

    def content(self, data):
        if len(data) % BLOCK:
            raise Torn(f"a size that never was: {len(data)}")
        lines = [int(line) for line in data.split(b"\n") if line] if b"\0" not in data else None
        if lines != list(range(len(data) // BLOCK)):
            raise Torn("blocks that are missing or mixed")
        return len(data) // BLOCK - 1

    def stat(self, root, _keep):
        return os.stat(f"{root}/{self.path}").st_size // BLOCK - 1

    def open(self, root, _keep):
        return self.content(whole(f"{root}/{self.path}"))

    def hold(self, root, keep):
        descriptor = held(keep, f"{root}/{self.path}")
        before = os.fstat(descriptor).st_size // BLOCK - 1
        content = self.content(os.pread(descriptor, 1 << 20, 0))
        return agree(before, content, os.fstat(descriptor).st_size // BLOCK - 1)

    def map(self, root, keep):
        """The mapping is made anew when the file has grown; its pages are the old ones."""
        descriptor = held(keep, f"{root}/{self.path}")
        size = os.fstat(descriptor).st_size
        if size == 0:
            raise Unseen
        with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as mapped:
            return self.content(mapped[:])


class Flip(Change):
    """A name that is there after odd versions and missing after even ones. What is seen is a
    state, so versions cannot be told apart beyond that."""

    is_state = True

    def seen(self, there):
        return 1 if there else 0


class CreateDelete(Flip):
    """A file comes and goes."""

    path = "comes-and-goes"

    def label(self, version):
        return "create" if version % 2 else "delete"

    def change(self, root, version):
        path = f"{root}/{self.path}"
        if version % 2:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        elif version:
            os.unlink(path)

    def stat(self, root, _keep):
        return self.seen(os.path.lexists(f"{root}/{self.path}"))

    def open(self, root, _keep):
        try:
            with open(f"{root}/{self.path}", "rb"):
                return self.seen(True)
        except FileNotFoundError:
            return self.seen(False)

    def list(self, root, _keep):
        return self.seen(self.path in os.listdir(root))


class MoveFolder(Flip):
    """A folder with a file in it is renamed there and back."""

    name = "rename a folder"

    def change(self, root, version):
        if version == 0:
            os.mkdir(f"{root}/folder-a")
            with open(f"{root}/folder-a/inner", "wb") as file:
                file.write(b"x")
        elif version % 2:
            os.rename(f"{root}/folder-a", f"{root}/folder-b")
        else:
            os.rename(f"{root}/folder-b", f"{root}/folder-a")

    def stat(self, root, _keep):
        return self.seen(os.path.lexists(f"{root}/folder-b/inner"))

    def open(self, root, _keep):
        try:
            with open(f"{root}/folder-a/inner", "rb"):
                return self.seen(False)
        except FileNotFoundError:
            return self.seen(True)

    def list(self, root, _keep):
        return self.seen("folder-b" in os.listdir(root))


ALL = (Replace, Overwrite, Rewrite, Resize, Append, CreateDelete, MoveFolder)
READERS = ("stat", "open", "hold", "map", "list")
