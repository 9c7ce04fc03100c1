#!/usr/bin/env python3
"""Measures anyrig against peers on the same files and prints a table in Markdown.

Needs only Python. Peers are used where they are found; README.md says how to install them.

usage: benches/run.py [--runs N] [--only NAME[,NAME...]] [--fox FILE]
"""
import argparse
import functools
import hashlib
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WORK = ROOT / "target" / "benches"


def tool(variable, default):
    """A program by its environment variable. Commands run in another folder, so a path is taken from this one."""
    named = os.environ.get(variable, str(default))
    return os.path.abspath(named) if os.path.dirname(named) else named


ANYRIG = tool("ANYRIG_BIN", ROOT / "target" / "release" / "anyrig")
TANGENTS = tool("ANYRIG_BENCH_TANGENTS", ROOT / "target" / "release" / "bench-tangents")
PYTHON = tool("ANYRIG_PEER_PYTHON", sys.executable)
GLTF_TRANSFORM = tool("ANYRIG_GLTF_TRANSFORM", "gltf-transform")
GLTFPACK = tool("ANYRIG_GLTFPACK", "gltfpack")
FBX2GLTF = tool("ANYRIG_FBX2GLTF", "FBX2glTF")
ASSIMP = tool("ANYRIG_ASSIMP", "assimp")
READING = tool("ANYRIG_BENCH_FBX", ROOT / "target" / "release" / "bench-fbx")
SKINNING = tool("ANYRIG_BENCH_SKINNING", ROOT / "target" / "release" / "bench-skinning")
SAMPLING = tool("ANYRIG_BENCH_SAMPLING", ROOT / "target" / "release" / "bench-sampling")
CORPUS = Path(os.environ.get("ANYRIG_CORPUS", ROOT.parent / "shared" / "corpus"))
FOX = CORPUS / "gltf" / "bevy" / "animated" / "Fox.glb"
# Characters with motions, as tools export them.
CHARACTERS = [CORPUS / "gltf" / "draco" / "CesiumMan" / "glTF_Binary" / "CesiumMan.glb",
              CORPUS / "fbx" / "kaykit-adventurers" / "Characters" / "gltf" / "Knight.glb"]


class Figures:
    """What one run took."""

    def __init__(self, wall, cpu, peak):
        self.wall, self.cpu, self.peak = wall, cpu, peak


def measure(command):
    """Runs a command to its end; processor seconds of it and its children, and its peak memory in bytes."""
    with open(WORK / "log.txt", "wb") as log:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=WORK)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        text = (WORK / "log.txt").read_text(errors="replace")[-2000:]
        sys.exit(f"{' '.join(map(str, command))} failed with {process.returncode}:\n{text}")
    return Figures(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def peak_of(figures, size):
    """Peak memory through file size. A child starts as a copy of this program, so smaller peaks are not seen."""
    ours = measure(["true"]).peak
    return f"{figures.peak / size:.2f} ×" if figures.peak > 1.1 * ours else f"below {ours / 1e6:.0f} MB"


def clear():
    for leftover in WORK.glob("out-*"):
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()


def interleaved(commands, runs):
    """Medians of each command; every round runs all of them in turn, after one round that is not counted."""
    found = {name: [] for name in commands}
    for index in range(runs + 1):
        for name, command in commands.items():
            clear()
            figures = measure(command)
            if index:
                found[name].append(figures)
    middle = lambda all_of, what: statistics.median(getattr(figures, what) for figures in all_of)
    return {name: Figures(*(middle(f, w) for w in ("wall", "cpu", "peak"))) for name, f in found.items()}


def convert(path, *options):
    return [ANYRIG, "convert", path, "--to", "urhox", "-o", "out-anyrig/", "-q", *options]


def peers(path):
    """Whoever is installed, reading and writing the same file."""
    found = {"plain copy": ["cp", path, "out-copy.glb"]}
    if shutil.which(PYTHON) and succeeds([PYTHON, "-c", "import pygltflib, numpy"]):
        found["pygltflib + numpy"] = [PYTHON, HERE / "peer_pygltflib.py", path, "out-pygltflib.glb"]
    else:
        print("pygltflib is not installed: see benches/README.md", file=sys.stderr)
    if installed(GLTF_TRANSFORM, "gltf-transform"):
        found["gltf-transform copy"] = [GLTF_TRANSFORM, "copy", path, "out-transform.glb"]
    return found


@functools.cache
def installed(program, name):
    """Says whether a peer is there, and tells once where it is not."""
    if shutil.which(program):
        return True
    print(f"{name} is not installed: see benches/README.md", file=sys.stderr)
    return False


def succeeds(command):
    """Says whether a program ends well; its files, if any, are left among the others."""
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=WORK).returncode == 0


