-- Acceptance and stopping. All run in the name of the person.

-- Three statements. A worker that was frozen while it took up a turn may hold the lane's row for a while: then the
-- acceptance is refused in time to be sent again, rather than left hanging. The second takes the person's place in the
-- line, by a lock that a worker's fence does not stand in the way of: until the transaction ends no other message of
-- theirs is numbered, so their inbox ids commit in the order in which they were given. It writes nothing when nothing
-- is new. The third has a snapshot of its own and so sees a repeat that committed while that one waited.
-- A row that comes back was there before (repeated) or has just been written; no row means that there is no such
-- conversation. said_before names the conversation of a message that had this id already.
-- A zone that nobody has told is '': the turn then says so rather than take the person to be in UTC.
-- name: accept
select set_config('lock_timeout', %(lane_wait)s, true);

with person as (
  insert into users (id, name, timezone) values (%(user_id)s, %(name)s, coalesce(%(timezone)s, %(home)s))
  on conflict (id) do update
  set name = coalesce(excluded.name, users.name),
      timezone = coalesce(%(timezone)s, nullif(users.timezone, ''), %(home)s)
  where users.name is distinct from coalesce(excluded.name, users.name)
     or users.timezone is distinct from coalesce(%(timezone)s, nullif(users.timezone, ''), %(home)s)
)
insert into lanes (user_id) values (%(user_id)s)
on conflict (user_id) do update set epoch = lanes.epoch where false;

with earlier as materialized (
  select conversation_id, message_id, accepted_turn_id, state, body_hash from inbox
  where user_id = %(user_id)s and idempotency_key = %(key)s
), spent as materialized (
  select idempotency_key from spent_keys where user_id = %(user_id)s and idempotency_key = %(key)s
), known as materialized (
  select id, agent_id, fill_tokens from conversations
  where user_id = %(user_id)s and (id = %(conversation)s or alias = %(conversation)s)
  order by id = %(conversation)s desc
  limit 1
), begun as (
  insert into conversations (id, user_id, alias, title, agent_id, model_id)
  select %(new_conversation_id)s, %(user_id)s, %(conversation)s, %(title)s, %(first_agent_id)s, %(model_id)s
  where %(may_begin)s and not exists (select from known) and not exists (select from earlier)
    and not exists (select from spent)
  returning id, agent_id, fill_tokens
), target as (
  -- A message that the conversation has no room for waits for a summary, and so does what comes after it.
  select id, coalesce(%(agent_id)s, agent_id) as agent_id,
    case when fill_tokens > 0 and %(kind)s <> 'control' and (fill_tokens + %(tokens)s > %(ceiling)s or exists (
        select from inbox w where w.user_id = %(user_id)s and w.conversation_id = one.id and w.state = 'waiting'))
      then 'waiting' else 'new' end as state
  from (select * from known union all select * from begun) one
  where not exists (select from earlier) and not exists (select from spent)
), turn as (
  insert into turns (id, user_id, conversation_id, agent_id, model_id, reply_id)
  select %(turn_id)s, %(user_id)s, id, agent_id, %(model_id)s, %(reply_id)s from target
), said as (
  insert into messages (user_id, id, conversation_id, turn_id, role, parts)
  select %(user_id)s, %(message_id)s, id, %(turn_id)s, 'user', %(parts)s from target
  on conflict (user_id, id) do nothing
  returning id
), added as (
  insert into inbox (user_id, conversation_id, turn_id, accepted_turn_id, message_id, idempotency_key, body_hash,
                     agent_id, model_id, payload, kind, state, tokens)
  select %(user_id)s, id, %(turn_id)s, %(turn_id)s, coalesce((select id from said), %(again_id)s), %(key)s,
         %(fingerprint)s, agent_id, %(model_id)s, %(payload)s, %(kind)s, state, %(tokens)s
  from target
  returning conversation_id, message_id, accepted_turn_id, state, body_hash
), armed as (
  update lanes set ready_at = lanekeeper.now()
  where user_id = %(user_id)s and ready_at is null and exists (select from added where state = 'new')
), timed as (
  insert into timers (kind, key, user_id, conversation_id, run_at)
  select 'compaction', conversation_id, %(user_id)s, conversation_id, lanekeeper.now() from added where state = 'waiting'
  on conflict (kind, key) do update set run_at = least(timers.run_at, excluded.run_at), moves = timers.moves + 1
), touched as (
  update conversations c set updated_at = lanekeeper.now(), model_id = coalesce(%(model_id)s, c.model_id)
  from known k
  where c.id = k.id and exists (select from added)
)
select *, true as repeated, null as said_before from earlier
union all
select *, false, (
  select m.conversation_id from messages m
  where m.user_id = %(user_id)s and m.id = %(message_id)s and not exists (select from said)
) from added
union all
select null, null, null, 'gone', null, true, null from spent

-- name: knows
select exists (select from inbox where user_id = %(user_id)s and idempotency_key = %(key)s) as known

-- How often another answer to a message was asked for without saying which answer it is to replace, and given.
-- name: answers_again
select count(*) as given from inbox
where user_id = %(user_id)s and starts_with(idempotency_key, %(key)s || ' again ') and state in ('done', 'failed')

-- name: lock_lane
select set_config('lock_timeout', %(lane_wait)s, true);

select 1 from lanes where user_id = %(user_id)s for no key update

-- The turn that answers in this conversation now, or else those that wait to.
-- name: unfinished_turns
select t.id, t.state, t.conversation_id from turns t
where t.user_id = %(user_id)s and t.state in ('queued', 'running') and t.conversation_id = (
  select id from conversations c
  where c.user_id = %(user_id)s and (c.id = %(conversation)s or c.alias = %(conversation)s)
  order by c.id = %(conversation)s desc
  limit 1)
order by t.state = 'running' desc, t.accepted_at, t.id

-- name: conversation_exists
select 1 from conversations
where user_id = %(user_id)s and (id = %(conversation)s or alias = %(conversation)s)

-- name: ask_to_stop
update lanes set stop_turn_id = %(turn_id)s where user_id = %(user_id)s

-- Nobody has begun these turns: they end here, their messages keep their place in the conversation.
-- name: end_queued_turns
with ended as (
  update turns set state = 'stopped', finished_at = lanekeeper.now()
  where id = any(%(turn_ids)s) and user_id = %(user_id)s and state = 'queued'
  returning id, conversation_id
), rows as (
  update inbox i set state = 'done' from ended
  where i.turn_id = ended.id and i.user_id = %(user_id)s and i.state in ('new', 'waiting')
  returning i.id, i.message_id, i.conversation_id
), placed as (
  select r.message_id, row_number() over (order by r.id) + coalesce(
    (select max(position) from messages where conversation_id = r.conversation_id), 0) as position
  from rows r
)
update messages m set position = placed.position from placed
where m.user_id = %(user_id)s and m.id = placed.message_id and m.position is null
