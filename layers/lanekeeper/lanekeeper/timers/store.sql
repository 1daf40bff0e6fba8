-- The statements of timers. They run in the name of the timer's person, or of nobody where it is nobody's.

-- name: quiet_from_now
insert into timers (kind, key, user_id, conversation_id, run_at)
select kind, %(conversation_id)s, %(user_id)s, %(conversation_id)s, lanekeeper.now() + make_interval(secs => seconds)
from unnest(%(kinds)s::text[], %(seconds)s::float8[]) as quiet (kind, seconds)
on conflict (kind, key) do update set run_at = excluded.run_at, moves = timers.moves + 1, attempts = 0

-- One that has failed keeps its time and the count of its failures, unless somebody waits for it.
-- name: compact_soon
insert into timers (kind, key, user_id, conversation_id, run_at)
values (%(kind)s, %(conversation_id)s, %(user_id)s, %(conversation_id)s, lanekeeper.now())
on conflict (kind, key) do update
set run_at = case when timers.attempts = 0 or %(pressing)s then least(timers.run_at, excluded.run_at) else timers.run_at end,
    moves = timers.moves + 1

-- name: set_timer
insert into timers (kind, key, user_id, conversation_id, run_at)
values (%(kind)s, %(key)s, %(user_id)s, %(conversation_id)s, lanekeeper.now() + make_interval(secs => %(seconds)s))
on conflict (kind, key) do update set run_at = excluded.run_at, moves = timers.moves + 1, attempts = 0

-- name: claim_timer
select kind, key, user_id, conversation_id, moves, attempts, run_at from lanekeeper.claim_timer(make_interval(secs => %(lease_s)s))

-- name: try_timer_lock
select pg_try_advisory_xact_lock(2, hashtext(%(name)s)) as locked

-- It was no try.
-- name: leave_timer
update timers set claimed_until = lanekeeper.now() + make_interval(secs => %(seconds)s), attempts = greatest(attempts - 1, 0)
where kind = %(kind)s and key = %(key)s

-- name: finish_timer
with gone as (
  delete from timers where kind = %(kind)s and key = %(key)s and moves = %(moves)s
  returning 1
)
update timers set claimed_until = null, attempts = 0
where kind = %(kind)s and key = %(key)s and not exists (select from gone)

-- name: postpone_timer
update timers t
set claimed_until = null,
    run_at = case when moves = %(moves)s then next.try else greatest(run_at, next.try) end
from (
  select lanekeeper.now() + make_interval(secs => case
    when exists (select from inbox w join timers own on own.user_id = w.user_id and own.conversation_id = w.conversation_id
                 where own.kind = %(kind)s and own.key = %(key)s and w.state = 'waiting')
    then %(pressing_s)s else %(seconds)s end::float8) as try
) next
where t.kind = %(kind)s and t.key = %(key)s
