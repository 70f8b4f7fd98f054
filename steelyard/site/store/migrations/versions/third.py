"""Add who may read a page, and what stands in the way."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; audits from before have nothing in it."""
    op.add_column("addresses", sa.Column("access", sa.Text))
