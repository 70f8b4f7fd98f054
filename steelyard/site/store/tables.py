"""The tables. A change of them needs a new file in migrations/versions, which a test compares with this one."""

from __future__ import annotations

import re
from typing import overload

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

RUNNING, DONE, STOPPED = "running", "done", "stopped"
QUEUED = "queued"

# PostgreSQL sorts text by its locale unless told otherwise; the order of code points is the same everywhere.
_Address = Text().with_variant(Text(collation="C"), "postgresql")
# SQLite gives out row numbers only for columns that are INTEGER by name.
_Id = BigInteger().with_variant(Integer(), "sqlite")

# PostgreSQL has no NUL in a text, and neither database half of a surrogate pair.
_IMPOSSIBLE = re.compile("[\x00\ud800-\udfff]")

metadata = MetaData()

audits = Table(
    "audits",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("site", Text, nullable=False),
    Column("start", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("started", Float, nullable=False),  # seconds since 1970, as all times here
    Column("finished", Float),
    Column("as_of", String(10), nullable=False),
    Column("edition", Text, nullable=False),
    Column("scoring", Text, nullable=False),  # JSON, as the next
    Column("settings", Text, nullable=False),
    Column("keep_texts", Boolean, nullable=False),
    Column("ending", Text),  # JSON
    # Computed when the audit ends, so that a list of audits does not count their pages.
    Column("counts", Text),  # JSON: the number of addresses by state
    Column("mean", Float),
    Column("median", Float),
    # Who is at work: a random name for every time an audit is begun or continued, and its process.
    Column("owner", String(32)),
    Column("host", Text),
    Column("pid", BigInteger),
    Column("process_start", Text),
    Column("beat", Float),
    Index("audits_by_site", "site", "started"),
    Index(
        "one_running_audit", "site", unique=True,
        sqlite_where=text("state = 'running'"), postgresql_where=text("state = 'running'"),
    ),
)  # fmt: skip

readings = Table(
    "readings",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("digest", LargeBinary(32), nullable=False),
    Column("content", String(64), nullable=False),
    Column("scoring", String(64), nullable=False),
    Column("language", String(16)),
    Column("body", LargeBinary, nullable=False),
    UniqueConstraint("digest", name="one_reading"),
    Index("readings_by_content", "content", "scoring"),
)

date_dependent = Table(
    "dated",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("digest", LargeBinary(32), nullable=False),
    Column("body", LargeBinary, nullable=False),
    UniqueConstraint("digest", name="one_dated"),
)

texts = Table(
    "texts",
    metadata,
    Column("content", String(64), primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

addresses = Table(
    "addresses",
    metadata,
    Column("audit", _Id, ForeignKey("audits.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("url", _Address, primary_key=True),
    Column("depth", Integer, nullable=False),
    Column("origin", String(16), nullable=False),
    Column("found_on", Text),
    Column("linked", Boolean, nullable=False),
    Column("state", String(16), nullable=False),
    Column("reason", Text),
    Column("status", Integer),
    Column("final_url", Text),  # None where it is the address itself, or there was no answer
    Column("content_type", Text),
    Column("canonical", Text),
    Column("content", String(64)),  # only without a reading, which has it
    Column("simhash", BigInteger),  # signed
    Column("score", Float),
    Column("freshness", Float),
    # No foreign keys: they would need two indexes that are larger than the row, so that removing readings is not
    # quadratic. Retention and `finish` exclude each other instead (database.py).
    Column("reading", _Id),
    Column("dated", _Id),
    Column("access", Text),  # JSON
    Index(
        "queue", "audit", "depth", "url",
        sqlite_where=text("state = 'queued'"), postgresql_where=text("state = 'queued'"),
    ),
    sqlite_with_rowid=False,
)  # fmt: skip


@overload
def clean(text: str) -> str: ...
@overload
def clean(text: None) -> None: ...
def clean(text: str | None) -> str | None:
    """Return the text with the replacement character for what a database cannot hold."""
    return None if text is None else _IMPOSSIBLE.sub("�", text)
