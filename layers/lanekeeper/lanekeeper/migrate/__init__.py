"""Migrate: brings the database's schema to what the code expects. Forward only."""
