-- Pictures and files that people hand over. A row is in quarantine until a worker has read it in a process of its own
-- and the questions about it are answered; what is refused keeps its name and loses its content in the same moment.

create table uploads (
  id text primary key,
  user_id text not null references users on delete cascade,
  idempotency_key text,
  name text not null,
  kind text not null check (kind in ('image', 'file')),
  media_type text not null,
  bytes int not null,
  sha256 text not null,
  -- The file as it came; of a picture, once it was read, only the picture itself.
  content bytea,
  -- What was read of a file.
  text text,
  chars int,
  cut boolean not null default false,
  pages int,
  state text not null default 'quarantined'
    check (state in ('quarantined', 'checking', 'ok', 'refused', 'sensitive', 'expired')),
  message text,
  -- How many workers have begun to read it.
  attempt int not null default 0,
  created_at timestamptz not null default lanekeeper.now(),
  checked_at timestamptz,
  expires_at timestamptz not null,
  unique (user_id, idempotency_key)
) with (fillfactor = 80);
-- Most of it is compressed already.
alter table uploads alter content set storage external;
create index uploads_expiring on uploads (expires_at) where state in ('quarantined', 'checking', 'ok');

alter table uploads enable row level security;
alter table uploads force row level security;
create policy own_rows on uploads to lanekeeper_accept, lanekeeper_worker
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
create policy dispatch on uploads to lanekeeper_dispatch using (true) with check (true);

grant select, insert, delete on uploads to lanekeeper_accept;
grant select, update on uploads to lanekeeper_worker;
grant select (state, expires_at), update (state, content, text) on uploads to lanekeeper_dispatch;

-- An upload waits on its person's lane like a message, but belongs to no conversation and has no turn.
alter table inbox
  alter conversation_id drop not null,
  alter turn_id drop not null,
  alter accepted_turn_id drop not null,
  alter message_id drop not null,
  alter agent_id drop not null,
  add column upload_id text references uploads on delete cascade,
  add check (
    case kind
      when 'upload' then upload_id is not null
      else num_nulls(conversation_id, turn_id, accepted_turn_id, message_id, agent_id) = 0
    end);

-- What was kept as long as the privacy notice says: the content goes, that there was a file stays.
create function lanekeeper.sweep_uploads()
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with gone as (
    update public.uploads u set state = 'expired', content = null, text = null
    where u.state in ('quarantined', 'checking', 'ok') and u.expires_at <= lanekeeper.now()
    returning 1)
  select count(*) from gone
$$;

grant create on schema lanekeeper to lanekeeper_dispatch;
alter function lanekeeper.sweep_uploads() owner to lanekeeper_dispatch;
revoke all on function lanekeeper.sweep_uploads() from public;
grant execute on function lanekeeper.sweep_uploads() to lanekeeper_maintenance;
revoke create on schema lanekeeper from lanekeeper_dispatch;
