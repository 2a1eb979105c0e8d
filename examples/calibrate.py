#!/usr/bin/env python3
"""Finds parameters of predation from data that the model made itself, with Optuna and sweeps.

    pip install optuna
    PYTHONPATH=build/mpi/python python3 examples/calibrate.py [--trials 150] [--folder out/calibrate]

The data are the mean numbers of sheep and wolves, over replicates, at some steps of runs with known parameters. A trial
compares them with the means over other seeds. Trials go in groups, each of which is one sweep in the same folder: an
interrupted search begins again without a repeated run.
"""

import argparse

import mass
import numpy
import optuna

TRUTH = {"wolf_gain": 20.0, "sheep_birth": 0.04}
BOUNDS = {"wolf_gain": (5.0, 40.0), "sheep_birth": (0.01, 0.1)}
SETTINGS = {"size": 100, "sheep": 400, "wolves": 200, "steps": 120}
GROUP = 6  # trials of one sweep


def observed(designs, seeds, folder):
    """Returns the means over the seeds of each design, one row each: of sheep, then of wolves, at every 20th step."""
    made = mass.sweep(program="predation", settings=SETTINGS, designs=designs, seeds=seeds, folder=folder,
                      progress=False, keep={"every": 20, "columns": ["sheep", "wolves"]})
    if made.failed:
        raise RuntimeError(f"{made.failed} runs failed, see {folder}/runs.csv")
    runs = numpy.stack([made.runs["sheep"], made.runs["wolves"]], axis=-1)  # designs, then seeds, then steps
    means = runs.reshape(len(designs), len(seeds), -1, 2).mean(axis=1)[:, 1:]  # all designs are equal at step 0
    return means.reshape(len(designs), -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=150)
    parser.add_argument("--folder", default="out/calibrate")
    options = parser.parse_args()

    data = observed([TRUTH], range(1001, 1021), options.folder)[0]
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1, multivariate=True, constant_liar=True))
    while len(study.trials) < options.trials:
        group = [study.ask() for _ in range(GROUP)]
        # Rounded, as digits beyond do not matter.
        designs = [{name: round(trial.suggest_float(name, *bounds), 5) for name, bounds in BOUNDS.items()}
                   for trial in group]
        rows = observed(designs, range(1, 11), options.folder)
        for trial, row in zip(group, rows):
            study.tell(trial, float(numpy.mean(numpy.log((row + 1) / (data + 1)) ** 2)))
        print(f"{len(study.trials)} trials, error {study.best_value:.5f}: {study.best_params}", flush=True)

    for name, truth in TRUTH.items():
        print(f"{name}: found {study.best_params[name]:.4g}, true {truth:.4g}")


if __name__ == "__main__":
    main()
