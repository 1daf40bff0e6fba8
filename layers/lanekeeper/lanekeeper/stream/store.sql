-- The stream's statements. All run in the name of the person who listens.

-- A stock client calls a conversation by an id of its own, kept as the conversation's alias. A named turn that was
-- folded into another one has no row any more: its message says which turn it joined. Without a name it is the
-- oldest turn that is not over, and a turn whose reply is still to be delivered is not over.
-- name: find
select c.id as conversation_id,
  case when %(turn_id)s::text is not null then coalesce(
    (select t.id from turns t where t.id = %(turn_id)s and t.conversation_id = c.id),
    (select i.turn_id from inbox i where i.accepted_turn_id = %(turn_id)s and i.conversation_id = c.id))
  else
    (select t.id from turns t
     where t.conversation_id = c.id
       and (t.state in ('queued', 'running') or exists (select from outbox o where o.turn_id = t.id and o.state = 'new'))
     order by t.accepted_at, t.id limit 1)
  end as turn_id
from conversations c
where c.id = %(conversation_id)s or (c.user_id = %(user_id)s and c.alias = %(conversation_id)s)
order by c.id <> %(conversation_id)s limit 1

-- name: glance
select t.id as turn_id, t.state,
  exists (select from outbox o where o.user_id = %(user_id)s and o.turn_id = t.id and o.state = 'new') as undelivered,
  last.seq as last_seq, last.type as last_type,
  (select count(*) from stream_sessions s
   where s.user_id = %(user_id)s and (s.opened_at, s.id) > (%(opened_at)s, %(session_id)s)
     and s.seen_at > lanekeeper.now() - make_interval(secs => %(silent_s)s)) as newer_streams,
  t.state = 'queued' and exists (
    select from inbox i where i.accepted_turn_id = t.id and i.state = 'waiting') as waits_for_room
from turns t
left join lateral (
  select seq, chunk ->> 'type' as type from reply_chunks where turn_id = t.id order by seq desc limit 1
) last on true
where t.id in (%(turn_id)s, (select i.turn_id from inbox i where i.accepted_turn_id = %(turn_id)s))
order by t.id <> %(turn_id)s limit 1

-- The language that a conversation was last held in, as [its code, how sure that was].
-- name: language
select v.scores -> 'language' as language from turns t
join turns earlier on earlier.conversation_id = t.conversation_id
join verdicts v on v.turn_id = earlier.id
where t.id = %(turn_id)s and v.scores ? 'language'
order by earlier.accepted_at desc limit 1

-- A chunk goes out as the text that it is, so nobody parses it.
-- name: chunks
select seq, chunk::text as chunk from reply_chunks where turn_id = %(turn_id)s and seq > %(after)s order by seq limit %(most)s

-- name: transcript
select t.reply_id, t.state, c.id as conversation_id, c.title, m.parts, m.metadata
from turns t
join conversations c on c.id = t.conversation_id
left join messages m on m.user_id = t.user_id and m.id = t.reply_id
where t.id = %(turn_id)s

-- name: forget_sessions
select lanekeeper.forget_streams(make_interval(secs => %(forgotten_s)s))

-- name: keep_session
insert into stream_sessions (user_id, id, opened_at, seen_at)
values (%(user_id)s, %(session_id)s, coalesce(%(opened_at)s, lanekeeper.now()), lanekeeper.now())
on conflict (user_id, id) do update set seen_at = excluded.seen_at
returning opened_at, lanekeeper.open_streams(make_interval(secs => %(silent_s)s), %(at_most)s) as open_streams

-- name: close_session
delete from stream_sessions where user_id = %(user_id)s and id = %(session_id)s
