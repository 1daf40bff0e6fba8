-- Verdicts and the rows of controls. Each statement bears being repeated: the second time changes nothing.

-- name: keep_verdicts
insert into verdicts (turn_id, user_id, asked_at, source, scores, took_ms)
values (%(turn_id)s, %(user_id)s, lanekeeper.now(), %(source)s, %(scores)s, %(took_ms)s)
on conflict (turn_id) do update
set source = excluded.source, scores = excluded.scores, took_ms = excluded.took_ms

-- name: kept_verdicts
select source, scores, took_ms from verdicts where turn_id = %(turn_id)s and user_id = %(user_id)s

-- Of the last turns of the two conversations that were used last, the newest first.
-- name: last_verdicts
select v.source, v.scores, v.took_ms
from (select id from conversations where user_id = %(user_id)s order by updated_at desc, id desc limit 2) c
cross join lateral (select t.id from turns t where t.conversation_id = c.id order by t.accepted_at desc limit 5) t
join verdicts v on v.turn_id = t.id
where v.user_id = %(user_id)s
order by v.asked_at desc

-- What was sent before the question was asked cannot be the answer to it.
-- name: pending_control
select control from control_confirms
where conversation_id = %(conversation_id)s and user_id = %(user_id)s
  and state = 'asked' and expires_at > lanekeeper.now()
  and asked_at <= (select accepted_at from turns where id = %(turn_id)s and user_id = %(user_id)s)

-- name: ask_about_control
insert into control_confirms (conversation_id, user_id, control, asked_turn_id, asked_at, expires_at)
values (%(conversation_id)s, %(user_id)s, %(control)s, %(turn_id)s, lanekeeper.now(),
        lanekeeper.now() + make_interval(secs => %(confirm_s)s))
on conflict (conversation_id) do update
set control = excluded.control, state = 'asked', asked_turn_id = excluded.asked_turn_id, asked_at = excluded.asked_at,
    expires_at = excluded.expires_at
where control_confirms.asked_turn_id <> excluded.asked_turn_id

-- name: confirm_control
update control_confirms set state = 'confirmed'
where conversation_id = %(conversation_id)s and user_id = %(user_id)s and control = %(control)s and state = 'asked'

-- The note writer passes over what is marked so.
-- name: keep_from_memory
update messages set forgotten = true
where user_id = %(user_id)s and id = any(%(message_ids)s::text[]) and role = 'user' and not forgotten

-- name: open_staff_item
insert into staff_items (id, user_id, conversation_id, turn_id, kind, summary, opened_at)
values (%(id)s, %(user_id)s, %(conversation_id)s, %(turn_id)s, %(kind)s, %(summary)s, lanekeeper.now())
on conflict (conversation_id, kind) where state <> 'closed' do nothing

-- name: withdraw_consent
insert into consents (user_id, topic, given, changed_at, turn_id)
values (%(user_id)s, 'proactive', false, lanekeeper.now(), %(turn_id)s)
on conflict (user_id, topic) do update
set given = false, changed_at = excluded.changed_at, turn_id = excluded.turn_id
where consents.given

-- name: request_deletion
insert into deletion_jobs (id, user_id, subject_hash, requested_at)
values (%(id)s, %(user_id)s, %(subject_hash)s, lanekeeper.now())
on conflict (subject_hash) where state <> 'done' do nothing
