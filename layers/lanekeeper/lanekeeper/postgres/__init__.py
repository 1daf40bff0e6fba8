"""Postgres: connections that heal, transactions that name their person, and statements kept in .sql files."""

from lanekeeper.postgres.connection import Database
from lanekeeper.postgres.patience import answered_within
from lanekeeper.postgres.statements import Statements
from lanekeeper.postgres.transaction import Transaction

__all__ = ["Database", "Statements", "Transaction", "answered_within"]
