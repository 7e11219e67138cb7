"""Errors of the command line itself."""

from oblio.errors.base import Fault


class EmptyText(Fault):
    """A text without any visible character."""

    code = "command.empty_text"
    says = "There is no text."
    fix = "Pass the text as an argument, or `-` and the text on standard input."


class TextTooShort(Fault):
    """A text that cannot be looked for in bytes: it would be found by chance."""

    code = "command.text_too_short"
    says = "The text is too short to be looked for: fewer than 12 bytes can stand anywhere by chance."
    fix = "Look for a longer part of it."


class NotConfirmed(Fault):
    """An erasure whose plan was shown and not confirmed."""

    code = "command.not_confirmed"
    says = "The plan was not confirmed; nothing was erased."
    fix = "Answer `yes`, or pass `--yes`, or `--plan DIGEST` with the digest of the plan you saw."


class FileUnreadable(Fault):
    """A file named on the command line that cannot be read."""

    code = "command.file_unreadable"
    says = "The {role} cannot be read."
    fix = "Check that the file exists, is text and may be read by this user."


class FileUnwritable(Fault):
    """A file named on the command line that cannot be written."""

    code = "command.file_unwritable"
    says = "The {role} cannot be written; nothing else was changed by that."
    fix = "Choose a file that does not exist yet in a folder you may write to; `oblio receipt show` prints it again."


class KeyNeeded(Fault):
    """A proof that shall be checked without a key to check it with."""

    code = "command.key_needed"
    says = "Checking a receipt needs the public key of its issuer."
    fix = "Pass `--key` or `--key-file` with what `oblio audit key` prints, or `--db` with the store itself."


class ConsentNeeded(Fault):
    """An import about a person who has not allowed anything."""

    code = "command.consent_needed"
    says = "Nothing was imported: the person has allowed nothing, and an import grants nothing by itself."
    fix = (
        "If they did allow it: `oblio consent grant SUBJECT history --notice VERSION`, the same for `memory`; or pass "
        "`--grant memory,history --notice VERSION` with the import."
    )


class NoticeNeeded(Fault):
    """A grant on the command line without the notice that the person saw."""

    code = "command.notice_needed"
    says = "A grant names the version of the notice that the person saw."
    fix = "Pass `--notice VERSION` beside `--grant`."


class ClaimFailed(Fault):
    """The demo showed something that turned out not to be true."""

    code = "demo.claim_failed"
    says = "Claim {number} of the demo does not hold."
    fix = "This is a defect: please report it with the number."


class DemoFolderTaken(Fault):
    """A folder for the demo that holds something."""

    code = "demo.folder_taken"
    says = "The folder for the demo is not empty."
    fix = "Name a folder that does not exist yet, or leave `--dir` out."
