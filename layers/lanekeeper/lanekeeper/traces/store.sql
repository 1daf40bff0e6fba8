-- Traces of turns.

-- The end of a turn must never fail because of its trace.
-- name: keep_trace
insert into traces (turn_id, user_id, spans, at) values (%(turn_id)s, %(user_id)s, %(spans)s, lanekeeper.now())
on conflict (turn_id) do nothing
