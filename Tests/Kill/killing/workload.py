"""What is downloaded: files of random bytes, and the manifest that lists them."""

import hashlib
import random
from dataclasses import dataclass

MIB = 1 << 20
LARGE_BYTES = (5 * MIB, 50 * MIB)
MEDIUM_BYTES = (MIB // 4, MIB)
SMALL_BYTES = (1, 64 << 10)


@dataclass(frozen=True)
class Wanted:
    """One file, as the manifest has it."""

    name: str
    size: int
    sha256: str


def make(seed, large, small, scale, folder, medium=0):
    """Writes the files into `folder`; what was written, by name, in the manifest's order.

    `scale` divides the sizes of the large and medium ones. The plugin moves one small file in four.
    """
    choice = random.Random(seed)
    low, high = LARGE_BYTES
    sizes = {f"large-{number:02}": choice.randint(low // scale, high // scale)
             for number in range(large)}
    low, high = MEDIUM_BYTES
    sizes |= {f"medium-{number:03}": choice.randint(low // scale, high // scale)
              for number in range(medium)}
    sizes |= {f"{'small' if number % 4 else 'moved'}-{number:03}": choice.randint(*SMALL_BYTES)
              for number in range(small)}
    names = list(sizes)
    choice.shuffle(names)
    return {name: write(folder / name, choice.randbytes(sizes[name])) for name in names}


def write(path, data):
    path.write_bytes(data)
    return Wanted(path.name, len(data), hashlib.sha256(data).hexdigest())


def manifest(files, base):
    return "".join(f"{file.name} {file.size} {file.sha256} {base}/{file.name}\n"
                   for file in files.values())


def faults(files, container):
    """What is wrong with a container that should hold these files and nothing else of a plugin's."""
    there = {path.name: path for path in container.glob("Downloads/*")}
    there |= {path.name: path for path in container.glob("Library/*") if path.is_file()}
    found = [f"extra: {name}" for name in sorted(there.keys() - files.keys())]
    for name, file in files.items():
        if name not in there:
            found.append(f"missing: {name}")
            continue
        place = "Library" if name.startswith("moved-") else "Downloads"
        if there[name].parent.name != place:
            found.append(f"not moved: {name}")
        if hashlib.sha256(there[name].read_bytes()).hexdigest() != file.sha256:
            found.append(f"wrong: {name}")
    return found
