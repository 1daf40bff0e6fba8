"""The lane's statements, and the claim."""

from lanekeeper.postgres import Statements

SQL = Statements.beside(__file__)
