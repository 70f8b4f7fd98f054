"""The errors of a store, by what the user can do about them."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.errors import SteelyardError

CONTINUE = "start the same command again and it continues from there"


class StoreError(SteelyardError):
    """A store cannot be opened or used; `store` is its name without a password."""

    def __init__(self, store: str, reason: str) -> None:
        super().__init__(f"{store}: {reason}")


class StoreBusy(StoreError):
    def __init__(self, store: str) -> None:
        super().__init__(
            store, f"another process kept the database locked for too long; wait until it ends, then {CONTINUE}"
        )


class StoreFull(StoreError):
    def __init__(self, store: str) -> None:
        super().__init__(
            store, f"the disk of the store is full; finished pages are kept, so make room, then {CONTINUE}"
        )


class StoreLost(StoreError):
    """The connection to the database ended and could not be made again."""

    def __init__(self, store: str, reason: str) -> None:
        self.reason = reason
        super().__init__(
            store, f"no connection to the database ({reason}); finished pages are kept, so when it is back, {CONTINUE}"
        )


class StoreDamaged(SteelyardError):
    def __init__(self) -> None:
        super().__init__(
            "a page in the store is damaged and cannot be unpacked; restore the store, or audit into another"
        )


class NewerSchema(StoreError):
    def __init__(self, store: str, found: str) -> None:
        super().__init__(
            store, f"a later version of steelyard made this store (schema {found}); upgrade steelyard or use another"
        )


class AuditRunning(SteelyardError):
    """Another process audits this site."""

    def __init__(self, site: str, owner: str) -> None:
        super().__init__(
            f"{site}: {owner} is auditing this site; wait until it ends, or stop it, or name another store"
        )


class AuditLost(SteelyardError):
    """Another process has taken over this audit, because this one gave no sign of life, or has ended it."""

    def __init__(self, audit: int) -> None:
        super().__init__(
            f"audit {audit} was taken over or ended by another process, so this one stops; its finished pages are kept"
        )


class NoSuchAudit(SteelyardError):
    """There is no audit or site of this name; the message lists what there is."""

    def __init__(self, wanted: str, known: Iterable[str], what: str = "audit") -> None:
        names = list(known)
        shown = ", ".join(names[:MAX_NAMES]) + (
            f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
        )
        super().__init__(
            f"{wanted}: there is no such {what} (there is: {shown or 'none; begin with `steelyard audit`'})"
        )


MAX_NAMES = 10  # audits or sites named in an error
