"""Errors of the store. Facts are numbers and names of roles: never SQL, parameters, driver texts or paths."""

from oblio.errors.base import Fault


class NotADatabase(Fault):
    """The file is something else."""

    code = "storage.not_a_database"
    says = "The file is not a database."
    fix = "Name another file; Oblio makes a new one where none exists."


class ForeignDatabase(Fault):
    """A database of another program."""

    code = "storage.foreign_database"
    says = "The database belongs to another program: it has {tables} tables, none of them Oblio's."
    fix = "Name another file; Oblio shares a SQLite file with nobody."


class DatabaseCorrupt(Fault):
    """The database is damaged or cut short."""

    code = "storage.corrupt"
    says = "The database file is damaged or shorter than it should be."
    fix = "Stop the program, keep a copy of the files, and put back the newest backup with `oblio restore`."


class StoreNotWritable(Fault):
    """The place of the database cannot be written."""

    code = "storage.not_writable"
    says = "The database or its folder cannot be written by this user."
    fix = "Check that the folder exists and that this user may write into it."


class DiskFull(Fault):
    """No space is left."""

    code = "storage.disk_full"
    says = "No space is left for the database; nothing of this write was kept."
    fix = "Free some space and try again."


class StoreBusy(Fault):
    """Another writer kept the database for too long."""

    code = "storage.busy"
    says = "Another writer held the database for more than {seconds} seconds."
    fix = "Try again; if it repeats, look for a process that stands still in the middle of a write."


class StoreForked(Fault):
    """The store was opened by the process that this one was forked from."""

    code = "storage.forked"
    says = "This store was opened before the process was forked; its connections belong to the parent."
    fix = "Open the store in each process, and fork while no call of the parent is under way."


class SchemaNewer(Fault):
    """The database was written by a newer version of this program."""

    code = "storage.schema_newer"
    says = "The database has a newer schema than this version of Oblio knows."
    fix = "Install the newer version again; an older one must not write to this database."


class StoreUnreachable(Fault):
    """The database server does not answer or refuses this user."""

    code = "storage.unreachable"
    says = "The database server cannot be reached or refuses the connection."
    fix = "Check that it runs and that address, user and password are right."


class RowExists(Fault):
    """A unique key is taken."""

    code = "storage.row_exists"
    says = "A row with this key exists already; nothing of this write was kept."
    fix = "This is a mistake in the program, please report it."


class RowMissing(Fault):
    """The row to change is not there."""

    code = "storage.row_missing"
    says = "A row of {table} that should be changed does not exist."
    fix = "It may have been erased meanwhile; read it again."


class ValueUnfit(Fault):
    """A value cannot be stored in its column."""

    code = "storage.value_unfit"
    says = "A value does not fit its column: an id, a token, an aware time or a size is wrong."
    fix = "This is a mistake in the program, please report it."


class ReadOnlyTransaction(Fault):
    """A write through a read transaction."""

    code = "storage.read_only"
    says = "A read transaction was asked to write."
    fix = "Open `write()`; this is a mistake in the program, please report it."


class WriteNested(Fault):
    """A write transaction inside another one of the same thread."""

    code = "storage.write_nested"
    says = "This thread has a write transaction open already and would wait for itself."
    fix = "Pass the open transaction on; this is a mistake in the program, please report it."


class TransactionEnded(Fault):
    """A transaction was used after its block, or the store after `close`."""

    code = "storage.ended"
    says = "The transaction or the store is closed."
    fix = "Use a transaction only inside its `with` block, and open the store again after `close`."


class StoreFailed(Fault):
    """Anything else that the database reports."""

    code = "storage.failed"
    says = "The database reported {report}."
    fix = "Look up this name in the documentation of the database; if it repeats, please report it."


class DriverMissing(Fault):
    """The driver of PostgreSQL is not installed."""

    code = "storage.driver_missing"
    says = "PostgreSQL needs a package that is not installed."
    fix = "Run `pip install 'oblio[postgres]'`."


class AddressUnreadable(Fault):
    """The address of a database server is not a URL."""

    code = "storage.address"
    says = "The address of the database server cannot be read."
    fix = "Write postgresql://user:password@host:port/name, and @ : / ? # % of the password as %40 %3A %2F %3F %23 %25."


class NeedleTooShort(Fault):
    """A byte check was asked for bytes that would be found by chance."""

    code = "storage.needle_too_short"
    says = "A byte check looks for at least {least} bytes."
    fix = "This is a mistake in the program, please report it."


class FilesRestless(Fault):
    """A file did not stand still long enough to be searched."""

    code = "storage.files_restless"
    says = "A file grew during each of {tries} readings, so the byte check cannot tell what is in it."
    fix = "Repeat the check while less is written."


class StoreNotReadable(Fault):
    """A live file cannot be read."""

    code = "storage.not_readable"
    says = "A file of the store cannot be read, so the byte check cannot tell what is in it."
    fix = "Check that this user may read every file of the database and of the keys."
