-- Uploads. All run in the name of the person.

-- As for a message: the wait for a worker that is writing is bounded, and the person's place in the line is taken.
-- name: take_place
select set_config('lock_timeout', %(lane_wait)s, true);

insert into users (id, name, timezone) values (%(user_id)s, %(name)s, %(timezone)s) on conflict (id) do nothing;

insert into lanes (user_id) values (%(user_id)s)
on conflict (user_id) do update set epoch = lanes.epoch where false;

select (select count(*) from uploads where user_id = %(user_id)s and state in ('quarantined', 'checking')) as waiting,
       (select coalesce(sum(bytes), 0) from uploads where user_id = %(user_id)s and content is not null) as kept_bytes

-- name: earlier
select id, kind, message, sha256, case
    when state in ('quarantined', 'checking', 'ok') and expires_at <= lanekeeper.now() then 'expired' else state
  end as state
from uploads
where user_id = %(user_id)s and idempotency_key = %(key)s

-- name: take_in
with given as (
  insert into uploads (id, user_id, idempotency_key, name, kind, media_type, bytes, sha256, content, expires_at)
  values (%(id)s, %(user_id)s, %(key)s, %(name)s, %(kind)s, %(media_type)s, %(bytes)s, %(sha256)s, %(content)s,
          lanekeeper.now() + make_interval(secs => %(kept_s)s))
  returning id, kind, state, message
), queued as (
  insert into inbox (user_id, kind, upload_id, idempotency_key, body_hash)
  select %(user_id)s, 'upload', id, 'upload ' || id, %(sha256)s from given
), armed as (
  update lanes set ready_at = lanekeeper.now() where user_id = %(user_id)s and ready_at is null
)
select * from given

-- name: some
select id, name, kind, media_type, message, bytes, chars, case
    when state in ('quarantined', 'checking', 'ok') and expires_at <= lanekeeper.now() then 'expired' else state
  end as state
from uploads
where user_id = %(user_id)s and id = any(%(ids)s)

-- name: content
select name, kind, media_type, content from uploads
where user_id = %(user_id)s and id = %(id)s and state = 'ok' and expires_at > lanekeeper.now()

-- The worker's part.

-- name: begin
with row as (
  update inbox set state = 'running' where user_id = %(user_id)s and upload_id = %(id)s and state = 'new'
)
update uploads set state = 'checking', attempt = attempt + 1
where user_id = %(user_id)s and id = %(id)s and state in ('quarantined', 'checking')
returning id, kind, media_type, attempt

-- name: quarantined
select content from uploads where user_id = %(user_id)s and id = %(id)s and state = 'checking'

-- A picture is replaced by what is left of it; a file stays as it came.
-- name: admit
update uploads
set state = 'ok', content = coalesce(%(picture)s, content), text = %(text)s, chars = length(%(text)s::text),
    cut = %(cut)s, pages = %(pages)s, checked_at = lanekeeper.now()
where user_id = %(user_id)s and id = %(id)s and state = 'checking'

-- Whatever is not taken is gone with the same transaction that says so.
-- name: turn_away
update uploads
set state = %(state)s, message = %(message)s, content = null, text = null, checked_at = lanekeeper.now()
where user_id = %(user_id)s and id = %(id)s and state = 'checking'

-- name: done
update inbox set state = 'done' where user_id = %(user_id)s and upload_id = %(id)s and state = 'running'

-- What a model may see. Neither what is in quarantine nor what was kept long enough is among it.
-- name: readable
select id, text, cut, pages, case kind when 'image' then content end as picture from uploads
where user_id = %(user_id)s and id = any(%(ids)s) and state = 'ok' and expires_at > lanekeeper.now()
