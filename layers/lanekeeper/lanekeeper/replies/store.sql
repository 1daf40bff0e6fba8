-- Reply chunks, the outbox and the transcript.

-- name: chunks
select seq, chunk from reply_chunks where turn_id = %(turn_id)s order by seq

-- One statement: the fence, the rows, the bell. Says whether the person wants the turn to stop.
-- name: append_chunks
with hold as (
  select stop_turn_id from lanes where user_id = %(user_id)s and epoch = %(epoch)s for share
), added as (
  insert into reply_chunks (turn_id, user_id, seq, chunk)
  select %(turn_id)s, %(user_id)s, %(first)s::int + ordinality::int - 1, chunk
  from hold, jsonb_array_elements(%(chunks)s) with ordinality as new (chunk, ordinality)
)
select stop_turn_id, pg_notify('reply', %(bell)s) from hold

-- name: put_in_outbox
insert into outbox (user_id, conversation_id, turn_id, idempotency_key, intent, data)
values (%(user_id)s, %(conversation_id)s, %(turn_id)s, %(idempotency_key)s, %(intent)s, %(data)s)
on conflict (idempotency_key) do nothing

-- name: undelivered
select id, conversation_id, turn_id, data from outbox where state = 'new' and user_id = %(user_id)s order by id

-- name: write_into_transcript
insert into messages (user_id, id, conversation_id, turn_id, role, parts, metadata, position)
select %(user_id)s, %(id)s, %(conversation_id)s, %(turn_id)s, 'assistant', %(parts)s, %(metadata)s,
       coalesce((select max(position) from messages where conversation_id = %(conversation_id)s), 0) + 1
on conflict (user_id, id) do nothing

-- name: mark_sent
update outbox set state = 'sent', sent_at = lanekeeper.now() where id = %(id)s and state = 'new'

-- name: touch_conversation
update conversations set updated_at = lanekeeper.now() where id = %(conversation_id)s
