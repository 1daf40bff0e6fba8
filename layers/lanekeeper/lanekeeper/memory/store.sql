-- Notes. One writer of a person's notes at a time: every save begins with lock_notes, in the same transaction.

-- name: lock_notes
select pg_advisory_xact_lock(hashtext('lanekeeper.notes'), lanekeeper.lane_key(%(user_id)s))

-- What stands about a subject, newest first, and what else was noted of the same message.
-- name: rivals
select n.id, n.subject, n.body, n.source, m.created_at > asked.created_at as said_later
from notes n
join messages m on m.user_id = n.user_id and m.id = n.source_message_id
join messages asked on asked.user_id = n.user_id and asked.id = %(source_message_id)s
where n.user_id = %(user_id)s and n.replaced_by is null
  and (n.subject = %(subject)s or n.source_message_id = %(source_message_id)s)
  and (n.expires_at is null or n.expires_at > lanekeeper.now())
order by n.saved_at desc, n.id desc

-- name: save_note
insert into notes (id, user_id, kind, subject, body, source, source_message_id, language, saved_at, expires_at, replaces)
select %(id)s, m.user_id, %(kind)s, %(subject)s, %(body)s, %(source)s, m.id, %(language)s, s.now,
       s.now + make_interval(days => nullif(%(kept_days)s::int, 0)), %(replaces)s
from messages m, lanekeeper.now() s (now)
where m.user_id = %(user_id)s and m.id = %(source_message_id)s and m.role = 'user'

-- name: replace_notes
update notes set replaced_by = %(id)s
where user_id = %(user_id)s and subject = %(subject)s and replaced_by is null and id <> %(id)s
  and exists (select from notes n where n.user_id = %(user_id)s and n.id = %(id)s)

-- name: recall
select id, kind, subject, body, source, source_message_id, saved_at, score, share
from lanekeeper.recall(%(message)s, %(languages)s, %(aliases)s, %(at_most)s, %(matches)s)

-- What the person wrote since a note writer last read, and what was said between, oldest first. The line before it comes
-- along when it is not the person's: it may be what they answer to. Their language is what the classifier took it for.
-- name: unread
with reader as materialized (
  select u.id, u.timezone, u.forgets, coalesce(p.position, 0) as read_to,
         array(select n.subject from notes n where n.user_id = u.id and n.replaced_by is null and n.subject <> ''
               and (n.expires_at is null or n.expires_at > lanekeeper.now())
               order by n.saved_at desc, n.id desc limit %(subjects)s) as subjects
  from users u left join note_progress p on p.conversation_id = %(conversation_id)s
  where u.id = %(user_id)s
)
select m.id, m.role, m.parts, m.position, m.created_at, m.forgotten, r.timezone, r.read_to, r.forgets, r.subjects,
       case when (v.scores #>> '{language,1}')::float8 >= 0.5 then v.scores #>> '{language,0}' end as language
from reader r
join messages m on m.user_id = r.id and m.conversation_id = %(conversation_id)s
  and m.position >= r.read_to and (m.position > r.read_to or m.role <> 'user')
  and (%(until)s::int is null or m.position <= %(until)s::int)
left join verdicts v on v.turn_id = m.turn_id and v.user_id = m.user_id and m.role = 'user'
where exists (
  select from messages o where o.user_id = r.id and o.conversation_id = %(conversation_id)s and o.role = 'user'
    and o.position > r.read_to and (%(until)s::int is null or o.position <= %(until)s::int))
order by m.position
limit %(messages)s

-- Whoever has something forgotten and whoever keeps notes of what was said before exclude each other here.
-- name: hold_lane
select 1 from lanes where user_id = %(user_id)s for share

-- Nothing when another writer was here first, or the conversation is gone.
-- name: move_progress
insert into note_progress as p (conversation_id, user_id, position, read_at)
select c.id, c.user_id, %(until)s, lanekeeper.now() from conversations c
where c.id = %(conversation_id)s and c.user_id = %(user_id)s
on conflict (conversation_id) do update
set position = excluded.position, read_at = excluded.read_at, failures = 0
where p.position = %(after)s and p.user_id = excluded.user_id

-- What was forgotten, or acted on by code, since it was read.
-- name: kept_back
select id from messages where user_id = %(user_id)s and id = any(%(message_ids)s::text[]) and forgotten

-- name: count_failure
insert into note_progress as p (conversation_id, user_id, position, failures, read_at)
select c.id, c.user_id, %(after)s, 1, lanekeeper.now() from conversations c
where c.id = %(conversation_id)s and c.user_id = %(user_id)s
on conflict (conversation_id) do update set failures = p.failures + 1
where p.position = %(after)s and p.user_id = excluded.user_id
returning failures

-- name: forgets
select forgets from users where id = %(user_id)s
