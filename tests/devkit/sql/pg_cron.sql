create schema if not exists cron;
