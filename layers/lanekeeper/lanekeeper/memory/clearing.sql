-- What a later request is made from. All run in the name of the person.

-- name: summaries
select conversation_id, body from summaries where user_id = %(user_id)s

-- name: shorten
update summaries set body = %(body)s, version = version + 1
where user_id = %(user_id)s and conversation_id = %(conversation_id)s

-- name: conversations
select id from conversations where user_id = %(user_id)s and id > %(after)s order by id limit %(limit)s

-- name: threads
select conversation_id, position, message from thread_messages
where conversation_id = any(%(conversation_ids)s) and user_id = %(user_id)s

-- What was read of an upload, and what it is called.
-- name: upload
select concat_ws(E'\n', name, text) as told from uploads where user_id = %(user_id)s and id = %(id)s

-- name: mask
update thread_messages t set message = m.message
from jsonb_to_recordset(%(rows)s) as m (conversation_id text, position int, message jsonb)
where t.conversation_id = any(%(conversation_ids)s)
  and t.conversation_id = m.conversation_id and t.position = m.position and t.user_id = %(user_id)s

-- What the note writer has not read yet, as far as it may.
-- name: unread
select m.id, m.parts from messages m
where m.conversation_id = any(%(conversation_ids)s) and m.user_id = %(user_id)s and not m.forgotten
  and (m.position is null or m.position > coalesce(
    (select p.position from note_progress p where p.conversation_id = m.conversation_id), 0))

-- name: keep_from_writer
update messages set forgotten = true where user_id = %(user_id)s and id = any(%(message_ids)s) and not forgotten

-- Long enough ago that a model may have been asked before, and answered since.
-- name: stones_since
select digests, together from tombstones where user_id = %(user_id)s and forgotten_at >= %(since)s

-- name: of_turn
select conversation_id, position, message from thread_messages
where turn_id = %(turn_id)s and user_id = %(user_id)s and message ->> 'type' <> 'human'
  and conversation_id = (select conversation_id from turns where id = %(turn_id)s and user_id = %(user_id)s)

-- name: reply
select idempotency_key, data -> 'parts' as parts from outbox
where user_id = %(user_id)s and turn_id = %(turn_id)s and state = 'new'

-- name: keep_reply_from_writer
update outbox set data = data || '{"forgotten": true}'
where user_id = %(user_id)s and idempotency_key = any(%(keys)s)
