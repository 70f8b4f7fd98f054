"""Drop two columns that nothing reads: a reading has its words and its flag in its body."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Drop the columns; in batch mode, since SQLite before 3.35 can only make the table again."""
    with op.batch_alter_table("readings") as table:
        table.drop_column("words")
        table.drop_column("flagged")
