-- The rows of a thread.

-- name: messages
select position, turn_id, message from thread_messages
where conversation_id = %(conversation_id)s
order by position

-- name: add_messages
insert into thread_messages (conversation_id, position, user_id, message_id, turn_id, message)
select %(conversation_id)s, %(first)s::int + ordinality::int - 1, %(user_id)s, message ->> 'id', %(turn_id)s, message
from jsonb_array_elements(%(messages)s) with ordinality as added (message, ordinality)

-- name: remove_messages
delete from thread_messages where conversation_id = %(conversation_id)s and message_id = any(%(ids)s)
