"""Maintenance: what must happen without anyone waiting for it. Started by pg_cron, once a minute and only when due."""
