-- The statements of the tick and the night.

-- name: lapsed_lanes
select user_id, epoch, holder from lanekeeper.lapsed_lanes(make_interval(secs => %(lease_s)s))

-- name: end_connections
select lanekeeper.end_connections(%(holder)s) as ended

-- Waits for what the holder is writing at this moment: the fence's lock and this one exclude each other.
-- name: lock_lane
select 1 from lanes where user_id = %(user_id)s and epoch = %(epoch)s for update

-- The lane is taken from whoever held it: the epoch moves on, so nothing that one still sends is accepted.
-- name: revoke_lane
update lanes
set holder = null, lease_until = null, turn_id = null, epoch = epoch + 1, ready_at = lanekeeper.now()
where user_id = %(user_id)s and epoch = %(epoch)s
  and (lease_until < lanekeeper.now() or lease_until > lanekeeper.now() + 2 * make_interval(secs => %(lease_s)s))

-- name: people_to_wake
select user_id from lanekeeper.undelivered(make_interval(secs => %(older_s)s))
union
select user_id from lanekeeper.stray_lanes()

-- name: arm_lane
update lanes set ready_at = coalesce(ready_at, lanekeeper.now()) where user_id = %(user_id)s and holder is null

-- name: waiting_lanes
select lanekeeper.waiting_lanes(make_interval(secs => %(older_s)s)) as waiting

-- name: check_spend
select spent, people_over, newly_over from lanekeeper.check_spend(%(day_micros)s, %(person_micros)s)

-- name: sweep_verdicts
select lanekeeper.sweep_verdicts(make_interval(secs => %(seconds)s)) as swept

-- name: sweep_traces
select lanekeeper.sweep_traces(make_interval(secs => %(seconds)s)) as swept

-- name: sweep_chunks
select lanekeeper.sweep_chunks(make_interval(secs => %(seconds)s)) as swept

-- name: sweep_keys
select lanekeeper.sweep_keys(make_interval(secs => %(seconds)s)) as swept

-- name: sweep_requests
select lanekeeper.sweep_requests(make_interval(secs => %(seconds)s)) as swept

-- name: sweep_uploads
select lanekeeper.sweep_uploads() as swept

-- Whether a conversation is still too long, or something waits for room in it; no row when it is gone.
-- name: is_too_long
select c.fill_tokens > %(most)s or exists (
  select from inbox i where i.user_id = c.user_id and i.conversation_id = c.id and i.state = 'waiting') as too_long
from conversations c where c.id = %(conversation_id)s and c.user_id = %(user_id)s

-- name: stray_waiting
select user_id, conversation_id from lanekeeper.stray_waiting()

-- name: sweep_notes
select lanekeeper.sweep_notes() as swept
