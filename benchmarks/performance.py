#!/usr/bin/env python3
"""Writes docs/performance.md from the results of the GPU benchmarks.

    benchmarks/performance.py
"""

import collections
import json
import statistics
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCHANGES = ["store", "copy", "host", "nccl"]
# Result file of the lattice Boltzmann benchmark: named gpu_cavity before it became gpu_lbm.
LBM = next(name for name in ("gpu_lbm", "gpu_cavity") if (ROOT / f"benchmarks/results/{name}.json").exists())
NAMES = {"life_natural": "Life, a loop over neighbours", "life_app": "Life, the app's B/S rule (`near.count`)",
         "heat_float": "Heat2D FP32", "heat_double": "Heat2D FP64"}

# Ogden, Multi-GPU MASS CUDA, 2025, tables C.1 and C.2: milliseconds from the library's start to its end on one and on
# two NVIDIA RTX A5000; 0: out of memory. Their captions are exchanged: the slopes that the text gives for Heat2D are
# those of table C.1. Here the figures have the right names.
MASS_CUDA = {
    "heat2d": {100: (5130, 7019), 1000: (9354, 10299), 2000: (22183, 18814), 3000: (43412, 29294), 4000: (0, 46917),
               5000: (0, 0)},
    "life": {100: (118.5, 125), 1000: (132.5, 145), 2000: (192, 201), 3000: (286, 302), 4000: (0, 558), 5000: (0, 0)},
}
# Bandwidth of device memory in GB/s, by NVIDIA's data sheets.
A5000, H200 = 768, 4800
# Two cards of 24 GB held at most 4000^2 places.
MASS_CUDA_PLACES_PER_GB = 4000**2 / 48


def medians(name):
    """Returns the context of a result file and its medians by benchmark name. A single round counts as a median."""
    results = json.loads((ROOT / "benchmarks/results" / f"{name}.json").read_text())
    runs = {run["run_name"].split("/manual_time")[0]: run
            for run in results["benchmarks"] if run.get("aggregate_name") == "median" or run.get("repetitions") == 1}
    return results["context"], runs


def if_there(lines):
    """Returns lines about certain runs; an empty list if a run is missing (KeyError) or a table has no rows."""
    try:
        lines = list(lines)
    except KeyError:
        return []
    return [] if lines[1:] == ["|" + "---|" * (lines[0].count("|") - 1)] else lines


def if_of_another_version(name, pattern, text):
    """Returns `text` if the runs whose names match `pattern` have other commits than the whole result file, else ""."""
    results = json.loads((ROOT / "benchmarks/results" / f"{name}.json").read_text())
    versions = {run.get("commit") for run in results["benchmarks"]}
    theirs = {run.get("commit") for run in results["benchmarks"] if re.search(pattern, run["name"])}
    return text if theirs and theirs != versions else ""


def filled(table):
    """Returns the lines of a table without its empty columns."""
    rows = [line.split("|")[1:-1] for line in table]
    wanted = [number for number in range(len(rows[0])) if any(row[number].strip() for row in rows[2:])]
    return ["|" + "".join(row[number] + "|" for number in wanted) for row in rows]


def share_of_copy(name, run, gigabytes, gpus):
    """Returns `gigabytes` a second as a share of the copy bandwidth of `gpus` GPUs, measured in the same run (the same
    `commit`); "" if it was not measured."""
    results = json.loads((ROOT / "benchmarks/results" / f"{name}.json").read_text())
    rates = [copy["TB/s"] for copy in results["benchmarks"]
             if copy["name"].startswith("copy/") and "TB/s" in copy and copy.get("commit") == run.get("commit")]
    return f"{gigabytes / 1000 / gpus / statistics.median(rates):.0%}" if rates else ""


def rates_table(runs):
    copy = runs["copy"]["TB/s"]  # the first benchmark of each run
    yield f"A copy from device memory to device memory, read and written, in the same run: {copy:.2f} TB/s.\n"
    yield "| model | world | G places/s | us per step | TB/s | of the copy |"
    yield "|---|---|---|---|---|---|"
    cases = [(match, run) for name, run in runs.items() if (match := re.fullmatch(r"(\w+)/(\d+)/1", name)) and "TB/s" in run]
    for match, run in sorted(cases, key=lambda case: (list(NAMES).index(case[0][1]), -int(case[0][2]))):
        yield (f"| {NAMES[match[1]]} | {match[2]}² | {run['Gplaces/s']:.1f} | {run['us/step']:.2f} | "
               f"{run['TB/s']:.2f} | {run['TB/s'] / copy:.0%} |")


