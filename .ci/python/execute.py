"""Runs notebooks from the first cell to the last, each in a kernel of its own.

    execute.py [--update] NOTEBOOK...

A cell that raises fails; so does a notebook whose kept texts are not those of this
run, a picture that is missing, or one that is heavier than 100 kB. --update writes the
outputs into the notebooks instead. Times go to the standard output.
"""

import sys
import time

import nbclient
import nbformat


def texts(cell):
    """What a cell prints and returns as text, without numbers of cells and pictures."""
    said = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" in data:
            said.append("a picture")
        elif output["output_type"] == "stream":
            said.append(output["text"])
        else:
            said.append(data.get("text/plain", output["output_type"]))
    return said


def execute(path, update):
    kept = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(fresh, timeout=60, record_timing=False, resources={"metadata": {"path": path.rpartition("/")[0] or "."}}).execute()
    fresh.metadata = kept.metadata  # not the version of this machine's Python
    for cell in fresh.cells:
        for output in cell.get("outputs", []):
            if len(output.get("data", {}).get("image/png", "")) > 100_000:
                raise SystemExit(f"{path}: a picture of more than 100 kB")
    if update:
        nbformat.write(fresh, path)
        return
    for i, (was, now) in enumerate(zip(kept.cells, fresh.cells)):
        if texts(was) != texts(now):
            raise SystemExit(f"{path}: cell {i} gives\n{texts(now)}\nand the notebook keeps\n{texts(was)}\n.ci/notebooks --update keeps the new ones")


update = sys.argv[1:2] == ["--update"]
for path in sys.argv[1 + update :]:
    began = time.monotonic()
    execute(path, update)
    print(f"{path}: ok, {time.monotonic() - began:.1f} s")
