-- Notes. One writer of a person's notes at a time: every save begins with lock_notes, in the same transaction.

-- name: lock_notes
select pg_advisory_xact_lock(hashtext('lanekeeper.notes'), lanekeeper.lane_key(%(user_id)s))

-- name: rivals
select id, kind, subject, body, source, source_message_id, saved_at from notes
where user_id = %(user_id)s and subject = %(subject)s and replaced_by is null
order by saved_at desc, id desc

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
