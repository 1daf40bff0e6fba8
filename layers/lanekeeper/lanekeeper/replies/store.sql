-- Reply chunks, the outbox and the transcript.

-- name: chunks
select seq, chunk from reply_chunks where turn_id = %(turn_id)s order by seq

-- A repeat of the same chunks changes nothing.
-- name: append_chunks
insert into reply_chunks (turn_id, user_id, seq, chunk)
select %(turn_id)s, %(user_id)s, %(first)s::int + ordinality::int - 1, chunk
from jsonb_array_elements(%(chunks)s) with ordinality as new (chunk, ordinality)
on conflict (turn_id, seq) do nothing

-- name: ring
select pg_notify('reply', %(bell)s)

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
