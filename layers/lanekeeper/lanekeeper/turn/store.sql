-- A turn's statements, all in the name of the lane's person.

-- The oldest message that waits or was being answered, and its turn, begun. A file is read before the message that it
-- goes along with, and otherwise when no message waits. Nothing when none waits; a turn without an id
-- when its conversation was deleted a moment ago, or has no room for the message: then waits_in names it.
-- name: start_turn
with said as materialized (
  select id, payload -> 'attachments' as files from inbox
  where user_id = %(user_id)s and state in ('new', 'running') and kind <> 'upload'
  order by id
  limit 1
), head as materialized (
  select id, user_id, kind, state, turn_id, message_id, payload, upload_id, conversation_id,
    state = 'new' and kind in ('text', 'button') and exists (
      select from conversations c
      where c.id = i.conversation_id and c.fill_tokens > 0 and (c.fill_tokens + i.tokens > %(ceiling)s or exists (
        select from inbox w
        where w.user_id = i.user_id and w.conversation_id = i.conversation_id and w.state = 'waiting'))) as too_much
  from inbox i
  where user_id = %(user_id)s and id = coalesce(
    (select min(u.id) from said join inbox u on said.files @> jsonb_build_array(jsonb_build_object('id', u.upload_id))
     where said.files is not null and u.user_id = %(user_id)s and u.state in ('new', 'running') and u.kind = 'upload'),
    (select id from said),
    (select min(u.id) from inbox u
     where u.user_id = %(user_id)s and u.state in ('new', 'running') and u.kind = 'upload'))
), rows as (
  update inbox i set state = 'running' from head
  where head.kind <> 'upload' and not head.too_much and i.id = head.id and i.user_id = head.user_id and i.state = 'new'
), lane as (
  update lanes l set turn_id = head.turn_id from head
  where head.kind <> 'upload' and not head.too_much and l.user_id = head.user_id and l.epoch = %(epoch)s
), begun as (
  update turns t
  set state = 'running', attempt = attempt + 1, started_at = coalesce(started_at, lanekeeper.now())
  from head, conversations c, users u left join profiles p on p.user_id = u.id, lanes l
  where head.kind <> 'upload' and not head.too_much and t.id = head.turn_id and c.id = t.conversation_id and u.id = t.user_id and l.user_id = t.user_id
  returning t.id, t.conversation_id, t.attempt, t.agent_id, t.reply_id,
            coalesce(t.model_id, c.model_id) as model_id, c.title, coalesce(p.name, u.name) as name, u.timezone,
            p.home_city, p.plan_tier, p.budget_amount, p.budget_currency, c.agent_state, c.fill_tokens,
            l.stop_turn_id is not distinct from t.id as stop_wanted, lanekeeper.now() as now,
            extract(epoch from lanekeeper.now() - t.accepted_at) as waited_s
), late as (
  delete from late_recalls r using begun where r.conversation_id = begun.conversation_id and r.user_id = %(user_id)s
  returning r.note_ids, r.found_at
)
select begun.*, head.kind, head.state = 'new' as is_new, head.message_id, head.payload, head.upload_id,
       case when head.too_much then head.conversation_id end as waits_in,
       (select extract(epoch from begun.now - late.found_at) from late) as late_age_s,
       (select jsonb_agg(jsonb_build_object('id', n.id, 'kind', n.kind, 'subject', n.subject, 'body', n.body, 'source', n.source,
          'source_message_id', n.source_message_id, 'saved_at', n.saved_at, 'score', 0, 'share', 1)
          order by array_position(late.note_ids, n.id))
        from late join notes n on n.id = any(late.note_ids)
        where n.user_id = %(user_id)s and n.replaced_by is null and (n.expires_at is null or n.expires_at > begun.now)) as late_notes
from head left join begun on true

-- What was sent meanwhile and may join: text of the same conversation and agent, and nothing that came after the
-- person pressed a button or gave an order, or after a message whose own file is still to be read or that has no room
-- beside what the turn itself is sending: one that waited for a summary is answered by the next turn.
-- name: joinable_rows
select id from inbox i
where user_id = %(user_id)s and state = 'new' and kind = 'text'
  and conversation_id = %(conversation_id)s and agent_id = %(agent_id)s
  and not exists (
    select from inbox c
    where c.user_id = i.user_id and c.state in ('new', 'running') and c.kind not in ('text', 'upload') and c.id < i.id)
  and not exists (
    select from inbox t join inbox u on t.payload -> 'attachments' @> jsonb_build_array(jsonb_build_object('id', u.upload_id))
    where t.user_id = i.user_id and t.state = 'new' and t.kind = 'text' and t.id <= i.id and t.payload ? 'attachments'
      and t.conversation_id = i.conversation_id and t.agent_id = i.agent_id
      and u.user_id = i.user_id and u.state in ('new', 'running') and u.kind = 'upload')
  and not exists (
    select from inbox l
    where l.user_id = i.user_id and l.state = 'new' and l.kind = 'text' and l.id <= i.id
      and l.conversation_id = i.conversation_id and %(fill_tokens)s > 0 and l.tokens + %(fill_tokens)s > %(ceiling)s)
order by id
limit %(limit)s

-- name: fold_rows
update inbox set state = 'folded', turn_id = %(turn_id)s
where user_id = %(user_id)s and id = any(%(inbox_ids)s) and state = 'new'
returning id, accepted_turn_id, message_id, payload

-- name: drop_folded_turns
delete from turns where id = any(%(turn_ids)s) and state = 'queued'

-- A message gets its place in the conversation when a turn takes it up.
-- name: place_messages
update messages m
set turn_id = %(turn_id)s, position = last.position + taken.number
from unnest(%(message_ids)s::text[]) with ordinality as taken (id, number),
     (select coalesce(max(position), 0) as position from messages where conversation_id = %(conversation_id)s) as last
where m.user_id = %(user_id)s and m.id = taken.id and m.position is null

-- What memory found too late for this reply. The next turn of the conversation takes it away with its first statement.
-- name: keep_late_recall
insert into late_recalls (conversation_id, user_id, note_ids, found_at)
values (%(conversation_id)s, %(user_id)s, %(note_ids)s, lanekeeper.now())
on conflict (conversation_id) do update set note_ids = excluded.note_ids, found_at = excluded.found_at

-- A conversation has no room for its next message: that waits for a summary, and so does all that came after it.
-- name: hold_back
update inbox set state = 'waiting'
where user_id = %(user_id)s and conversation_id = %(conversation_id)s and state = 'new' and kind in ('text', 'button')

-- name: note_fill
update conversations set fill_tokens = %(tokens)s
where id = %(conversation_id)s and user_id = %(user_id)s
  and (select body from summaries where conversation_id = %(conversation_id)s) is not distinct from %(summary)s::text

-- name: keep_state
update conversations set agent_state = %(state)s where id = %(conversation_id)s and user_id = %(user_id)s

-- name: end_turn
with rows as (
  update inbox set state = case when %(state)s = 'failed' then 'failed' else 'done' end
  where turn_id = %(turn_id)s and user_id = %(user_id)s and state = 'running'
)
update turns
set state = %(state)s, model_id = %(model_id)s, prompt_version = %(prompt_version)s, prompt_hash = %(prompt_hash)s,
    finished_at = lanekeeper.now(), timings = %(timings)s, usage = %(usage)s, failure = %(failure)s,
    first_reply_at = case when %(first_reply_s)s::float8 is not null
      then accepted_at + make_interval(secs => %(first_reply_s)s::float8) end
where id = %(turn_id)s
returning (select forgets from users u where u.id = turns.user_id) as forgets
