"""Errors about settings and opening."""

from oblio.errors.base import Fault


class BadSetting(Fault):
    """A value of the environment or of an argument that is not allowed."""

    code = "settings.bad_value"
    says = "{name} must be one of: {allowed}."
    fix = "Change or unset it."


class NoStore(Fault):
    """A command that reads a store that is not there."""

    code = "store.missing"
    says = "There is no store at this path."
    fix = "Create one with `oblio init --db PATH`, or check the path."


class DatabaseLost(Fault):
    """A key place that was used, beside a database that is missing or empty."""

    code = "store.database_lost"
    says = "The key place belongs to a store whose database is missing or empty; no new one was begun over it."
    fix = "Put the newest copy of the database back and run `oblio restore --db PATH`; or choose another path."


class FilterModeFixed(Fault):
    """An attempt to open a store in another filter mode than it was created in."""

    code = "store.filter_mode_fixed"
    says = "This store was created with the filter mode `{mode}`; that cannot be changed."
    fix = "Create a new store, or leave `filter_mode` out."


class StoreForged(Fault):
    """The row that says what the store is does not authenticate."""

    code = "store.forged"
    says = "The description of this store was changed from outside, or its key place is another store's."
    fix = "Put the key place back that was created with it."
