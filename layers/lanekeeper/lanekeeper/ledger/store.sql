-- Costs, limits that were hit, and kept requests.

-- name: open_cost
insert into costs (user_id, turn_id, call_id, feature, model, status, created_at)
values (%(user_id)s, %(turn_id)s, %(call_id)s, %(feature)s, %(model)s, 'estimated', lanekeeper.now())
on conflict (call_id) do nothing

-- name: settle_cost
update costs
set micros = %(micros)s, status = %(status)s,
    input_tokens = %(input_tokens)s, cached_tokens = %(cached_tokens)s, output_tokens = %(output_tokens)s
where user_id = %(user_id)s and call_id = %(call_id)s

-- name: count_limit_hit
insert into limit_hits (user_id, turn_id, kind, at) values (%(user_id)s, %(turn_id)s, %(kind)s, lanekeeper.now())

-- name: keep_request
insert into model_requests (user_id, turn_id, body, at) values (%(user_id)s, %(turn_id)s, %(body)s, lanekeeper.now())