def sample(name, *options):
    """A large body of the project's own generator."""
    path = WORK / f"{name}.glb"
    command = ["cargo", "run", "--quiet", "--release", "--package", "xtask", "--", "samples", "--out", str(path)]
    subprocess.run([*command, *options], cwd=ROOT, check=True)
    return path


def against_peers(path, runs, rows):
    size = path.stat().st_size
    commands = {"anyrig to urhox": convert(path, "--jobs", "1"), **peers(path)}
    medians = interleaved(commands, runs)
    ours = medians["anyrig to urhox"]
    for name, figures in medians.items():
        ratio = "" if figures is ours else f"{ours.cpu / figures.cpu:.3f}"
        rows.append((path.name, name, ms(figures.cpu), ms(figures.wall), peak_of(figures, size), ratio))
    return medians


def fox(runs, rows, verdicts):
    ours = against_peers(arguments.fox, runs, rows)["anyrig to urhox"]
    verdicts.append(("Fox to urhox, CPU", f"{ours.cpu * 1e3:.1f} ms", "10 ms", ours.cpu < 0.010))


def skinned(runs, rows, verdicts):
    path = sample("skinned-1m", "--triangles", "1000000")
    medians = against_peers(path, runs, rows)
    ours, size = medians["anyrig to urhox"], path.stat().st_size
    verdicts.append(("1 M triangles, peak memory", f"{ours.peak / size:.2f} × the file", "3 ×", ours.peak <= 3 * size))
    if "pygltflib + numpy" in medians:
        ratio = ours.cpu / medians["pygltflib + numpy"].cpu
        verdicts.append(("1 M triangles, CPU beside pygltflib + numpy", f"{ratio:.3f}", "0.5", ratio <= 0.5))


def tangents(runs, rows, verdicts):
    path = sample("untangented-1m", "--triangles", "1000000", "--no-tangents")
    text = subprocess.run([TANGENTS, path, str(runs)], check=True, capture_output=True, text=True).stdout
    values = dict(word.split("=") for word in text.split())
    ours, theirs, ratio = (float(values[key]) for key in ("ours_secs", "mikktspace_secs", "ratio"))
    rows.append((path.name, "anyrig generate_tangents", ms(ours), "", "", f"{ratio:.3f}"))
    rows.append((path.name, "bevy_mikktspace", ms(theirs), "", "", ""))
    verdicts.append(("Making tangents beside bevy_mikktspace", f"{ratio:.3f}", "1.3", ratio <= 1.3))


def threads(runs, rows, verdicts):
    path = sample("four-meshes", "--triangles", "1000000", "--meshes", "4", "--no-tangents")
    commands = {f"anyrig --jobs {n}": convert(path, "--jobs", str(n)) for n in (1, 2)}
    medians = interleaved(commands, runs)
    one, two = medians.values()
    size = path.stat().st_size
    for name, figures in medians.items():
        ratio = f"{figures.wall / one.wall:.3f} of the wall"
        rows.append((path.name, name, ms(figures.cpu), ms(figures.wall), peak_of(figures, size), ratio))
    gain = one.wall / two.wall
    found = f"{gain:.2f} × faster"
    # One busy thread takes as long on the wall as on the processor, unless others want the processor too.
    if one.wall > 1.2 * one.cpu:
        found += f"; the machine is too busy to tell ({ms(one.cpu)} ms took {ms(one.wall)} ms)"
    verdicts.append(("Four meshes, two threads beside one", found, "1.6 ×", gain >= 1.6))


def optimizers(path):
    """The same job for everybody: nothing quantised, compressed or encoded anew."""
    found = {"anyrig optimize": [ANYRIG, "optimize", path, "-o", "out-anyrig/", "-q", "--jobs", "1"]}
    if installed(GLTFPACK, "gltfpack"):
        found["gltfpack -noq"] = [GLTFPACK, "-noq", "-i", path, "-o", "out-gltfpack.glb"]
    if installed(GLTF_TRANSFORM, "gltf-transform"):
        plain = [word for what in ("compress", "texture-compress", "simplify") for word in (f"--{what}", "false")]
        found["gltf-transform optimize"] = [GLTF_TRANSFORM, "optimize", path, "out-transform.glb", *plain]
    return found


