-- The road a message takes: accepted into the inbox, claimed through its person's lane, answered by a turn,
-- spoken as reply chunks, kept in the transcript. Every table that holds anything of a person has user_id.

create table users (
  id text primary key,
  name text,
  timezone text not null default 'UTC',
  created_at timestamptz not null default lanekeeper.now()
);

create table conversations (
  id text primary key,
  user_id text not null references users on delete cascade,
  alias text,
  title text not null default '',
  agent_id text not null,
  model_id text,
  held_by text,
  created_at timestamptz not null default lanekeeper.now(),
  updated_at timestamptz not null default lanekeeper.now(),
  unique (user_id, alias)
);
create index conversations_recent on conversations (user_id, updated_at desc, id desc);

-- One row a person: the only thing two workers ever compete for.
-- ready_at: since when a message waits, null when none does; it stands while the lane is held, so that one small index
-- finds the lanes that wait and those that are held, and a sign of life touches no index. epoch: counts the holders; a write that names
-- an old epoch is refused. holder: the application name of all connections of the worker that holds the lane.
create table lanes (
  user_id text primary key references users on delete cascade,
  ready_at timestamptz,
  holder text,
  epoch bigint not null default 0,
  lease_until timestamptz,
  turn_id text,
  stop_turn_id text
) with (fillfactor = 60);
create index lanes_ready on lanes (ready_at) where ready_at is not null;

create table turns (
  id text primary key,
  user_id text not null,
  conversation_id text not null references conversations on delete cascade,
  agent_id text not null,
  reply_id text not null,
  accepted_at timestamptz not null default lanekeeper.now(),
  model_id text,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'stopped')),
  attempt int not null default 0,
  prompt_version text,
  prompt_hash text,
  started_at timestamptz,
  first_reply_at timestamptz,
  finished_at timestamptz,
  timings jsonb not null default '{}',
  usage jsonb not null default '{}',
  failure text
) with (fillfactor = 70);
create index turns_of_conversation on turns (conversation_id, accepted_at);

-- accepted_turn_id is the turn the answer to POST /chat named; turn_id is the turn that answers the message,
-- another one once the message was folded into it. A row changes its state twice and all its indexes with it, so it has
-- no more of them than are asked: id gives the order of a person's open rows and has no index of its own. What changes
-- stands last, here and in turns: Postgres logs a changed row from its first changed byte on.
create table inbox (
  id bigint generated always as identity,
  user_id text not null,
  conversation_id text not null references conversations on delete cascade,
  kind text not null default 'text' check (kind in ('text', 'button', 'control', 'upload')),
  accepted_turn_id text not null unique,
  message_id text not null,
  idempotency_key text not null,
  body_hash text not null,
  agent_id text not null,
  model_id text,
  payload jsonb not null default '{}',
  created_at timestamptz not null default lanekeeper.now(),
  turn_id text not null,
  state text not null default 'new' check (state in ('new', 'running', 'waiting', 'held', 'folded', 'done', 'failed')),
  primary key (user_id, idempotency_key)
) with (fillfactor = 70);
create index inbox_open on inbox (user_id, id) where state in ('new', 'running');

-- Keys of messages whose conversation was deleted, kept for as long as a repeat may come.
create table spent_keys (
  user_id text not null references users on delete cascade,
  idempotency_key text not null,
  spent_at timestamptz not null default lanekeeper.now(),
  primary key (user_id, idempotency_key)
);

-- What the person sees. position is the message's place in its conversation, given when a turn takes it up:
-- a message that still waits has none and stands last.
create table messages (
  user_id text not null,
  id text not null,
  conversation_id text not null references conversations on delete cascade,
  turn_id text,
  role text not null check (role in ('user', 'assistant', 'staff')),
  parts jsonb not null,
  metadata jsonb not null default '{}',
  position int,
  created_at timestamptz not null default lanekeeper.now(),
  primary key (user_id, id)
) with (fillfactor = 80);
create index messages_history on messages (conversation_id, position);

create table reply_chunks (
  turn_id text not null references turns on delete cascade,
  user_id text not null,
  seq int not null,
  chunk jsonb not null,
  created_at timestamptz not null default lanekeeper.now(),
  primary key (turn_id, seq)
);

-- As with the inbox, id has no index of its own.
create table outbox (
  id bigint generated always as identity,
  user_id text not null,
  conversation_id text not null references conversations on delete cascade,
  turn_id text,
  idempotency_key text primary key,
  intent text not null,
  data jsonb not null,
  state text not null default 'new' check (state in ('new', 'sent', 'dropped')),
  created_at timestamptz not null default lanekeeper.now(),
  sent_at timestamptz
) with (fillfactor = 70);
create index outbox_of_person on outbox (user_id, id) where state = 'new';

-- What the model sees: the graph's state, one row a message, written once. So a turn costs the same at any length
-- of history.
create table thread_messages (
  conversation_id text not null references conversations on delete cascade,
  position int not null,
  user_id text not null,
  message_id text not null,
  turn_id text,
  message jsonb not null,
  primary key (conversation_id, position)
);

create table costs (
  id bigint generated always as identity primary key,
  user_id text not null,
  turn_id text,
  call_id text not null unique,
  feature text not null,
  model text not null,
  micros bigint not null default 0,
  status text not null check (status in ('exact', 'estimated', 'failed')),
  input_tokens int not null default 0,
  cached_tokens int not null default 0,
  output_tokens int not null default 0,
  created_at timestamptz not null default lanekeeper.now()
) with (fillfactor = 85);
create index costs_of_person on costs (user_id, created_at);

create table limit_hits (
  id bigint generated always as identity primary key,
  user_id text not null,
  turn_id text,
  kind text not null,
  at timestamptz not null default lanekeeper.now()
);

-- The exact request sent to a model, for a sample of turns (all of them in dev, none in production).
create table model_requests (
  id bigint generated always as identity primary key,
  user_id text not null,
  turn_id text,
  body jsonb not null,
  at timestamptz not null default lanekeeper.now()
);

create table settings (
  key text primary key,
  value jsonb not null,
  changed_by text not null,
  changed_at timestamptz not null default lanekeeper.now()
);

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default lanekeeper.now(),
  actor text not null,
  action text not null,
  detail jsonb not null default '{}'
);
