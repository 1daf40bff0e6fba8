"""The lane's statements."""

from lanekeeper.postgres import Statements

SQL = Statements.beside(__file__)
