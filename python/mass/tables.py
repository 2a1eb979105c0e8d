"""Tables of a run as Parquet files."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy

from . import _core

_ROWS = 1 << 20  # rows of a piece


def to_parquet(table: str | os.PathLike[str], file: str | os.PathLike[str] | None = None) -> pathlib.Path:
    """Writes a table of a run, `<name>.csv` or a table of agents `<agents>.h5`, as a Parquet file, and returns its path.

    Columns keep their names and types; an array of agents is a column of lists. It reads a piece at a time, and `file`,
    by default beside the table, appears when it is complete. Needs the packages pyarrow and, for HDF5, h5py:
    `pip install mass[parquet]`.

    Raises InputError if the table cannot be read; OutputError if the file cannot be written.
    """
    source = pathlib.Path(table)
    target = pathlib.Path(file) if file is not None else source.with_suffix(".parquet")
    if source.suffix not in (".csv", ".h5"):
        raise _core.InputError(f"'{source}' is no table of a run: they are .csv or .h5 files")
    if not source.is_file():
        raise _core.InputError(f"there is no table '{source}'")
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise _core.UsageError("to_parquet needs pyarrow: pip install mass[parquet]") from None

    part = target.with_name(target.name + ".part")
    writer = None
    try:
        for piece in _csv_pieces(source) if source.suffix == ".csv" else _hdf5_pieces(source):
            if writer is None:
                writer = pyarrow.parquet.ParquetWriter(part, piece.schema)
            writer.write(piece)
        if writer is not None:
            writer.close()
        os.replace(part, target)
    except pyarrow.ArrowInvalid as error:
        raise _core.InputError(f"'{source}': {error}") from None
    except OSError as error:
        raise _core.OutputError(f"'{target}' cannot be written from '{source}': {error}") from None
    finally:
        part.unlink(missing_ok=True)
    return target


def _csv_pieces(source: pathlib.Path) -> Iterator[Any]:
    """Yields a CSV table in pieces."""
    import pyarrow
    import pyarrow.csv

    with pyarrow.csv.open_csv(source) as reader:
        for batch in reader:
            yield pyarrow.Table.from_batches([batch])


def _hdf5_pieces(source: pathlib.Path) -> Iterator[Any]:
    """Yields a table of agents in HDF5 in pieces; one without rows if it has none."""
    import pyarrow

    try:
        import h5py
    except ImportError:
        raise _core.UsageError("to_parquet needs h5py for HDF5: pip install mass[parquet]") from None
    if not h5py.is_hdf5(source):
        raise _core.InputError(f"'{source}' is no table of agents in HDF5")
    with h5py.File(source) as file:
        columns = [(name, column) for name, column in file.items() if isinstance(column, h5py.Dataset)]
        columns.sort(key=lambda column: column[0] != "step")  # the step first, then as in the file
        rows = min((column.shape[0] for _, column in columns), default=0)
        for first in range(0, max(rows, 1), _ROWS):
            arrays = {name: _arrow(column[first:first + _ROWS]) for name, column in columns}
            yield pyarrow.table(arrays)


def _arrow(values: numpy.ndarray[Any, Any]) -> Any:
    """Returns values of agents as an array of Arrow: lists of a fixed length for an array attribute."""
    import pyarrow

    if values.ndim == 1:
        return pyarrow.array(values)
    return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values.reshape(-1)), values.shape[1])
