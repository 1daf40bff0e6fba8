-- The nightly pass. What crosses people is a function of the migrations; the rest runs in the name of one person.

-- name: enqueue
select lanekeeper.enqueue_nightly(%(open_days)s, make_interval(secs => %(retry_s)s), %(attempts)s) as due

-- name: claim
select night, user_id, tries from lanekeeper.claim_nightly(%(at_most)s, make_interval(secs => %(lease_s)s))

-- name: waiting
select lanekeeper.nightly_waiting() as waiting

-- last: where the conversation ends.
-- name: unread_conversations
select c.id, (select max(m.position) from messages m where m.conversation_id = c.id) as last
from conversations c left join note_progress p on p.conversation_id = c.id
where c.user_id = %(user_id)s and exists (
  select from messages m
  where m.conversation_id = c.id and m.position > coalesce(p.position, 0) and m.role = 'user' and not m.forgotten)
order by c.id

-- name: hold_person
select 1 as held from nightly_people where night = %(night)s and user_id = %(user_id)s for key share

-- name: settle
with settled as (
  update nightly_people
  set state = %(state)s, reason = %(reason)s, settled_at = lanekeeper.now(), claimed_until = null
  where night = %(night)s and user_id = %(user_id)s and state in ('waiting', 'sent')
  returning night, state
)
insert into nightly_runs as r (night, covered, skipped, failed)
select night, (state = 'covered')::int, (state = 'skipped')::int, (state = 'failed')::int from settled
on conflict (night) do update
set covered = r.covered + excluded.covered, skipped = r.skipped + excluded.skipped, failed = r.failed + excluded.failed,
    ran_at = lanekeeper.now()

-- name: wait_again
update nightly_people
set state = 'waiting', tries = tries + %(failures)s, reason = %(reason)s, batch_id = null, claimed_until = null
where night = %(night)s and user_id = %(user_id)s and state in ('waiting', 'sent')

-- name: put_into_batch
update nightly_people set state = 'sent', batch_id = %(batch_id)s, claimed_until = null
where night = %(night)s and user_id = %(user_id)s and state = 'waiting'

-- A night in which nobody wrote has its row as well.
-- name: record_quiet_night
insert into nightly_runs (night) values ((lanekeeper.now() at time zone 'UTC')::date - 1) on conflict do nothing

-- name: begin_run
update nightly_clock c set ran_at = lanekeeper.now() from nightly_clock before
returning extract(epoch from lanekeeper.now() - before.ran_at) as since_s

-- name: begin_sweeps
update nightly_clock set swept_at = lanekeeper.now()
where swept_at is null or swept_at > lanekeeper.now() or swept_at <= lanekeeper.now() - make_interval(secs => %(seconds)s)

-- name: sweep_nights
select lanekeeper.sweep_nights(make_interval(secs => %(seconds)s)) as swept

-- name: sweep_batches
delete from batches where state in ('read', 'lost') and made_at < lanekeeper.now() - make_interval(secs => %(seconds)s)
