-- The rows of a thread.

-- The summary, where there is one, comes first, as a row of its own.
-- name: messages
select position, turn_id, message, null as summary from thread_messages
where conversation_id = %(conversation_id)s
union all
select 0, null, null, body from summaries
where conversation_id = %(conversation_id)s
order by position

-- How often the person had something forgotten: what was read before the last time is out of date.
-- name: forgets
select forgets from users where id = %(user_id)s

-- Positions count on from the last one: only the holder of the lane adds, so nobody else takes them.
-- name: add_messages
insert into thread_messages (conversation_id, position, user_id, message_id, turn_id, message)
select %(conversation_id)s,
       ordinality + coalesce((select max(position) from thread_messages where conversation_id = %(conversation_id)s), 0),
       %(user_id)s, message ->> 'id', %(turn_id)s, message
from jsonb_array_elements(%(messages)s) with ordinality as added (message, ordinality)
