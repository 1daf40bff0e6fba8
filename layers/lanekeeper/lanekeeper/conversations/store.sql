-- What a person sees of their conversations. All run in the name of the person.

-- name: page
select id, title, agent_id, model_id, created_at, updated_at from conversations
where user_id = %(user_id)s and (updated_at, id) < (%(at)s, %(id)s)
order by updated_at desc, id desc
limit %(limit)s

-- An id of ours, or the name under which an AI SDK client knows the conversation.
-- name: find
select id from conversations
where user_id = %(user_id)s and (id = %(conversation)s or alias = %(conversation)s)
order by id = %(conversation)s desc
limit 1

-- A title is never null; no model is: each turn chooses one.
-- name: change
update conversations
set title = coalesce(%(title)s, title), model_id = case when %(sets_model)s then %(model_id)s else model_id end
where id = %(id)s and user_id = %(user_id)s
returning id, title, agent_id, model_id, created_at, updated_at

-- The newest messages, or those older than one that still waits for its place. Waiting ones stand last.
-- name: newest_messages
select id, role, parts, metadata, turn_id, position, created_at from messages
where user_id = %(user_id)s and conversation_id = %(id)s
  and (position is not null or (created_at, id) < (%(at)s, %(message_id)s))
order by position desc nulls first, created_at desc, id desc
limit %(limit)s

-- name: older_messages
select id, role, parts, metadata, turn_id, position, created_at from messages
where user_id = %(user_id)s and conversation_id = %(id)s and position <= %(position)s
  and (position < %(position)s or (created_at, id) < (%(at)s, %(message_id)s))
order by position desc nulls first, created_at desc, id desc
limit %(limit)s

-- What people of the staff wrote: it belongs to no turn.
-- name: feed
select id, role, parts, metadata, turn_id, created_at from messages
where user_id = %(user_id)s and conversation_id = %(id)s and role = 'staff'
  and (created_at, id) > (%(at)s, %(message_id)s)
order by created_at, id
limit %(limit)s

-- A running turn is told to stop; it can write nothing more once its conversation is gone.
-- name: delete
select set_config('lock_timeout', %(lane_wait)s, true);

select 1 from lanes where user_id = %(user_id)s for no key update;

update lanes l set stop_turn_id = t.id
from turns t
where l.user_id = %(user_id)s and t.conversation_id = %(id)s and t.user_id = %(user_id)s and t.state = 'running';

-- A repeat of one of its messages that comes late must not bring it back.
insert into spent_keys (user_id, idempotency_key)
select user_id, idempotency_key from inbox where conversation_id = %(id)s and user_id = %(user_id)s
on conflict do nothing;

-- The files that went along with its messages go with them, unless one went along with a message elsewhere as well.
delete from uploads u using messages m, jsonb_array_elements(m.parts) part
where m.conversation_id = %(id)s and m.user_id = %(user_id)s and part ->> 'type' = 'file'
  and u.user_id = m.user_id and u.id = split_part(part ->> 'url', '/', 3)
  and not exists (
    select from messages o
    where o.user_id = %(user_id)s and o.conversation_id <> %(id)s and o.parts @> '[{"type": "file"}]'
      and o.parts @> jsonb_build_array(jsonb_build_object('type', 'file', 'url', part ->> 'url')));

-- So do the exact requests that were kept of its turns: they hold all that was said.
delete from model_requests r using turns t
where t.conversation_id = %(id)s and t.user_id = %(user_id)s and r.turn_id = t.id and r.user_id = t.user_id;

delete from conversations where id = %(id)s and user_id = %(user_id)s
returning id
