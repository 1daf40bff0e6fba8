-- What the tools of a conversation keep for later calls: a few small values by name, written with their results.

alter table conversations add column agent_state jsonb not null default '{}' check (jsonb_typeof(agent_state) = 'object');
