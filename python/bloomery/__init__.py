"""Bloom filters and indexes over many of them, in batches of NumPy arrays; results of experiments for pandas."""

from ._core import ParamError, Structure, describe, keys, structures
from .rows import load_rows

__all__ = ["ParamError", "Structure", "describe", "keys", "load_rows", "structures"]
