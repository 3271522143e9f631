"""duckdb.sql(QUERY).df() over DuckDB's C library, for machines without the wheel:
enough for studies/notebooks, and no more. LIBDUCKDB is the path of libduckdb.so."""

import ctypes
import os
import tempfile

import pandas

_lib = ctypes.CDLL(os.environ["LIBDUCKDB"])
_lib.duckdb_result_error.restype = ctypes.c_char_p
_connection = ctypes.c_void_p()
_database = ctypes.c_void_p()


class _Result(ctypes.Structure):
    _fields_ = [("counts", ctypes.c_uint64 * 3), ("pointers", ctypes.c_void_p * 3)]


def _execute(query):
    if not _connection:
        if _lib.duckdb_open(None, ctypes.byref(_database)) or _lib.duckdb_connect(_database, ctypes.byref(_connection)):
            raise RuntimeError("duckdb does not open")
    result = _Result()
    failed = _lib.duckdb_query(_connection, query.encode(), ctypes.byref(result))
    message = _lib.duckdb_result_error(ctypes.byref(result)) if failed else None
    _lib.duckdb_destroy_result(ctypes.byref(result))
    if failed:
        raise RuntimeError(message.decode())


def _csv(query, **how):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.csv")
        _execute(f"COPY ({query}) TO '{path}' (HEADER, NULLSTR '\\N')")
        return pandas.read_csv(path, keep_default_na=False, na_values=["\\N"], float_precision="round_trip", **how)


class sql:
    def __init__(self, query):
        self.query = query

    def df(self):
        described = _csv(f"SELECT column_name, column_type FROM (DESCRIBE {self.query})", dtype=str)
        texts = {c: str for c, t in described.itertuples(index=False) if t == "VARCHAR"}
        return _csv(self.query, dtype=texts)