def optimize(runs, rows, verdicts):
    for path in (arguments.fox, *CHARACTERS):
        if not path.is_file():
            print(f"no {path}", file=sys.stderr)
            continue
        size = path.stat().st_size
        commands = optimizers(path)
        written = {}
        for name, command in commands.items():
            clear()
            measure(command)
            files = [f for out in WORK.glob("out-*") for f in (out.rglob("*") if out.is_dir() else [out]) if f.is_file()]
            written[name] = sum(f.stat().st_size for f in files)
        medians = interleaved(commands, runs)
        ours = medians["anyrig optimize"]
        for name, figures in medians.items():
            ratio = "" if figures is ours else f"{ours.cpu / figures.cpu:.3f}"
            what = f"{name}: {size} bytes became {written[name]} ({written[name] / size:.3f})"
            rows.append((path.name, what, ms(figures.cpu), ms(figures.wall), peak_of(figures, size), ratio))
        verdicts.append((f"{path.name}, never larger", str(written["anyrig optimize"]), str(size),
                         written["anyrig optimize"] <= size))


def large_fbx(name, meshes):
    path = WORK / f"{name}.fbx"
    subprocess.run([sys.executable, HERE / "big_fbx.py", path, "1000000", str(meshes)], check=True)
    return path


def largest_fbx(count):
    """The largest corpus files that both sides read, by size."""
    files = sorted(CORPUS.glob("fbx/**/*.fbx"), key=lambda path: (-path.stat().st_size, path))
    return files[:count]


def reading(runs, paths, who="both", threads=1):
    """What bench-fbx says of each file."""
    command = [READING, who, str(threads), str(runs), *paths]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [dict(word.split("=", 1) for word in line.split(" ", 4)) for line in text.splitlines()]


def reads(label, paths, runs, rows, verdicts):
    """Processor time of all files together, in one process."""
    found = reading(runs, paths)
    ours, theirs = (sum(float(line[f"{who}_cpu"]) for line in found) for who in ("ours", "ufbx"))
    rows.append((label, "anyrig, FBX to scene", ms(ours), "", "", f"{ours / theirs:.3f}"))
    rows.append((label, "ufbx, load_memory", ms(theirs), "", "", ""))
    verdicts.append((f"{label}: reading beside ufbx", f"{ours / theirs:.3f}", "1", ours <= theirs))


def fbx(runs, rows, verdicts):
    largest = largest_fbx(10)
    reads("ten largest corpus files", largest, runs, rows, verdicts)
    ascii_files = [path for path in largest_fbx(100) if path.name.endswith("_ascii.fbx")][:10]
    reads("ten largest in ASCII", ascii_files, runs, rows, verdicts)
    one_mesh = large_fbx("sheet-1m", 1)
    reads("one million triangles", [one_mesh], runs, rows, verdicts)
    peaks = {who: measure([READING, who, "1", "1", one_mesh]).peak for who in ("ours", "ufbx")}
    ratio = peaks["ours"] / peaks["ufbx"]
    verdicts.append(("one million triangles: peak memory beside ufbx", f"{ratio:.2f}", "1.5", ratio <= 1.5))
    walls = [float(reading(runs, [one_mesh], "ours", n)[0]["ours_wall"]) for n in (1, 2)]
    verdicts.append(("one million triangles: two threads beside one", f"{walls[0] / walls[1]:.2f} × faster", "1.5 ×",
                     walls[0] / walls[1] >= 1.5))


def fbx_converters(path):
    found = {"anyrig to glb": [ANYRIG, "convert", path, "-o", "out-anyrig.glb", "-q", "--jobs", "1"]}
    if installed(FBX2GLTF, "FBX2glTF"):
        found["FBX2glTF"] = [FBX2GLTF, "--binary", "--input", path, "--output", "out-fbx2gltf.glb"]
    if installed(ASSIMP, "assimp"):
        found["assimp export"] = [ASSIMP, "export", path, "out-assimp.glb"]
    return found


def fbx_glb(runs, rows, verdicts):
    """From file to file. A peer that refuses a file is left out for it."""
    for path in [*largest_fbx(10), large_fbx("sheet-1m", 1)]:
        commands = {name: command for name, command in fbx_converters(path).items()
                    if name == "anyrig to glb" or succeeds(command)}
        medians = interleaved(commands, runs)
        ours = medians["anyrig to glb"]
        for name, figures in medians.items():
            ratio = "" if figures is ours else f"{ours.cpu / figures.cpu:.3f}"
            rows.append((path.name, name, ms(figures.cpu), ms(figures.wall), peak_of(figures, path.stat().st_size), ratio))
        others = [figures.cpu for figures in medians.values() if figures is not ours]
        if others:
            verdicts.append((f"{path.name}: FBX to GLB beside the faster peer", f"{ours.cpu / min(others):.3f}", "1",
                             ours.cpu <= min(others)))