# Measured bounds, by name in gpu_space.json; docs/decisions/plane-sweep.md has the figures.
SPACE_BOUNDS = {"life3d 1024^3": "instructions", "life3d 512^3": "instructions",
                "seismic FP32": "latency of loads"}


def space_section():
    """Returns the lines on the apps in space."""
    path = ROOT / "benchmarks/results/gpu_space.json"
    if not path.exists():
        return []
    file = json.loads(path.read_text())
    lines = ["## Space", "", f"Apps on one {file['context']['gpu']}, whose copy has {file['context']['copy_TB_per_s']:.2f} TB/s, "
             "read and written (`benchmarks/gpu_space.py`). A place of life3d",
             "moves 2 bytes a step, of heat3d 8 (FP32) or 16 (FP64), of seismic 120. `auto` makes several steps in a pass. See",
             "[plane sweep](decisions/plane-sweep.md) for the bounds.", "",
             "| app | G places/s | of the copy | measured bound |", "|---|---|---|---|"]
    for run in file["benchmarks"]:
        lines.append(f"| {run['name']} | {run['places_per_second'] / 1e9:.1f} | {run['share_of_copy']:.0%} | "
                     f"{SPACE_BOUNDS.get(run['name'], '')} |")
    return [*lines, ""]


def scaling_table(name):
    """Yields the scaling table of a result file. Of several versions of a case it shows the first in the file, the latest."""
    result = json.loads((ROOT / f"benchmarks/results/{name}.json").read_text())
    cases = {}
    for run in result["benchmarks"]:
        match = re.match(r"heat/rows:(\d+)/columns:(\d+)/gpus:(\d+)/exchange:(\d)", run["run_name"])
        if run.get("aggregate_name") == "median" and match and "us/step" in run:
            rows, columns, gpus, exchange = map(int, match.groups())
            cases.setdefault((gpus, exchange, rows, columns), []).append(run)
    yield "| world | GPUs | exchange | us per step | G places/s | of copies | efficiency |"
    yield "|---|---|---|---|---|---|---|"
    for (gpus, exchange, rows, columns), (run, *_) in sorted(cases.items()):
        efficiency = ""
        for share, of_one, kind in ((gpus, rows, "strong"), (1, rows // gpus, "weak")):
            alone = {one.get("commit"): one["us/step"] for one in cases.get((1, 0, of_one, columns), [])}
            if alone and not efficiency:  # relative to one GPU in the same run, else in the earliest one
                time = alone.get(run.get("commit"), list(alone.values())[-1])
                efficiency = f"{time / run['us/step'] / share:.1%} {kind}"
        of_copies = share_of_copy(name, run, 8 * run["Gplaces/s"], gpus)
        yield (f"| {rows} x {columns} | {gpus} | {EXCHANGES[exchange] if gpus > 1 else ''} | {run['us/step']:.2f} | "
               f"{run['Gplaces/s']:.1f} | {of_copies} | {efficiency if gpus > 1 else ''} |")


def mass_cuda_table(runs):
    steps = {"heat2d": "Heat2D, 3000 steps", "life": "Life, 10 generations"}
    yield "| program | places | GPUs | MASS CUDA, ms | this library, ms | ratio | places per GB, ratio |"
    yield "|---|---|---|---|---|---|---|"
    for program, sizes in MASS_CUDA.items():
        for side, gpus in ((side, gpus) for side in (*sizes, 16384) for gpus in (1, 2)):
            run = runs.get(f"{program}/side:{side}/gpus:{gpus}")
            if not run or "Mplaces/GB" not in run:
                continue
            theirs = sizes[side][gpus - 1] if side in sizes else None
            ours = run["real_time"] / 1e6
            denser = run["Mplaces/GB"] * 1e6 / MASS_CUDA_PLACES_PER_GB
            published = "" if theirs is None else f"{theirs:g}" if theirs else "out of memory"
            yield (f"| {steps[program]} | {side}² | {gpus} | {published} | {ours:.1f} | "
                   f"{f'{theirs / ours:.0f}' if theirs else ''} | {denser:.0f} |")


# Milliseconds a step of FLAME GPU 2 (rc.5, compiled ahead of time, safety checks off) on an H200, measured apart.
FLAME_GPU = {"circles/1000000": 2.157, "circles/8000000": 16.19, "boids/80000": 0.427, "boids/1000000": 1.523,
             "sugarscape/2048": 12.15, "sugarscape/4096": 44.3, "schelling/500": 0.507, "schelling/2048": 1.569}
MODELS = {"circles": "circles, {:,} particles", "boids": "boids, {:,}", "sugarscape": "sugarscape-like, {}² places",
          "schelling": "schelling, {}² lots"}


def agents_table(runs):
    yield "| model | ms per step | M agents/s | FLAME GPU 2, ms | ratio |"
    yield "|---|---|---|---|---|"
    for name, theirs in FLAME_GPU.items():
        run = runs.get(f"{name}/1/iterations:1")
        if not run or "ms/step" not in run:
            continue
        model, size = name.split("/")
        yield (f"| {MODELS[model].format(int(size))} | {run['ms/step']:.3f} | {run['Magents/s']:.0f} | {theirs} | "
               f"{theirs / run['ms/step']:.1f} |")


def agents_scaling_table(runs):
    alone = runs["circles/8000000/1/iterations:1"]["ms/step"]
    yield "| circles | GPUs | ms per step | efficiency |"
    yield "|---|---|---|---|"
    for gpus in (2, 4, 8):
        for particles in (8000000 * gpus, 8000000):
            run = runs.get(f"circles/{particles}/{gpus}/iterations:1")
            if not run or "ms/step" not in run:
                continue
            weak = particles > 8000000
            efficiency = alone / run["ms/step"] / (1 if weak else gpus)
            yield (f"| {particles:,} | {gpus} | {run['ms/step']:.3f} | {efficiency:.1%} {'weak' if weak else 'strong'} |")


# Microseconds a step of Lattice Microbes 2.5 on one H200, measured apart, by z, y, x, particles.
LATTICE_MICROBES = {(128, 64, 64, 40000): 62, (256, 128, 128, 320000): 266, (256, 256, 256, 1280000): 981,
                    (512, 512, 512, 10240000): 10058}

# Hallock et al. 2014, tables 1 and 2: system, nm between sites, by z, y, x, particles; speed-up on two GTX 680 and two
# M2070 over one of them.
HALLOCK = [("E. coli", 16, (128, 64, 64, 40000), 1.83, 1.74), ("E. coli", 8, (256, 128, 128, 320000), 1.96, 1.92),
           ("dividing E. coli", 16, (256, 64, 64, 80000), 1.91, 1.85), ("yeast", 16, (256, 256, 256, 1280000), 1.98, 1.98),
           ("yeast", 8, (512, 512, 512, 10240000), 1.99, 1.99), ("red blood cell", 16, (512, 512, 512, 10240000), 1.99, 1.98)]


def rdme_runs(runs):
    """Yields z, y, x, particles, GPUs and result of each measured system."""
    for name, run in runs.items():
        match = re.match(r"system/z:(\d+)/y:(\d+)/x:(\d+)/particles:(\d+)/gpus:(\d+)/", name)
        if match and "us/step" in run:
            yield (*map(int, match.groups()), run)


def rdme_table(runs):
    cases = sorted(rdme_runs(runs), key=lambda case: case[:5])
    alone = {case[:4]: case[5]["us/step"] for case in cases if case[4] == 1}
    yield "| sites, z x y x x | particles | GPUs | us per step | ns per particle | Lattice Microbes, 1 GPU | times as fast | efficiency |"
    yield "|---|---|---|---|---|---|---|---|"
    for *system, particles, gpus, run in cases:
        key, time = (*system, particles), run["us/step"]
        if key not in LATTICE_MICROBES:
            continue
        peer = LATTICE_MICROBES[key]
        efficiency = f"{alone[key] / time / gpus:.1%}" if gpus > 1 and key in alone else ""
        yield (f"| {' x '.join(map(str, system))} | {particles:,} | {gpus} | {time:.1f} | {time * 1000 / particles:.2f} | {peer} | "
               f"{peer / time:.1f} | {efficiency} |")


def rdme_speedup_table(runs):
    times = {case[:5]: case[5]["us/step"] for case in rdme_runs(runs)}
    if not any((*key, 2) in times for _, _, key, _, _ in HALLOCK):
        return
    yield "### Comparison with Hallock et al. 2014, Table 2"
    yield ""
    yield "| system | sites, z x y x x | particles | us per step, 1 GPU | 2 GPUs | times as fast | two GTX 680 | two M2070 | |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for system, spacing, key, gtx, tesla in HALLOCK:
        if (*key, 1) not in times or (*key, 2) not in times:
            continue
        one, two = times[(*key, 1)], times[(*key, 2)]
        verdict = "reached" if one / two > max(gtx, tesla) else "missed"
        yield (f"| {system}, {spacing} nm | {' x '.join(map(str, key[:3]))} | {key[3]:,} | {one:.1f} | {two:.1f} | "
               f"{one / two:.2f} | {gtx:.2f} | {tesla:.2f} | {verdict} |")


def rdme_speedup_lines(runs):
    times = {case[:5]: case[5]["us/step"] for case in rdme_runs(runs)}
    one, two = (times[256, 256, 256, 1280000, gpus] for gpus in (1, 2))
    ratios = [f"{times[(*key, 1)] / times[(*key, 4)]:.2f}" for _, _, key, _, _ in HALLOCK[:3]]
    alone = times[128, 256, 256, 640000, 1]
    smallest = times[128, 64, 64, 40000, 1]
    medium, large = 105 / times[256, 256, 256, 1280000, 4], 757 / times[512, 512, 512, 10240000, 4]
    yield "The goal is a larger speed-up on two GPUs than in the paper. Only 512³ reaches it. One GPU keeps the three smallest"
    yield f"worlds in the shared memory of its multiprocessors, where a step takes as little as {smallest:.1f} us; with two, a step reads"
    yield "device memory and ends with an exchange over NVLink, about 10 us at least (8.6 for Min, below). Half of 256³ with half"
    yield f"of its particles, on one GPU by itself, takes {alone:.1f} us, {two - alone:.1f} less than the two halves on two GPUs: the exchange is not"
    yield f"the cause, but the fixed cost of a step, {2 * alone - one:.1f} us by these times. ({one / 1.98:.1f} us would equal the paper's speed-up.) Four"
    yield f"GPUs were measured with an earlier version: relative to its own one GPU 256³ is {medium:.1f} and 512³ {large:.1f} times as fast (3.79"
    yield f"and 3.91 in the paper), relative to the present one the three smallest {', '.join(ratios)}: all of them missed. Eight"
    yield "GPUs were not measured, nor were dividing E. coli and the red blood cell at 8 nm."


def rdme_weak_lines(runs):
    times = {case[:5]: case[5]["us/step"] for case in rdme_runs(runs)}
    cell = times[512, 512, 512, 10240000, 1]
    weak, large = times[1024, 512, 512, 20480000, 2], times[1024, 1024, 1024, 81920000, 2]
    yield f"Two GPUs with 512³ sites each: {weak:.1f} us per step, {cell / weak:.1%} of the rate of one with 512³. 1024³ sites with"
    yield f"81,920,000 particles on two: {large:,.0f} us ({4 * cell / large:.1%}; one round)."


def rdme_density_table(runs):
    yield "| sites, z x y x x | particles | per site | us per step | ns per particle | overflows per step |"
    yield "|---|---|---|---|---|---|"
    cases = sorted((case for case in rdme_runs(runs) if case[4] == 1), key=lambda case: case[:4])
    densities = collections.Counter(case[:3] for case in cases)
    for z, y, x, particles, _, run in cases:
        if densities[z, y, x] > 1:
            yield (f"| {z} x {y} x {x} | {particles:,} | {particles / (z * y * x):.3f} | {run['us/step']:.1f} | {run['us/step'] * 1000 / particles:.2f} | "
                   f"{run['spilled/step']:,.0f} |")


def rdme_reactions_line(runs):
    times = {n: runs[f"firstOrderReactions/reactions:{n}/iterations:1"]["us/step"] for n in (0, 1, 10)}
    yield (f"100,000 particles in 128 x 64 x 64 sites with 0, 1 and 10 first-order reactions: {times[0]:.2f}, {times[1]:.2f} and "
           f"{times[10]:.2f} us per")
    several = [runs.get(f"reactionsOfAll/reactions:{n}/iterations:1") for n in range(4, 9)]
    if all(several):
        yield ("step. With 4 to 8 such reactions, of all four species and at 1 /s: "
               + ", ".join(f"{run['us/step']:.2f}" for run in several) + ".")
    else:
        yield "step."


def min_line(runs):
    """Returns a line on the Min system, with Lattice Microbes on one H200 and the paper's GPUs for comparison."""
    times = {gpus: run["us/step"] for gpus in (1, 2, 4, 8) if (run := runs.get(f"min/gpus:{gpus}/iterations:1")) and "us/step" in run}
    if not times:
        return ""
    hour = {gpus: 3600 / time * 50 for gpus, time in times.items()}
    return ("The Min system (`settings/min.yaml`) takes "
            + ", ".join(f"{time:.2f} us per step on {gpus}" for gpus, time in times.items()) + " GPU: "
            + ", ".join(f"{seconds:,.0f}" for seconds in hour.values())
            + "\nsimulated seconds per hour. Lattice Microbes 2.5 takes 69.0 us on an H200; the paper had 134 s per hour on one GTX 680.")


def lbm_runs(ways):
    """Returns all runs by case, and the median run of each case in its latest commit, sorted. Counters of a run are medians
    of its rounds; of several repetitions, the run with the median rate is chosen."""
    result = json.loads((ROOT / f"benchmarks/results/{LBM}.json").read_text())
    rows = {}
    for run in result["benchmarks"]:
        way, *arguments = run["name"].split("/")
        if way not in ways:
            continue
        values = dict(part.split(":") for part in arguments if ":" in part)
        keys = (way, *(int(values.get(key, 0)) for key in ("z", "y", "x", "storage", "many", "box", "gpus")))
        rows.setdefault(keys, []).append(run)
    shown = {}
    for keys, runs in rows.items():  # the latest commit comes first
        of_latest = [run for run in runs if run.get("commit") == runs[0].get("commit")]
        shown[keys] = sorted(of_latest, key=lambda run: run["MLUPS"])[len(of_latest) // 2]
    return rows, sorted(shown.items(), key=lambda row: (row[0][7], row[0][:7]))


BOXES = {0: "periodic", 1: "walls and a lid", 2: "the same and 512 spheres", 3: "an inlet and an outlet"}


def lbm_efficiency(rows, keys, run):
    """Returns the parallel efficiency relative to 512 layers on one GPU of the same commit; "" if not measured."""
    alone = [one["MLUPS"] for one in rows.get((keys[0], 512, *keys[2:7], 1), []) if one.get("commit") == run.get("commit")]
    return f"{run['MLUPS'] / keys[7] / statistics.median(alone):.1%}" if keys[7] > 1 and alone else ""


def lbm_table():
    rows, shown = lbm_runs(("flow", "flowInPlace"))
    storage = {0: ("FP32", 153), 1: ("FP32, stored in 16 bits", 77), 2: ("FP64", 305)}
    yield "| cells | numbers | buffers | rates | box | GPUs | M cells/s | GB/s | of copies | efficiency | bytes per cell |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for keys, run in shown:
        rate, memory = run["MLUPS"], run["bytes"]
        way, z, y, x, stored, many, box, gpus = keys
        name, size = storage[stored]
        share = share_of_copy(LBM, run, rate * size / 1000, gpus)
        yield (f"| {z} x {y} x {x} | {name} | {'one' if way == 'flowInPlace' else 'two'} | {'many' if many else 'one'} | {BOXES[box]} | "
               f"{gpus} | {rate:,.0f} | {rate * size / 1000:,.0f} | {share} | {lbm_efficiency(rows, keys, run)} | {memory / (z * y * x):.0f} |")


def openings_line():
    """Yields the rates of other boxes in the run that measured boxes with openings, if that run is not in the table."""
    rows, shown = lbm_runs(("flow",))
    openings = next((run for keys, run in shown if keys[6] == 3), None)
    if openings is None or any(keys[6] != 3 and run.get("commit") == openings.get("commit") for keys, run in shown):
        return
    rates = {keys[4:7:2]: one["MLUPS"] for keys, runs in rows.items() for one in runs
             if keys[7] == 1 and one.get("commit") == openings.get("commit")}
    of = lambda box: f"{rates[0, box]:,.0f} and {rates[1, box]:,.0f}"
    yield "Boxes with an inlet and an outlet were measured in a separate run, on another H200, whose rates were"
    yield f"{of(0)} in periodic boxes (FP32, 16 bits), {of(1)} with walls and a lid, and {of(2)}"
    yield "with spheres as well."


MOMENTS = ("### Ten moments per cell", "",
           "`collision: regularized` stores ten moments instead of 19 populations ([why](decisions/moments.md)): a step has to read",
           "and write 10 numbers per cell and to read its kind, 81 bytes (57, 161). Kernels use a",
           "[plane sweep](decisions/plane-sweep.md).")


def populations_beside(moments):
    """Yields the rates of populations measured in the same run as `moments`."""
    result = json.loads((ROOT / f"benchmarks/results/{LBM}.json").read_text())
    for stored, name in ((0, "FP32"), (1, "16 bits")):
        rates = [run["MLUPS"] for run in result["benchmarks"] if run.get("commit") == moments.get("commit")
                 and re.match(f"flow/z:512/y:512/x:512/storage:{stored}/.*box:0/gpus:1/", run["name"])]
        if rates:
            yield f"{statistics.median(rates):,.0f} ({name})"


def moments_table():
    """Yields the table of flows that store moments; the collision is that of lbm_table with `one` rate."""
    rows, shown = lbm_runs(("moments",))
    if not shown:
        return
    storage = {0: ("FP32", 81), 1: ("FP32, the stress stored in 16 bits", 57), 2: ("FP64", 161)}
    yield "| cells | numbers | box | GPUs | M cells/s | GB/s | of copies | efficiency | bytes per cell |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for keys, run in shown:
        rate, memory = run["MLUPS"], run["bytes"]
        _, z, y, x, stored, _, box, gpus = keys
        name, size = storage[stored]
        share = share_of_copy(LBM, run, rate * size / 1000, gpus)
        yield (f"| {z} x {y} x {x} | {name} | {BOXES[box]} | {gpus} | {rate:,.0f} | {rate * size / 1000:,.0f} | {share} | "
               f"{lbm_efficiency(rows, keys, run)} | {memory / (z * y * x):.0f} |")
    beside = list(populations_beside(shown[0][1]))
    if beside:
        yield ""
        yield f"In the same run, populations in two buffers: {' and '.join(beside)} M cells/s in periodic boxes."


def population_lines(runs):
    run = runs["wanderers/4096/1/iterations:1"]
    yield (f"Most agents run: {64 * 4096**2:,} wanderers, initially 64 on each of 4096² places, take {run['GB']:.1f} GB,")
    yield (f"{run['bytes/agent']:.1f} bytes each with their share of the places, and {run['ms/step']:.1f} ms per step,"
           f" {run['Magents/s']:.0f} M agents/s. A device can")
    yield "have up to 2³¹ − 2 agents of a class."


def shares(run):
    """Returns the percentages of a step in which a rank computes, moves ghost rows and waits."""
    moved, waited = round(run["moved"] * 100), round(run["waited"] * 100)
    return f"{100 - moved - waited} / {moved} / {waited}"


def cycles_table():
    """Yields the rows of the speed-up by several steps per exchange on two emulated hosts."""
    programs = json.loads((ROOT / "benchmarks/results/rank_cycles.json").read_text())["programs"]
    every = list(next(iter(programs.values())))
    yield "| program | " + " | ".join(f"R = {steps}" for steps in every) + " |"
    yield "|---" * (len(every) + 1) + "|"
    for name, result in programs.items():
        cells = [f"{result['1']['step'] / result[steps]['step']:.2f} ({shares(result[steps])})"
                 if steps in result else "" for steps in every]
        yield f"| {name} | " + " | ".join(cells) + " |"


def events_table(name):
    """Yields the rows of the rates of events of a result file of benchmarks/events.py."""
    results = json.loads((ROOT / f"benchmarks/results/{name}.json").read_text())["results"]
    yield "| model | threads | M events/s | over 1 thread | as many processes over 1 | over the best sequential method |"
    yield "|---" * 6 + "|"
    for run in results:
        if run["method"] != "windows" or run["processes"] > 1:
            continue
        ceiling = [other["speedup"] for other in results
                   if other["case"] == run["case"] and other["processes"] == run["threads"] > 1 and "speedup" in other]
        cells = [run["case"], f"{run['threads']}", f"{run['rate'] / 1e6:.1f}",
                 f"{run['speedup']:.1f}" if "speedup" in run else "", f"{ceiling[0]:.1f}" if ceiling else "",
                 f"{run['over sequential']:.1f}" if "over sequential" in run else ""]
        yield "| " + " | ".join(cells) + " |"


PARALLEL = ["time_warp", "conservative"]  # engines of scheduled events


def schedule_table():
    """Yields the rows of the rates of engines of scheduled events, as benchmark_phold prints them."""
    runs = json.loads((ROOT / "benchmarks/results/phold_engines.json").read_text())["results"]
    rates = {(run["lookahead"], run["engine"], run["threads"]): statistics.median(run["rates"]) / 1e6 for run in runs}
    yield "| lookahead | `reference` | " + " | ".join(f"`{engine}`: 1, 2, 16 threads" for engine in PARALLEL) + " |"
    yield "|---|---|---|---|"
    for lookahead in sorted({run["lookahead"] for run in runs}):
        cells = [", ".join(f"{rates[lookahead, engine, threads]:.3g}" for threads in (1, 2, 16)
                           if (lookahead, engine, threads) in rates) for engine in PARALLEL]
        yield f"| {lookahead:g} s | {rates[lookahead, 'reference', 1]:.3g} | {' | '.join(cells)} |"


def main():
    context, rates = medians("gpu_rates")
    scaling_context, _ = medians("gpu_scaling")
    marches_context, _ = medians("gpu_scaling_two_h100")
    agents_context, agents = medians("gpu_agents")
    rdme_context, rdme = medians("gpu_rdme")
    lbm_context = json.loads((ROOT / f"benchmarks/results/{LBM}.json").read_text())["context"]
    papers_context, papers = medians("gpu_mass_cuda")
    describe = "{gpu}, driver {driver}, CUDA {cuda}".format
    lines = ["# Performance on GPUs", "",
             "Written by `benchmarks/performance.py` from `benchmarks/results`; `scripts/benchmark` makes both anew.",
             "Medians; a step is one application of a rule to every place, timed by the host over many steps of one `callAll`.",
             "A place of Life is one byte, so a step reads and writes at least 2 bytes per place; of Heat2D 8 (FP32) or 16 (FP64).",
             "With [several steps in one pass over memory](decisions/temporal-blocking.md), and on [bits](decisions/bit-sliced.md),",
             "rates exceed that of a copy. The second table of several GPUs, and those of agents, of reaction and diffusion, of",
             "lattice Boltzmann and of MASS CUDA, are of November 24, 2026 and before, without such passes.", "",
             "## One GPU", "", describe(**context) + ".", "", *rates_table(rates), "",
             *space_section(),
             "## Several GPUs of one host", "", "Heat2D FP32, periodic borders. With several steps in a pass, which is one exchange of",
             f"halos: {describe(**marches_context)}.", "", *filled(scaling_table("gpu_scaling_two_h100")), "",
             "With one step in a pass: " + describe(**scaling_context) + "."
             + if_of_another_version("gpu_scaling", "gpus:4/", """
One and two GPUs were measured in one run on a host with two H200; four with an earlier version. Their efficiency is
relative to one GPU of a version in between, which took 1.61 us for 256 x 256 (the version of the four 2.49) and as long
as now for the others."""), "",
             *filled(scaling_table("gpu_scaling")), "",
             "## Agents", "", describe(**agents_context) + ".", "",
             "A step with its `manageAll`, by the host's clock, from the start of a new world: 200 steps of circles (density 1, radius",
             "2), 100 of the other models. boids have density 0.5 and a radius of 5, and gather in knots in which each sees more than",
             "100 others. The sugarscape-like model is FLAME GPU 2's example: agents on 17 % of the places request the best free place",
             "beside them until none is rejected. schelling is 80 % occupied; all households that are not content move until each has",
             "a lot. FLAME GPU 2's times were measured separately, on an H200 as well."
             + if_of_another_version("gpu_agents", "^circles/[0-9]+/4/", """ Four GPUs were measured with an earlier
version, which took 2.977 ms for 8,000,000 circles on one."""), "",
             *agents_table(agents), "", *if_there(agents_scaling_table(agents)), "",
             *if_there(population_lines(agents)), "",
             "## Reaction and diffusion", "", describe(**rdme_context) + ".", "",
             "Steps of `apps/rdme` by the host's clock, with the test systems of Hallock et al. 2014: A <-> B, B + C <-> D. Worlds",
             "that fit into the shared memory of a GPU's multiprocessors stay there for many steps; larger ones, and those on several",
             "GPUs, take a kernel per step ([more](decisions/scatter.md))." + if_of_another_version("gpu_rdme", "gpus:4/", """ Four GPUs were measured with an earlier version, whose one
GPU took 105 and 757 us for the two largest (relative to which their efficiency is 69.5 and 91.4 %, not that of the
table)."""), "",
             *rdme_table(rdme), "", *rdme_speedup_table(rdme), "",
             *if_of_another_version("gpu_rdme", "gpus:4/", if_there(rdme_speedup_lines(rdme))), "",
             *if_there(rdme_weak_lines(rdme)), "", "Increasing numbers of particles, until sites overflow in every step (the paper's figure 6):", "",
             *rdme_density_table(rdme), "", *if_there(rdme_reactions_line(rdme)), "", *([min_line(rdme), ""] if min_line(rdme) else []),
             "## Lattice Boltzmann", "", describe(**lbm_context) + ".", "",
             "`apps/lbm`, D3Q19, medians of 5 rounds. A step has to read and write 19 numbers per cell and to read its kind: 153 bytes",
             "(77, 305). One buffer: populations are streamed in place (`streaming: in_place`).", "",
             "FluidX3D does 23,042 (FP32) and 36,519 (16 bits) on one H200, measured separately: 3,525 and 2,812 GB/s of the same",
             "bytes. It has one relaxation rate, and takes 93 and 55 bytes per cell, by its README. TheLMA (Obrecht et al. 2013) does",
             "8,928 on 24 Tesla M2070: 1,366 GB/s of their copy bandwidth of 24 x 103. ([Alternatives tried](decisions/streaming.md).)", "",
             "In 16 bits an H200 is near the limit of its power: rounds differ by up to 15 %, and runs by 2 %."
             + if_of_another_version(LBM, "gpus:4/?", """ All rows of one and two
GPUs except those of boxes with an inlet and an outlet are of one host and one version; four GPUs of one that took
26,201 (FP32) and 40,884 (16 bits) on one GPU: 98.0, 99.5 and 92.4 % in periodic boxes. In these rows walls cost 1.9 %
of the open box in 16 bits and spheres 3.4 %; in six runs 1.9 to 4.1 % (median 3.1 %) and 3.3 to 5.3 % (4.1 %)
([all of them](decisions/streaming.md))."""),
             "", *filled(lbm_table()), "", *openings_line(), "",
             *([*MOMENTS, "", *moments_table(), ""] if list(moments_table()) else []),
             "## Comparison with MASS CUDA", "", describe(**papers_context) + ".", "",
             "The two programs of Ogden, *Multi-GPU MASS CUDA* (2025), appendix C, from the library's start to its end, worlds from",
             "100² on and one that two cards of 24 GB did not hold. Each was measured after an equal one in the same process, so",
             "without the time to initialise CUDA and to measure launch shapes (a whole `life` on two takes 0.6 s), which the paper",
             f"includes. The published times are from NVIDIA RTX A5000 cards ({A5000} GB/s; an H200 has {H200} GB/s, {H200 / A5000:.1f} times as",
             "much). The captions of the paper's two tables are exchanged; here each figure is with its program. A GB of",
             f"device memory held at most {MASS_CUDA_PLACES_PER_GB / 1e6:.2f} million places there.", "",
             *mass_cuda_table(papers), "",
             "## Several steps per exchange between hosts", "",
             "Speed-up over one step per exchange (R = 1), and in brackets the percentages of rank 0's time in which it computes, moves",
             "ghost rows (packs, posts, copies and unpacks them), and waits for the other rank and the network, whose MPI library copies",
             "to and from sockets meanwhile. CPUs, two ranks of one thread on two emulated hosts with a delay",
             "of 0.2 ms on one machine (AMD EPYC, 2 cores, which also emulate the network; medians of three), 128 planes of 32 x 32",
             "places (`benchmarks/rank_cycles.py`, Open MPI). B2R (Liu and Perumalla 2018, figures 7",
             "to 9) reports up to 9, and 2.8 for seismic waves. As there, a smaller reach gains more (reach 1: 2.9 and 3.1, reach 4: 1.2):",
             "no R gains more than the shares of waiting and moving with R = 1, and a cycle",
             "computes (R - 1) x reach planes twice on average, which is soon as much as the latency costs in bands of 64 planes. The two",
             "rules of seismic together reach 4 planes a step and take 16 times as long a place as heat3d of order 2, so that ranks wait",
             "little even with R = 1, and more steps an exchange only cost.", "",
             *cycles_table(), "",
             "![speed-up by steps per exchange](images/rank-cycles.png)", "",
             "## Events on CPUs", "",
             "A + B <-> C by exact events on a host with 32 processors (virtual, Intel Xeon) that shares its machine with others: one",
             "thread varies by 1.4 from run to run (`benchmarks/events.py`; sequential methods are composition and rejection, and the",
             "next subvolume method with a heap; [more](decisions/event-windows.md#numbers)).", "",
             *events_table("events"), "",
             "[Scheduled events](events.md#scheduled-events) of PHOLD, 16,384 places with 16 events each, 10 % to any place, on a host with",
             "16 processors (virtual, Intel Xeon): million events a second, medians of three runs",
             "([conditions, and ROSS beside it](decisions/time-warp.md#numbers)).", "",
             *schedule_table(), "",
             "Calcium in the neuron c91662 with receptors of eight states, sites of 0.5 um within 50 and 120 um of the soma:", "",
             *events_table("events-neuron"), ""]
    page = ROOT / "docs/performance.md"
    part = page.with_suffix(".part")
    part.write_text(re.sub("\n{3,}", "\n\n", "\n".join(lines)))  # left by omitted parts
    part.replace(page)


if __name__ == "__main__":
    main()
