"""The rows of experiments as a pandas.DataFrame."""

import pathlib

SCHEMA = "@ROWS_SCHEMA@"

# Texts, though some look like numbers: a run_id may be all digits.
_TEXT = ["schema", "run_id", "experiment", "series", "structure", "metric", "distribution", "construction", "hash",
         "backend", "phase", "status", "params"]


def load_rows(*paths):
    """Rows of rows.csv files, or of every one below a folder; what is in `params` gets columns of its own."""
    import pandas

    files = [file for path in paths for file in _files(pathlib.Path(path))]
    if not files:
        raise ValueError("no path was given; pass a rows.csv or a folder of results")
    return pandas.concat([_load(pandas, file) for file in files], ignore_index=True)


def _files(path):
    if path.is_dir():
        # The parts of a sweep are in <results>/shards until they are merged.
        found = sorted(file for file in path.rglob("rows.csv") if "shards" not in file.relative_to(path).parts)
        if not found:
            raise FileNotFoundError(f"{path}: no rows.csv below this folder; run an experiment first")
        return found
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    return [path]


def _load(pandas, file):
    try:
        rows = pandas.read_csv(file, dtype={name: "string" for name in _TEXT}, encoding="utf-8")
    except (pandas.errors.EmptyDataError, pandas.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: not a rows file: {error}") from error
    if "schema" not in rows or "params" not in rows:
        raise ValueError(f"{file}: not a rows file: its first line names no column 'schema' or 'params'")
    if not rows["schema"].eq(SCHEMA).all():
        raise ValueError(f"{file}: rows of another version (schema {rows['schema'].iloc[0]}, here {SCHEMA})")
    params = pandas.DataFrame([_params(text) for text in rows["params"]], index=rows.index)
    for name in params:
        if name not in rows:
            rows[name] = pandas.to_numeric(params[name], errors="ignore")
    return rows.drop(columns="params")


def _params(text):
    items = [] if not isinstance(text, str) else text.split(";")
    return dict(item.split("=", 1) for item in items if "=" in item)
