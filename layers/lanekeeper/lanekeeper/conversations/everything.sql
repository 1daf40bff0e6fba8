-- All that was ever said with a person, one conversation after another, from any place on.

-- name: conversations
select id, title, agent_id, model_id, created_at, updated_at from conversations
where user_id = %(user_id)s and id >= %(from_id)s
order by id
limit %(limit)s

-- Messages that wait for their place stand last.
-- name: messages
select id, role, parts, metadata, turn_id, created_at, coalesce(position, 2147483647) as place from messages
where user_id = %(user_id)s and conversation_id = %(conversation_id)s
  and (coalesce(position, 2147483647), id) > (%(place)s::int, %(id)s)
order by coalesce(position, 2147483647), id
limit %(limit)s