def said(command):
    """The words of each line that a program prints, by name."""
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [dict(word.split("=", 1) for word in line.split()) for line in text.splitlines()]


def skinning(runs, rows, verdicts):
    """Points a second of positions and normals by four influences, on one thread."""
    for points, limits in ((1_000_000, {"avx2": 1.35, "sse2": 1.05}), (10_000, {"avx2": 2.0})):
        for line in said([SKINNING, str(points), str(runs)]):
            side, ratio = line["side"], float(line["ratio"])
            rows.append((f"{points} points", f"{side}: {line['mpoints_per_sec']} M points/s", "", "", "", f"{1 / ratio:.3f} of glam's time"))
            if side in limits:
                verdicts.append((f"{side}, {points} points, beside glam", f"{ratio:.2f} ×", f"{limits[side]} ×", ratio >= limits[side]))
    gain = float(said([SKINNING, "1000000", str(runs), "2"])[0]["ratio"])
    verdicts.append(("skinning on two threads beside one", f"{gain:.2f} ×", "1.7 ×", gain >= 1.7))


SAMPLING_LIMITS = {("own", "sequential", "avx2"): 2.7, ("shared", "sequential", "avx2"): 3.8,
                   ("shared", "sequential", "avx2_baked"): 5.0, ("shared", "random", "avx2"): 3.4}


def sampling(runs, rows, verdicts):
    """Poses a second of a hundred joints, world matrices included, on one thread."""
    for line in said([SAMPLING, str(runs)]):
        case, ratio = (line["times"], line["access"], line["side"]), float(line["ratio"])
        rows.append((" ".join(case[:2]), f"{case[2]}: {line['kposes_per_sec']} k poses/s", "", "", "", f"{1 / ratio:.3f} of the plain time"))
        if case in SAMPLING_LIMITS:
            limit = SAMPLING_LIMITS[case]
            verdicts.append((f"sampling: {' '.join(case)} beside plain f64", f"{ratio:.2f} ×", f"{limit} ×", ratio >= limit))


def ms(seconds):
    return f"{seconds * 1e3:.1f}"


def table(header, rows):
    print(f"| {' | '.join(header)} |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")
    print()


def version(command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip().splitlines()[0]
    except (OSError, IndexError):
        return "not installed"


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def surroundings():
    print(f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}; {arguments.runs} "
          "interleaved runs, medians.\n")
    pip = "from importlib.metadata import version as v; print(v('pygltflib'), v('numpy'))"
    rows = [("anyrig", version([ANYRIG, "--version"])), ("rustc", version(["rustc", "--version"])),
            ("pygltflib, numpy", version([PYTHON, "-c", pip])), ("python", version([PYTHON, "--version"])),
            ("gltf-transform", version([GLTF_TRANSFORM, "--version"])), ("gltfpack", version([GLTFPACK, "-v"])),
            ("node", version(["node", "--version"])), ("FBX2glTF", version([FBX2GLTF, "--version"])),
            ("assimp", version(["sh", "-c", f"{ASSIMP} version | grep -m1 Version"]))]
    inputs = [arguments.fox, *CHARACTERS, *sorted(WORK.glob("*.glb")), *sorted(WORK.glob("*.fbx"))]
    for path in inputs:
        if path.is_file() and not path.name.startswith("out-"):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            rows.append((path.name, f"{path.stat().st_size} bytes, sha256 `{digest}`"))
    table(("what", "version"), rows)


CASES = {"fox": fox, "skinned": skinned, "tangents": tangents, "threads": threads, "optimize": optimize,
         "fbx": fbx, "fbx-glb": fbx_glb, "skinning": skinning, "sampling": sampling}


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    rows, verdicts = [], []
    for name in arguments.only.split(","):
        CASES[name](arguments.runs, rows, verdicts)
    surroundings()
    table(("input", "program", "CPU ms", "wall ms", "peak / file", "anyrig / it"), rows)
    table(("aim", "found", "limit", "holds"), [(*v[:3], "yes" if v[3] else "**no**") for v in verdicts])
    return 0 if all(v[3] for v in verdicts) else 1


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--runs", type=int, default=9, help="counted runs of each command")
parser.add_argument("--only", default=",".join(CASES), help="which of: " + ", ".join(CASES))
parser.add_argument("--fox", type=Path, default=FOX, help="the small file")
arguments = parser.parse_args()
sys.exit(main())
