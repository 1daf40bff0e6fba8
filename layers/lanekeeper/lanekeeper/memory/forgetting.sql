-- Forgetting. All run in the name of the person, in one transaction that begins with alone.

-- Nothing of the person's lane is written meanwhile, and no note either: first the lane's row, then the notes' lock.
-- name: alone
select 1 from lanes where user_id = %(user_id)s for update

-- name: lock_notes
select pg_advisory_xact_lock(hashtext('lanekeeper.notes'), lanekeeper.lane_key(%(user_id)s))

-- The notes that stand about a subject, or are named by their ids, and those whose place they took. A note that was
-- replaced can be named too: its person still sees it in their export.
-- name: chain
with recursive chain as (
  select id, subject, body, source_message_id, replaced_by is null as stands from notes
  where user_id = %(user_id)s and (replaced_by is null and subject = %(subject)s or id = any(%(note_ids)s::text[]))
  union
  select n.id, n.subject, n.body, n.source_message_id, false from notes n join chain c on n.replaced_by = c.id
  where n.user_id = %(user_id)s
)
select c.*, m.parts from chain c join messages m on m.user_id = %(user_id)s and m.id = c.source_message_id

-- Among which others may say the same under another subject.
-- name: newest
select id, subject, body from notes where user_id = %(user_id)s and replaced_by is null
order by saved_at desc, id desc
limit %(limit)s

-- name: called
select u.name, p.name as chosen_name from users u left join profiles p on p.user_id = u.id where u.id = %(user_id)s

-- What the person wrote, as a model is sent it or a note writer has still to read it.
-- name: said
select t.message -> 'content' as content from thread_messages t
where t.conversation_id = any(%(conversation_ids)s) and t.user_id = %(user_id)s and t.message ->> 'type' = 'human'
union all
select m.parts from messages m
where m.conversation_id = any(%(conversation_ids)s) and m.user_id = %(user_id)s and m.role = 'user' and not m.forgotten
  and (m.position is null or m.position > coalesce(
    (select p.position from note_progress p where p.conversation_id = m.conversation_id), 0))

-- name: remove
delete from notes where user_id = %(user_id)s and id = any(%(note_ids)s)

-- name: bury
insert into tombstones (id, user_id, subject, digests, together)
select t.id, %(user_id)s, t.subject, t.digests, t.together
from jsonb_to_recordset(%(tombstones)s) as t (id text, subject text, digests text[], together text[])
on conflict (id) do nothing

-- name: tombstones
select t.subject, t.digests, t.together from tombstones t
where t.user_id = %(user_id)s
  and (t.subject = %(subject)s or t.digests && %(spelled)s::text[] or t.together && %(stems)s::text[])
  and t.forgotten_at >= (select m.created_at from messages m where m.user_id = %(user_id)s and m.id = %(message_id)s)

-- name: count_forgetting
update users set forgets = forgets + 1 where id = %(user_id)s

-- name: drop_late
delete from late_recalls where user_id = %(user_id)s and note_ids && %(note_ids)s::text[]

-- name: drop_requests
delete from model_requests where user_id = %(user_id)s
