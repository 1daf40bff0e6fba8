-- What administrators may look at. Each function puts its own look into the audit log.

-- name: turn
select lanekeeper.admin_turn(%(actor)s, %(turn_id)s) as story

-- name: requests
select at, body from lanekeeper.admin_requests(%(actor)s, %(turn_id)s)

-- name: turns
select * from lanekeeper.admin_turns(%(actor)s, %(before)s, %(at_most)s, %(state)s, %(user)s, %(failure)s)

-- name: costs
select * from lanekeeper.admin_costs(%(actor)s, %(since)s, %(until)s)

-- name: spenders
select * from lanekeeper.admin_spenders(%(actor)s, %(since)s, %(until)s, %(at_most)s)

-- name: limits
select * from lanekeeper.admin_limits(%(actor)s, %(since)s, %(until)s)

-- name: nights
select * from lanekeeper.admin_nights(%(actor)s, %(since)s, %(until)s)
