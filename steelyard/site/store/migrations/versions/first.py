"""The first tables. They are written out, since the tables of today are not those of this revision for ever."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ADDRESS = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the tables."""
    _make_audits()
    op.create_table(
        "readings",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("scoring", sa.String(64), nullable=False),
        sa.Column("words", sa.Integer),
        sa.Column("language", sa.String(16)),
        sa.Column("flagged", sa.Boolean),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("digest", name="one_reading"),
    )
    op.create_index("readings_by_content", "readings", ["content", "scoring"])
    op.create_table(
        "dated",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("digest", name="one_dated"),
    )
    op.create_table(
        "texts",
        sa.Column("content", sa.String(64), primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    _make_addresses()


def _make_audits() -> None:
    op.create_table(
        "audits",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("site", sa.Text, nullable=False),
        sa.Column("start", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("started", sa.Float, nullable=False),
        sa.Column("finished", sa.Float),
        sa.Column("as_of", sa.String(10), nullable=False),
        sa.Column("edition", sa.Text, nullable=False),
        sa.Column("scoring", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("keep_texts", sa.Boolean, nullable=False),
        sa.Column("ending", sa.Text),
        sa.Column("counts", sa.Text),
        sa.Column("mean", sa.Float),
        sa.Column("median", sa.Float),
        sa.Column("owner", sa.String(32)),
        sa.Column("host", sa.Text),
        sa.Column("pid", sa.BigInteger),
        sa.Column("process_start", sa.Text),
        sa.Column("beat", sa.Float),
    )
    op.create_index("audits_by_site", "audits", ["site", "started"])
    is_running = sa.text("state = 'running'")
    op.create_index(
        "one_running_audit", "audits", ["site"], unique=True, sqlite_where=is_running, postgresql_where=is_running
    )


def _make_addresses() -> None:
    op.create_table(
        "addresses",
        sa.Column("audit", _ID, sa.ForeignKey("audits.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
        sa.Column("url", _ADDRESS, primary_key=True),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("origin", sa.String(16), nullable=False),
        sa.Column("found_on", sa.Text),
        sa.Column("linked", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("status", sa.Integer),
        sa.Column("final_url", sa.Text),
        sa.Column("content_type", sa.Text),
        sa.Column("canonical", sa.Text),
        sa.Column("content", sa.String(64)),
        sa.Column("simhash", sa.BigInteger),
        sa.Column("score", sa.Float),
        sa.Column("freshness", sa.Float),
        sa.Column("reading", _ID),
        sa.Column("dated", _ID),
        sqlite_with_rowid=False,
    )
    is_queued = sa.text("state = 'queued'")
    op.create_index("queue", "addresses", ["audit", "depth", "url"], sqlite_where=is_queued, postgresql_where=is_queued)
