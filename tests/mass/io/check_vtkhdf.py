#!/usr/bin/env python3
"""Reads series of places and of points with VTK's reader, which ParaView uses.

usage: check_vtkhdf.py <field_series_test program> <point_series_test program>
"""
import os
import subprocess
import sys
import tempfile

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
from vtkmodules.vtkIOHDF import vtkHDFReader

# name: (places along x, y, z), spacing, origin, frames; as in the test WritesSamplesForOtherReaders.
SERIES = {
    "line": ((5, 1, 1), (0.5, 1, 1), (2, 0, 0), 3),
    "plane": ((6, 4, 1), (0.25, 0.5, 1), (20, 10, 0), 3),
    "box": ((4, 3, 2), (1, 2, 3), (10, 20, 30), 3),
    "thin": ((6, 1, 1), (1, 1, 1), (0, 0, 0), 2),
    "column": ((1, 6, 1), (1, 1, 1), (0, 0, 0), 2),
    "single": ((6, 4, 1), (0.25, 0.5, 1), (20, 10, 0), 1),
}
# name: steps
POINTS = {"points": list(range(10)), "single_points": [0], "no_points": [1, 9]}


def require(condition, *what):
    if not condition:
        sys.exit("wrong: " + " ".join(map(str, what)))


def check_frame(image, name, places, spacing, origin, frame):
    count = places[0] * places[1] * places[2]
    require(image.GetNumberOfCells() == count, name, image.GetNumberOfCells(), "cells")
    require(image.GetSpacing() == spacing and image.GetOrigin() == origin, name, "geometry")
    cells = image.GetCellData()
    names = {cells.GetArrayName(i) for i in range(cells.GetNumberOfArrays())}
    require(names == {"heat", "count", "alive", "flow"}, name, names)
    heat, number, alive, flow = (vtk_to_numpy(cells.GetArray(a)) for a in ("heat", "count", "alive", "flow"))
    require(heat.dtype == "float64" and number.dtype == "int32", name, heat.dtype, number.dtype)
    require(alive.dtype == "uint8" and flow.dtype == "float32", name, alive.dtype, flow.dtype)
    require(flow.shape == (count, 3), name, flow.shape)
    # x is the last axis, y the one before, z the one before that: cell (x, y, z) of VTK is place [z][y][x].
    for z in range(places[2]):
        for y in range(places[1]):
            for x in range(places[0]):
                place = (z * places[1] + y) * places[0] + x
                point = [origin[0] + (x + 0.5) * spacing[0], origin[1] + (y + 0.5) * spacing[1],
                         origin[2] + (z + 0.5) * spacing[2]]
                bounds = image.GetCell(place).GetBounds()
                for axis in range(3):
                    middle = (bounds[2 * axis] + bounds[2 * axis + 1]) / 2
                    flat = bounds[2 * axis] == bounds[2 * axis + 1]
                    require(flat or middle == point[axis], name, "cell", place, "lies at", bounds)
                require(heat[place] == 1000 * frame + place, name, frame, place, heat[place])
                require(number[place] == -frame - place, name, frame, place, number[place])
                require(alive[place] == place % 2, name, frame, place, alive[place])
                for c in range(3):
                    require(flow[place][c] == heat[place] + 0.25 * c, name, frame, place, flow[place])


def check(folder, name, places, spacing, origin, frames):
    reader = vtkHDFReader()
    reader.SetFileName(os.path.join(folder, name + ".vtkhdf"))
    reader.UpdateInformation()
    info = reader.GetOutputInformation(0)
    if frames > 1:
        times = info.Get(Pipeline.TIME_STEPS())
        require(times == tuple(0.5 * f for f in range(frames)), name, "times", times)
    for frame in [*range(frames), 0]:  # backwards too
        if frames > 1:
            reader.UpdateTimeStep(0.5 * frame)
        else:
            reader.Update()
        check_frame(reader.GetOutputDataObject(0), name, places, spacing, origin, frame)

        alone = vtkHDFReader()
        alone.SetFileName(os.path.join(folder, name, "%012d.vtkhdf" % (10 * frame)))
        alone.Update()
        image = alone.GetOutputDataObject(0)
        check_frame(image, name, places, spacing, origin, frame)
        time = image.GetFieldData().GetArray("TimeValue")
        require(time is not None and time.GetValue(0) == 0.5 * frame, name, "TimeValue")


def check_points(grid, name, step):
    count = (5 + 3 * step) % 8
    require(grid.GetNumberOfPoints() == count == grid.GetNumberOfCells(), name, step, grid.GetNumberOfPoints(), "points")
    for i in range(count):
        require(grid.GetPoint(i) == (i, step, 0.5), name, step, "point", i, grid.GetPoint(i))
        cell = grid.GetCell(i)
        require(cell.GetClassName() == "vtkVertex" and cell.GetPointId(0) == i, name, step, "cell", i)
    if count == 0:
        return  # some versions of VTK then have no arrays
    data = grid.GetPointData()
    names = {data.GetArrayName(i) for i in range(data.GetNumberOfArrays())}
    require(names == {"id", "flow"}, name, names)
    require(vtk_to_numpy(data.GetArray("id")).tolist() == [100 * step + i for i in range(count)], name, step, "id")
    require(vtk_to_numpy(data.GetArray("flow")).tolist() == [[0.25 * i, -0.25 * i] for i in range(count)], name, step)


def check_point_series(folder, name, steps):
    reader = vtkHDFReader()
    reader.SetFileName(os.path.join(folder, name + ".vtkhdf"))
    reader.UpdateInformation()
    if len(steps) > 1:
        times = reader.GetOutputInformation(0).Get(Pipeline.TIME_STEPS())
        require(times == tuple(0.5 * step for step in steps), name, "times", times)
    for step in [*steps, steps[0]]:  # backwards too
        if len(steps) > 1:
            reader.UpdateTimeStep(0.5 * step)
        else:
            reader.Update()
        check_points(reader.GetOutputDataObject(0), name, step)

        alone = vtkHDFReader()
        alone.SetFileName(os.path.join(folder, name, "%012d.vtkhdf" % step))
        alone.Update()
        check_points(alone.GetOutputDataObject(0), name, step)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for program in sys.argv[1:]:
            subprocess.run([program, "--gtest_filter=*WritesSamplesForOtherReaders"], check=True,
                           stdout=subprocess.DEVNULL, env=dict(os.environ, MASS_SAMPLES=folder))
        for name, expected in SERIES.items():
            check(folder, name, *expected)
        for name, steps in POINTS.items():
            check_point_series(folder, name, steps)
    print("VTK reads every series as written")


if __name__ == "__main__":
    main()
