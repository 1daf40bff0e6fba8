-- The lane's statements. All but claim_lane run in the name of the lane's person.

-- name: claim_lane
select user_id, epoch from lanekeeper.claim_lane(%(holder)s, make_interval(secs => %(lease_s)s))

-- name: try_lane_lock
select pg_try_advisory_xact_lock(1, lanekeeper.lane_key(%(owner)s)) as locked

-- name: hold_lane
select lanekeeper.hold_lane(%(user_id)s, %(epoch)s) as stop_turn_id

-- name: renew_lease
update lanes set lease_until = lanekeeper.now() + make_interval(secs => %(lease_s)s)
where user_id = %(user_id)s and epoch = %(epoch)s
returning stop_turn_id

-- name: look
select stop_turn_id from lanes where user_id = %(user_id)s and epoch = %(epoch)s

-- Locking the row first makes an acceptance that comes meanwhile wait, so no message slips in between the look
-- at the inbox and the release. A lane with more to do goes to the end of the line: one person's flood delays nobody.
-- name: lock_lane
select 1 from lanes where user_id = %(user_id)s and epoch = %(epoch)s for update

-- name: release_lane
update lanes
set holder = null, lease_until = null, turn_id = null, stop_turn_id = nullif(stop_turn_id, turn_id),
    ready_at = case
      when exists (select from inbox i where i.user_id = %(user_id)s and i.state in ('new', 'running')) then lanekeeper.now()
    end
where user_id = %(user_id)s and epoch = %(epoch)s

-- name: postpone_lane
update lanes set holder = null, lease_until = null, ready_at = lanekeeper.now() + make_interval(secs => %(seconds)s)
where user_id = %(user_id)s and epoch = %(epoch)s
