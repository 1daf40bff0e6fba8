-- Costs, limits that were hit, and kept requests.

-- What a call will cost at least stands in the books before it is made: its maker may not live to tell the rest.
-- name: open_cost
insert into costs (user_id, turn_id, call_id, feature, model, status, micros, input_tokens, created_at)
values (%(user_id)s, %(turn_id)s, %(call_id)s, %(feature)s, %(model)s, 'estimated', %(micros)s, %(input_tokens)s,
        lanekeeper.now())
on conflict (call_id) do nothing

-- The row of before may be gone: its commit did not wait for the disk.
-- name: settle_cost
insert into costs (user_id, turn_id, call_id, feature, model, status, micros,
                   input_tokens, cached_tokens, output_tokens, created_at)
values (%(user_id)s, %(turn_id)s, %(call_id)s, %(feature)s, %(model)s, %(status)s, %(micros)s,
        %(input_tokens)s, %(cached_tokens)s, %(output_tokens)s, lanekeeper.now())
on conflict (call_id) do update
set micros = excluded.micros, status = excluded.status, input_tokens = excluded.input_tokens,
    cached_tokens = excluded.cached_tokens, output_tokens = excluded.output_tokens

-- Several at once, as a JSON array.
-- name: settle_costs
insert into costs (user_id, turn_id, call_id, feature, model, status, micros,
                   input_tokens, cached_tokens, output_tokens, created_at)
select s.user_id, s.turn_id, s.call_id, s.feature, s.model, s.status, s.micros,
       s.input_tokens, s.cached_tokens, s.output_tokens, lanekeeper.now()
from jsonb_to_recordset(%(settled)s) as s (
  user_id text, turn_id text, call_id text, feature text, model text, status text, micros bigint,
  input_tokens int, cached_tokens int, output_tokens int)
on conflict (call_id) do update
set micros = excluded.micros, status = excluded.status, input_tokens = excluded.input_tokens,
    cached_tokens = excluded.cached_tokens, output_tokens = excluded.output_tokens

-- name: count_limit_hit
insert into limit_hits (user_id, turn_id, kind, at, once) values (%(user_id)s, %(turn_id)s, %(kind)s, lanekeeper.now(), %(key)s)
on conflict do nothing

-- name: keep_request
insert into model_requests (user_id, turn_id, body, at) values (%(user_id)s, %(turn_id)s, %(body)s, lanekeeper.now())
