-- What is noted of a person, as they may see it themselves. All run in the name of the person.

-- The notes that stand, the newest first, each with the message it comes from.
-- name: standing
select n.id, n.kind, n.subject, n.body, n.source, n.saved_at, n.expires_at, false as replaced,
       m.id as message_id, m.conversation_id, m.parts, m.created_at
from notes n join messages m on m.user_id = n.user_id and m.id = n.source_message_id
where n.user_id = %(user_id)s and n.replaced_by is null and (n.saved_at, n.id) < (%(at)s, %(id)s)
  and (n.expires_at is null or n.expires_at > lanekeeper.now())
order by n.saved_at desc, n.id desc
limit %(limit)s

-- All that are kept: also those in whose place another came.
-- name: kept
select n.id, n.kind, n.subject, n.body, n.source, n.saved_at, n.expires_at, n.replaced_by is not null as replaced,
       m.id as message_id, m.conversation_id, m.parts, m.created_at
from notes n join messages m on m.user_id = n.user_id and m.id = n.source_message_id
where n.user_id = %(user_id)s and (n.saved_at, n.id) < (%(at)s, %(id)s)
order by n.saved_at desc, n.id desc
limit %(limit)s

-- A worker passes over a lane whose row is locked: whoever locked it wakes another where a message waits.
-- name: waits
select exists (
  select from lanes where user_id = %(user_id)s and ready_at is not null and holder is null) as waits

-- name: wait_for_lane
select set_config('lock_timeout', %(lane_wait)s, true)
