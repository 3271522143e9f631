"""Tables of a results folder as pandas data frames, by whichever Parquet reader is
installed: pyarrow (or fastparquet) through pandas, DuckDB, or polars.

    import tables
    points = tables.read("h100")              # results/h100/points.parquet
    runs = tables.read("h100", "runs")        # one row per point and replicate
    effects = tables.read("/data/h100", "effects")

A value that a run does not have (a latency of an infeasible point, a P99 of no
request) is missing (NaN or None), never zero. `steady` is False for saturated points:
their latencies depend on the length of the run, and are not to be joined by a line.
"""

import os
from pathlib import Path

import pandas

pandas.options.display.width = 160  # tables as text on lines of their own


def folder(study):
    """The results folder of a study: a path that has tables, else results/STUDY in
    $SCOVILLE_RESULTS, or in this folder's `results` or that of one above it."""
    if any(Path(study).glob("*.parquet")):
        return Path(study)
    above = [Path.cwd(), *Path.cwd().parents]
    roots = [Path(os.environ["SCOVILLE_RESULTS"])] if "SCOVILLE_RESULTS" in os.environ else [p / "results" for p in above]
    for root in roots:
        if any((root / str(study)).glob("*.parquet")):
            return root / str(study)
    raise FileNotFoundError(f"no tables of {study!r} under {', '.join(map(str, roots[:3]))}: sweep run studies/{study}.toml writes them")


def read(study, table="points"):
    """One table of a study: points, runs, effects, searches or classes."""
    path = folder(study) / f"{table}.parquet"
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such table; there are {', '.join(sorted(p.stem for p in path.parent.glob('*.parquet')))}")
    for reader in (_pandas, _duckdb, _polars):
        frame = reader(path)
        if frame is not None:
            return frame
    raise ImportError("no Parquet reader: pip install pyarrow, or duckdb, or polars")


def _pandas(path):
    try:
        return pandas.read_parquet(path)
    except ImportError:  # neither pyarrow nor fastparquet
        return None


def _duckdb(path):
    try:
        import duckdb
    except ImportError:
        return None
    quoted = str(path).replace("'", "''")
    return duckdb.sql(f"SELECT * FROM read_parquet('{quoted}')").df()


def _polars(path):
    try:
        import polars
    except ImportError:
        return None
    return pandas.DataFrame(polars.read_parquet(path).to_dict(as_series=False))
