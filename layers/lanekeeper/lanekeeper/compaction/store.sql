-- A conversation as it is to be summarised, and a summary put in the place of its messages. All in the person's name.

-- All of it in one statement: what was forgotten meanwhile shows as another count of forgets.
-- name: history
select c.agent_id, c.model_id, coalesce(p.name, u.name) as name, p.home_city, p.plan_tier, p.budget_amount, p.budget_currency,
       u.forgets, coalesce(s.version, 0) as version, s.body as summary,
       (select t.model_id from turns t where t.conversation_id = c.id and t.finished_at is not null
        order by t.accepted_at desc limit 1) as last_model_id,
       (select i.payload -> 'roles' from inbox i where i.user_id = %(user_id)s and i.conversation_id = c.id
        order by i.id desc limit 1) as roles,
       array(select t.id from turns t where t.conversation_id = c.id and t.state = 'running') as running,
       (select coalesce(jsonb_agg(jsonb_build_array(
          m.position, m.turn_id, m.message || jsonb_build_object('id', m.message_id)) order by m.position), '[]')
        from thread_messages m where m.conversation_id = c.id) as messages
from conversations c
join users u on u.id = c.user_id
left join profiles p on p.user_id = u.id
left join summaries s on s.conversation_id = c.id
where c.id = %(conversation_id)s and c.user_id = %(user_id)s

-- name: forgets
select u.forgets from conversations c join users u on u.id = c.user_id
where c.id = %(conversation_id)s and c.user_id = %(user_id)s

-- Waits for what a worker writes at this moment: its fence and this lock exclude each other. So between two steps of a
-- running turn, which goes on with what it has read; what it adds stands behind all that is covered.
-- name: lock_lane
select 1 from lanes where user_id = %(user_id)s for update

-- Nothing where the conversation is gone, or something was summarised or forgotten since it was read. Exactly the covered
-- rows go, and those that are gone already are no error. What providers counted for the answers that stay goes too: it
-- was counted with all that came before them.
-- name: publish
with current as materialized (
  select c.id from conversations c
  where c.id = %(conversation_id)s and c.user_id = %(user_id)s
    and %(version)s = coalesce((select s.version from summaries s where s.conversation_id = c.id), 0)
    and %(forgets)s = (select u.forgets from users u where u.id = c.user_id)
  for no key update
), gone as (
  delete from thread_messages m using current
  where m.conversation_id = current.id and m.message_id = any(%(message_ids)s::text[]) and m.position <= %(covers_until)s
  returning 1
), uncounted as (
  update thread_messages m set message = m.message #- '{extra,usage}' from current
  where m.conversation_id = current.id and m.position > %(covers_until)s and m.message #> '{extra,usage}' is not null
), kept as (
  insert into summaries as s (conversation_id, user_id, body, covers_until)
  select id, %(user_id)s, %(body)s, %(covers_until)s from current
  on conflict (conversation_id) do update
  set body = excluded.body, covers_until = greatest(s.covers_until, excluded.covers_until), version = s.version + 1,
      made_at = lanekeeper.now()
)
select count(*) as current, (select count(*) from gone) as gone from current

-- A worker passes over a lane whose row is locked, and so it may have come for a message and gone away again: whoever
-- locked it wakes another where one waits.
-- name: release
with freed as (
  update inbox set state = 'new'
  where user_id = %(user_id)s and conversation_id = %(conversation_id)s and state = 'waiting'
  returning 1
), emptied as (
  update conversations set fill_tokens = 0
  where id = %(conversation_id)s and user_id = %(user_id)s and fill_tokens <> 0
), armed as (
  update lanes set ready_at = coalesce(ready_at, lanekeeper.now())
  where user_id = %(user_id)s and exists (select from freed)
)
select (select count(*) from freed) as freed,
       exists (select from freed) or exists (
         select from lanes l where l.user_id = %(user_id)s and l.ready_at is not null and l.holder is null) as waits
