"""Errors of reading files of past conversations. Facts are numbers, units and tokens: never names, paths or content."""

from oblio.errors.base import Fault


class SourceMissing(Fault):
    """The file cannot be opened."""

    code = "ingest.source_missing"
    says = "The file to import cannot be opened for reading."
    fix = "Check that it exists, is a file and may be read by this user."


class FormatUnknown(Fault):
    """No reader recognises the source."""

    code = "ingest.format_unknown"
    says = "The source is none of the formats that can be read: jsonl, chatgpt, locomo."
    fix = "Name the format, or convert the source to JSONL with one message a line."


class PositionInvalid(Fault):
    """A position was not made by a reader of this version."""

    code = "ingest.position_invalid"
    says = "The position to continue from is not one that a reader gave out."
    fix = "Pass the position of the last record as it was, or start from the beginning."


class SourceBroken(Fault):
    """A JSON document ends too early or its brackets do not match."""

    code = "ingest.source_broken"
    says = "The JSON of file {member} breaks off in record {record}; what came before it was read."
    fix = "Get the export again; an import can then continue behind the last record that was read."


class ArchiveBroken(Fault):
    """A zip archive cannot be read, or a file in it fails its checksum."""

    code = "ingest.archive_broken"
    says = "The archive is damaged at file {member} (0 means its list of files)."
    fix = "Get the archive again, or unpack it yourself and import the files that can be read."


class ArchiveRefused(Fault):
    """An archive has a property that only hostile or unsuitable archives have."""

    code = "ingest.archive_refused"
    says = "The archive was refused at file {member}: {why}."
    fix = "Unpack it yourself, look at the files, and import the ones with conversations."


class SourceTooLarge(Fault):
    """The unpacked source is larger than the limit for one import."""

    code = "ingest.source_too_large"
    says = "The source is larger than {limit} bytes when unpacked."
    fix = "Split it, or raise the limit if you trust where it comes from."


class SourceNotSeekable(Fault):
    """A zip archive came through a pipe."""

    code = "ingest.source_not_seekable"
    says = "A zip archive can only be read from a file, not from a pipe."
    fix = "Save it to a file first, or pipe the unpacked file."


class BadSource(Fault):
    """An import without a person, or with two ways to find one."""

    code = "import.whose"
    says = "An import needs exactly one answer to whose data it is."
    fix = "Pass `subject` for one person's export, or `each_author` where every author is a person."
