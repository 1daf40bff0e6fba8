"""The true pg_cron, which the embedded Postgres does not have: run with a server that does (.ci/run)."""
