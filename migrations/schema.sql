-- The sum of the migrations, written by `python3 run.py schema`. Not to be edited.

CREATE SCHEMA lanekeeper;

ALTER SCHEMA lanekeeper OWNER TO lanekeeper_migrator;

CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA lanekeeper;

COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';

CREATE EXTENSION IF NOT EXISTS fuzzystrmatch WITH SCHEMA lanekeeper;

COMMENT ON EXTENSION fuzzystrmatch IS 'determine similarities and distance between strings';

CREATE FUNCTION lanekeeper.admin_costs(actor text, since timestamp with time zone, until timestamp with time zone) RETURNS TABLE(day date, feature text, model text, calls bigint, failed bigint, estimated bigint, micros bigint, input_tokens bigint, cached_tokens bigint, output_tokens bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'read costs', jsonb_build_object('from', since, 'to', until));
  return query
    select (c.created_at at time zone 'UTC')::date, c.feature, c.model, count(*),
           count(*) filter (where c.status = 'failed'), count(*) filter (where c.status = 'estimated'),
           sum(c.micros)::bigint, sum(c.input_tokens)::bigint, sum(c.cached_tokens)::bigint, sum(c.output_tokens)::bigint
    from public.costs c
    where c.created_at >= since and c.created_at < until
    group by 1, 2, 3
    order by 1 desc, 7 desc, 2, 3;
end
$$;

ALTER FUNCTION lanekeeper.admin_costs(actor text, since timestamp with time zone, until timestamp with time zone) OWNER TO lanekeeper_admin;

CREATE FUNCTION lanekeeper.admin_limits(actor text, since timestamp with time zone, until timestamp with time zone) RETURNS TABLE(day date, kind text, hits bigint, people bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'read limits', jsonb_build_object('from', since, 'to', until));
  return query
    select (h.at at time zone 'UTC')::date, h.kind, count(*), count(distinct h.user_id)
    from public.limit_hits h
    where h.at >= since and h.at < until
    group by 1, 2
    order by 1 desc, 3 desc, 2;
end
$$;

ALTER FUNCTION lanekeeper.admin_limits(actor text, since timestamp with time zone, until timestamp with time zone) OWNER TO lanekeeper_admin;

CREATE FUNCTION lanekeeper.admin_nights(actor text, since date, until date) RETURNS TABLE(night date, covered integer, skipped integer, failed integer, open integer, ran_at timestamp with time zone, last_run_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'read nights', jsonb_build_object('from', since, 'to', until));
  return query
    select r.night, r.covered, r.skipped, r.failed,
           (select count(*)::int from public.nightly_people n where n.night = r.night and n.state in ('waiting', 'sent')),
           r.ran_at, (select c.ran_at from public.nightly_clock c)
    from public.nightly_runs r
    where r.night between since and until
    order by r.night desc;
end
$$;

ALTER FUNCTION lanekeeper.admin_nights(actor text, since date, until date) OWNER TO lanekeeper_admin;

CREATE FUNCTION lanekeeper.admin_requests(actor text, id text) RETURNS TABLE(at timestamp with time zone, body jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into public.audit_log (actor, action, detail) values (actor, 'read requests', jsonb_build_object('turn', id));
  return query select r.at, r.body from public.model_requests r where r.turn_id = admin_requests.id order by r.id;
end
$$;

ALTER FUNCTION lanekeeper.admin_requests(actor text, id text) OWNER TO lanekeeper_admin;

CREATE FUNCTION lanekeeper.admin_spenders(actor text, since timestamp with time zone, until timestamp with time zone, at_most integer) RETURNS TABLE(user_hash text, calls bigint, micros bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'read spenders', jsonb_build_object('from', since, 'to', until));
  return query
    select lanekeeper.hashed(c.user_id), count(*), sum(c.micros)::bigint
    from public.costs c
    where c.created_at >= since and c.created_at < until
    group by c.user_id
    order by 3 desc, 1
    limit at_most;
end
$$;

ALTER FUNCTION lanekeeper.admin_spenders(actor text, since timestamp with time zone, until timestamp with time zone, at_most integer) OWNER TO lanekeeper_admin;

CREATE FUNCTION lanekeeper.admin_turn(actor text, id text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  turn public.turns;
begin
  insert into public.audit_log (actor, action, detail) values (actor, 'read turn', jsonb_build_object('turn', id));
  select t.* into turn from public.turns t
  where t.id = coalesce((select i.turn_id from public.inbox i where i.accepted_turn_id = admin_turn.id), admin_turn.id);
  if not found then
    return null;
  end if;
  return (to_jsonb(turn) - 'user_id' - 'reply_id') || jsonb_build_object(
    'user', lanekeeper.hashed(turn.user_id),
    'messages', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', i.kind, 'state', i.state, 'at', i.created_at,
               'turn_id', i.accepted_turn_id) order by i.id), '[]')
      from public.inbox i where i.user_id = turn.user_id and i.conversation_id = turn.conversation_id and i.turn_id = turn.id),
    'costs', (
      select coalesce(jsonb_agg(jsonb_build_object('feature', c.feature, 'model', c.model, 'status', c.status,
               'micros', c.micros, 'input_tokens', c.input_tokens, 'cached_tokens', c.cached_tokens,
               'output_tokens', c.output_tokens, 'at', c.created_at) order by c.id), '[]')
      from public.costs c
      where c.user_id = turn.user_id and c.created_at >= turn.accepted_at and c.turn_id = turn.id),
    'limits', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', h.kind, 'at', h.at) order by h.id), '[]')
      from public.limit_hits h where h.turn_id = turn.id),
    'verdicts', (
      select jsonb_build_object('source', v.source, 'scores', v.scores, 'took_ms', v.took_ms, 'asked_at', v.asked_at)
      from public.verdicts v where v.turn_id = turn.id),
    'trace', (
      select jsonb_build_object('spans', s.spans) from public.traces s where s.turn_id = turn.id));
end
$$;

ALTER FUNCTION lanekeeper.admin_turn(actor text, id text) OWNER TO lanekeeper_admin;

CREATE FUNCTION lanekeeper.admin_turns(actor text, before text, at_most integer, in_state text, of_user text, with_failure text) RETURNS TABLE(id text, user_hash text, state text, attempt integer, agent_id text, model_id text, prompt_version text, failure text, accepted_at timestamp with time zone, finished_at timestamp with time zone, timings jsonb, micros bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'list turns', jsonb_strip_nulls(
    jsonb_build_object('state', in_state, 'user', of_user, 'failure', with_failure)));
  return query
    select t.id, lanekeeper.hashed(t.user_id), t.state, t.attempt, t.agent_id, t.model_id, t.prompt_version, t.failure,
           t.accepted_at, t.finished_at, t.timings,
           (select coalesce(sum(c.micros), 0)::bigint from public.costs c
            where c.user_id = t.user_id and c.created_at >= t.accepted_at and c.turn_id = t.id)
    from public.turns t
    where (admin_turns.before is null or t.id < admin_turns.before)
      and (in_state is null or t.state = in_state)
      and (of_user is null or lanekeeper.hashed(t.user_id) = of_user)
      and (with_failure is null or t.failure = with_failure)
    order by t.id desc
    limit at_most;
end
$$;

ALTER FUNCTION lanekeeper.admin_turns(actor text, before text, at_most integer, in_state text, of_user text, with_failure text) OWNER TO lanekeeper_admin;

CREATE FUNCTION lanekeeper.check_spend(day_micros bigint, person_micros bigint) RETURNS TABLE(day date, spent bigint, people_over bigint, newly_over boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  present timestamptz := lanekeeper.now();
  today date := (present at time zone 'UTC')::date;
  open_since timestamptz := coalesce(
    (select s.checked_at - interval '10 minutes' from public.spend_days s order by s.day desc limit 1),
    present - interval '1 day');
  since timestamptz;
  until timestamptz;
begin
  for day in
    select (c.created_at at time zone 'UTC')::date from public.costs c
    where c.created_at >= date_trunc('day', open_since, 'UTC') and c.created_at < date_trunc('day', present, 'UTC')
    union select today
    order by 1
  loop
    since := day::timestamp at time zone 'UTC';
    until := since + interval '1 day';
    select coalesce(sum(c.micros), 0) into spent from public.costs c
    where c.created_at >= since and c.created_at < until;
    insert into public.spend_days as s (day, micros, checked_at) values (check_spend.day, spent, present)
    on conflict on constraint spend_days_pkey do update set micros = excluded.micros, checked_at = excluded.checked_at;
    update public.spend_days s set over_at = present
    where s.day = check_spend.day and s.over_at is null and day_micros > 0 and spent > day_micros;
    newly_over := found;
    if newly_over then
      insert into public.limit_hits (kind, at) values ('daily_spend', least(present, until - interval '1 microsecond'));
    end if;
    with over as (
      select c.user_id from public.costs c
      where person_micros > 0 and c.created_at >= since and c.created_at < until
      group by c.user_id having sum(c.micros) > person_micros
    ), counted as (
      insert into public.limit_hits (user_id, kind, at)
      select o.user_id, 'person_spend', least(present, until - interval '1 microsecond') from over o
      where not exists (
        select from public.limit_hits h
        where h.user_id = o.user_id and h.kind = 'person_spend' and h.at >= since and h.at < until)
    )
    select count(*) into people_over from over;
    return next;
  end loop;
end
$$;

ALTER FUNCTION lanekeeper.check_spend(day_micros bigint, person_micros bigint) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.claim_lane(holder text, lease interval) RETURNS TABLE(user_id text, epoch bigint)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with claimed as (
    update public.lanes l
    set holder = claim_lane.holder, epoch = l.epoch + 1, lease_until = lanekeeper.now() + claim_lane.lease,
        turn_id = null
    where l.user_id = (
      select w.user_id from public.lanes w
      where w.ready_at is not null and w.ready_at <= lanekeeper.now() and w.holder is null
      order by w.ready_at
      limit 1
      for update skip locked)
    returning l.user_id, l.epoch
  )
  select c.user_id, c.epoch from claimed c
  union all
  select null, null
  where not exists (select from claimed) and exists (
    select from public.lanes w where w.ready_at is not null and w.ready_at <= lanekeeper.now() and w.holder is null)
$$;

ALTER FUNCTION lanekeeper.claim_lane(holder text, lease interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.claim_nightly(at_most integer, lease interval) RETURNS TABLE(night date, user_id text, tries integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  update public.nightly_people n
  set claimed_until = lanekeeper.now() + claim_nightly.lease
  from (
    select w.night, w.user_id from public.nightly_people w
    where w.state = 'waiting'
      and (w.claimed_until is null or w.claimed_until < lanekeeper.now()
           or w.claimed_until > lanekeeper.now() + interval '1 day')
    order by w.night, w.user_id
    limit claim_nightly.at_most
    for update skip locked) free
  where n.night = free.night and n.user_id = free.user_id
  returning n.night, n.user_id, n.tries
$$;

ALTER FUNCTION lanekeeper.claim_nightly(at_most integer, lease interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.claim_timer(lease interval) RETURNS TABLE(kind text, key text, user_id text, conversation_id text, moves integer, attempts integer, run_at timestamp with time zone)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with pressing as (
    select t.kind, t.key from public.timers t
    where t.kind = 'compaction' and t.run_at <= lanekeeper.now() and lanekeeper.is_free(t)
    order by t.run_at
    limit 1
    for update skip locked
  ), other as (
    select t.kind, t.key from public.timers t
    where not exists (select from pressing) and t.run_at <= lanekeeper.now() and lanekeeper.is_free(t)
    order by t.run_at
    limit 1
    for update skip locked
  )
  update public.timers t
  set claimed_until = lanekeeper.now() + claim_timer.lease, attempts = t.attempts + 1
  from (select * from pressing union all select * from other) due
  where t.kind = due.kind and t.key = due.key
  returning t.kind, t.key, t.user_id, t.conversation_id, t.moves, t.attempts, t.run_at
$$;

ALTER FUNCTION lanekeeper.claim_timer(lease interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.dictionary(language text) RETURNS regconfig
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE split_part(lower(language), '-'::text, 1) WHEN 'en'::text THEN 'english'::regconfig WHEN 'de'::text THEN 'german'::regconfig WHEN 'fr'::text THEN 'french'::regconfig WHEN 'es'::text THEN 'spanish'::regconfig WHEN 'it'::text THEN 'italian'::regconfig WHEN 'pt'::text THEN 'portuguese'::regconfig WHEN 'nl'::text THEN 'dutch'::regconfig WHEN 'sv'::text THEN 'swedish'::regconfig WHEN 'da'::text THEN 'danish'::regconfig WHEN 'no'::text THEN 'norwegian'::regconfig WHEN 'nb'::text THEN 'norwegian'::regconfig WHEN 'fi'::text THEN 'finnish'::regconfig WHEN 'ru'::text THEN 'russian'::regconfig WHEN 'tr'::text THEN 'turkish'::regconfig WHEN 'ro'::text THEN 'romanian'::regconfig WHEN 'hu'::text THEN 'hungarian'::regconfig ELSE 'simple'::regconfig END;

ALTER FUNCTION lanekeeper.dictionary(language text) OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.end_connections(holder text) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select count(*) filter (where pg_terminate_backend(a.pid)) from pg_catalog.pg_stat_activity a
  where a.application_name = end_connections.holder and a.usename = 'lanekeeper_worker'
$$;

ALTER FUNCTION lanekeeper.end_connections(holder text) OWNER TO lanekeeper_worker;

CREATE FUNCTION lanekeeper.enqueue_nightly(open_days boolean, retry interval, attempts integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with due as materialized (
    select d.night, d.user_id, n.state as before
    from lanekeeper.nightly_due(open_days, retry, enqueue_nightly.attempts) d
    left join public.nightly_people n on n.night = d.night and n.user_id = d.user_id
  ), put as (
    insert into public.nightly_people as n (night, user_id)
    select due.night, due.user_id from due
    on conflict (night, user_id) do update
      set state = 'waiting', batch_id = null, tries = 0, claimed_until = null, attempts = n.attempts + 1
      where n.state not in ('waiting', 'sent')
    returning n.night, n.user_id
  ), back as (
    select due.night, count(*) filter (where due.before = 'covered') as covered,
           count(*) filter (where due.before = 'skipped') as skipped, count(*) filter (where due.before = 'failed') as failed
    from due join put on put.night = due.night and put.user_id = due.user_id
    where due.before is not null
    group by due.night
  ), taken_back as (
    update public.nightly_runs r
    set covered = r.covered - b.covered, skipped = r.skipped - b.skipped, failed = r.failed - b.failed
    from back b where b.night = r.night
  )
  select count(*) from put
$$;

ALTER FUNCTION lanekeeper.enqueue_nightly(open_days boolean, retry interval, attempts integer) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.spelled(said text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN btrim(regexp_replace(lower(NORMALIZE(said, NFKC)), '[\s\u0001-/:-@\[-`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u206f\u3000-\u303f]+'::text, ' '::text, 'g'::text));

ALTER FUNCTION lanekeeper.spelled(said text) OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.folded(said text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN btrim(regexp_replace(regexp_replace(replace(replace(replace(translate(NORMALIZE(regexp_replace(NORMALIZE(lanekeeper.spelled(said), NFKD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text), NFC), 'øłđðı'::text, 'olddi'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff])'::text, ' \1 '::text, 'g'::text), ' +'::text, ' '::text, 'g'::text));

ALTER FUNCTION lanekeeper.folded(said text) OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.forget_streams(silent interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  delete from public.stream_sessions s where s.seen_at < lanekeeper.now() - forget_streams.silent
$$;

ALTER FUNCTION lanekeeper.forget_streams(silent interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.hashed(user_id text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select left(encode(sha256(convert_to('lanekeeper:' || user_id, 'UTF8')), 'hex'), 16) $$;

ALTER FUNCTION lanekeeper.hashed(user_id text) OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.hold_lane(user_id text, epoch bigint) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  stop text;
begin
  select l.stop_turn_id into stop from public.lanes l
  where l.user_id = hold_lane.user_id and l.epoch = hold_lane.epoch
  for key share;
  if not found then
    raise exception 'the lane is held by another' using errcode = 'LK001';
  end if;
  return stop;
end
$$;

ALTER FUNCTION lanekeeper.hold_lane(user_id text, epoch bigint) OWNER TO lanekeeper_migrator;

CREATE TABLE public.timers (
    kind text NOT NULL,
    key text NOT NULL,
    user_id text,
    conversation_id text,
    run_at timestamp with time zone NOT NULL,
    moves integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    claimed_until timestamp with time zone
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.timers FORCE ROW LEVEL SECURITY;

ALTER TABLE public.timers OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.is_free(timer public.timers) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select (timer.claimed_until is null or timer.claimed_until < lanekeeper.now()
          or timer.claimed_until > lanekeeper.now() + interval '1 hour')
     and (timer.kind not in ('idle_save', 'idle_compaction') or not exists (
       select from public.inbox i where i.user_id = timer.user_id and i.state in ('new', 'running')))
$$;

ALTER FUNCTION lanekeeper.is_free(timer public.timers) OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.lane_key(user_id text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select hashtext(user_id) $$;

ALTER FUNCTION lanekeeper.lane_key(user_id text) OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.lapsed_lanes(lease interval) RETURNS TABLE(user_id text, epoch bigint, holder text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select l.user_id, l.epoch, l.holder from public.lanes l
  where l.ready_at is not null and l.holder is not null
    and (l.lease_until < lanekeeper.now() or l.lease_until > lanekeeper.now() + 2 * lapsed_lanes.lease)
  order by l.lease_until
$$;

ALTER FUNCTION lanekeeper.lapsed_lanes(lease interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.maintenance_is_due() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select exists (select from public.lanes l where l.ready_at is not null and l.holder is not null and l.lease_until < lanekeeper.now())
      or exists (select from public.lanes l where l.holder is null and l.ready_at < lanekeeper.now() - interval '5 seconds')
      or exists (select from public.outbox o where o.state = 'new' and o.created_at < lanekeeper.now() - interval '5 seconds')
      or exists (select from lanekeeper.stray_lanes())
      or lanekeeper.timers_are_due()
      or lanekeeper.spend_is_unchecked()
$$;

ALTER FUNCTION lanekeeper.maintenance_is_due() OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.nightly_due(open_days boolean, retry interval, attempts integer) RETURNS TABLE(user_id text, night date)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with zones as materialized (
    select lower(z.name) as folded, z.name from pg_timezone_names z
  ), unread as materialized (
    select c.user_id, m.created_at
    from public.conversations c
    left join public.note_progress p on p.conversation_id = c.id
    cross join lateral (
      select m.created_at from public.messages m
      where m.conversation_id = c.id and m.position > coalesce(p.position, 0) and m.role = 'user' and not m.forgotten
      -- Conversation by conversation, never all messages there are.
      offset 0) m
    -- What has not changed since it was read has nothing new. Two days more: an answer from a batch is kept long after
    -- its messages were sent, and does not speak of those that came meanwhile.
    where p.read_at is null or c.updated_at > p.read_at - interval '2 days'
  ), ended as (
    select u.user_id, max((u.created_at at time zone h.zone)::date) as night, max(u.created_at) as last_at
    from (select u.*, s.timezone from unread u join public.users s on s.id = u.user_id) u
    left join zones z on z.folded = lower(u.timezone)
    cross join lateral (select coalesce(z.name, 'UTC') as zone) h
    where nightly_due.open_days
       or (u.created_at at time zone h.zone)::date < (lanekeeper.now() at time zone h.zone)::date
    group by u.user_id
  )
  select e.user_id, e.night
  from ended e
  left join public.nightly_people n on n.night = e.night and n.user_id = e.user_id
  where not exists (
      select from public.nightly_people o where o.user_id = e.user_id and o.state in ('waiting', 'sent'))
    and (n.state is null
         or nightly_due.open_days
         or e.last_at > n.settled_at
         or (n.attempts < nightly_due.attempts and n.settled_at < lanekeeper.now() - nightly_due.retry * 2 ^ n.attempts))
$$;

ALTER FUNCTION lanekeeper.nightly_due(open_days boolean, retry interval, attempts integer) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.nightly_is_due(retry interval, attempts integer, sweeps interval) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce((select c.swept_at < lanekeeper.now() - sweeps or c.swept_at > lanekeeper.now() from public.nightly_clock c), true)
      or lanekeeper.nightly_waiting()
      or exists (select from lanekeeper.nightly_due(false, retry, nightly_is_due.attempts))
$$;

ALTER FUNCTION lanekeeper.nightly_is_due(retry interval, attempts integer, sweeps interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.nightly_waiting() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select exists (
    select from public.nightly_people n
    where n.state = 'waiting'
      and (n.claimed_until is null or n.claimed_until < lanekeeper.now()
           or n.claimed_until > lanekeeper.now() + interval '1 day'))
$$;

ALTER FUNCTION lanekeeper.nightly_waiting() OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.note_words(language text, said text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (to_tsvector(lanekeeper.dictionary(language), lanekeeper.folded(said)) || to_tsvector('simple'::regconfig, regexp_replace(lanekeeper.spelled(said), '(^| )[!-~]+(?= |$)'::text, ' '::text, 'g'::text)));

ALTER FUNCTION lanekeeper.note_words(language text, said text) OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select clock_timestamp() $$;

ALTER FUNCTION lanekeeper.now() OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.open_streams(silent interval, at_most integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select count(*)::int from (
    select from public.stream_sessions s where s.seen_at > lanekeeper.now() - open_streams.silent limit open_streams.at_most
  ) counted
$$;

ALTER FUNCTION lanekeeper.open_streams(silent interval, at_most integer) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.people_of_batch(batch text) RETURNS TABLE(night date, user_id text, tries integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select n.night, n.user_id, n.tries from public.nightly_people n
  where n.batch_id = people_of_batch.batch and n.state = 'sent'
  order by n.user_id
$$;

ALTER FUNCTION lanekeeper.people_of_batch(batch text) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.person() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ select nullif(current_setting('lanekeeper.user_id', true), '') $$;

ALTER FUNCTION lanekeeper.person() OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.recall(message text, languages text[], aliases text[], at_most integer, matches integer) RETURNS TABLE(id text, kind text, subject text, body text, source text, source_message_id text, saved_at timestamp with time zone, score double precision, share double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 3
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  me text := lanekeeper.person();
  present timestamptz := lanekeeper.now();
  spoken text;
begin
  -- Most people have none when they begin, and every message asks.
  if not exists (select from public.notes n where n.user_id = me and n.replaced_by is null) then
    return;
  end if;
  spoken := ' ' || lanekeeper.folded(message) || ' ';
  return query
  with asked as materialized (
    select w.word, w.query, w.own, w.query::text ~ '[<&]' as together from (
      select distinct on (w.word) w.word, w.query, w.own from (
        select *, true as own from lanekeeper.search_words(recall.message, recall.languages)
        union all
        select *, false from lanekeeper.search_words(array_to_string(recall.aliases, ' '), recall.languages)
        where cardinality(recall.aliases) > 0) w
      order by w.word, w.own desc) w
    order by w.own desc, length(w.word) desc, w.word limit 60
  ), newest as materialized (
    select n.id, n.folded, n.words from public.notes n
    where n.user_id = me and n.replaced_by is null and (n.expires_at is null or n.expires_at > present)
    order by n.saved_at desc, n.id desc limit recall.matches
  ), mine as materialized (
    select r.notes as read, case when r.notes < recall.matches then r.notes else (
      select count(*)::float8 from (
        select from public.notes n where n.user_id = me and n.replaced_by is null limit 10 * recall.matches) n) end as notes
    from (select count(*)::float8 as notes from newest) r
  ), seldom as materialized (
    select a.query from asked a, lateral (select count(*) as times from newest n where n.words @@ a.query) among
    where (select m.read = recall.matches from mine m) and among.times <= recall.matches / 50
    order by a.own desc, among.times, length(a.word) desc, a.word limit 8
  ), older as materialized (
    select distinct on (n.id) n.id, n.words from seldom s, lateral (
      select n.id, n.words from public.notes n
      where n.user_id = me and n.replaced_by is null and n.words @@ s.query
        and (n.expires_at is null or n.expires_at > present)
      limit recall.matches / 4) n
    where not exists (select from newest x where x.id = n.id)
  ), read as materialized (
    select n.id, n.words from (select x.id, x.words from newest x union all select o.id, o.words from older o) n
    where n.words @@ (select string_agg('(' || a.query::text || ')', ' | ')::tsquery from asked a)
  ), lexemes as materialized (
    select a.word, a.own, l.found[1] as lexeme
    from asked a, lateral regexp_matches(a.query::text, '''([^'']+)''', 'g') l (found) where not a.together
  ), found as materialized (
    select l.word, l.own, r.id, max(1.3 - 0.3 / coalesce(cardinality(u.positions), 1)) as trust
    from read r, unnest(r.words) u (lexeme, positions, weights) join lexemes l using (lexeme)
    group by l.word, l.own, r.id
    union all
    select a.word, a.own, r.id, 1 from asked a join read r on r.words @@ a.query where a.together
  ), unknown as materialized (
    select a.word, a.own from asked a
    where length(a.word) >= 4 and a.word !~ '[0-9\u3040-\ud7af]' and not exists (select from found f where f.word = a.word)
    order by length(a.word) desc limit 4
  ), mistyped as materialized (
    select distinct u.word, u.own, n.id, 0.7 as trust
    from newest n, string_to_table(n.folded, ' ') near, unknown u
    where exists (select from unknown) and left(near, 1) = left(u.word, 1) and abs(length(near) - length(u.word)) <= 1
      and lanekeeper.levenshtein_less_equal(left(near, 60), left(u.word, 60), 1) <= 1
  ), matched as materialized (
    select * from found union all select * from mistyped
  ), weights as materialized (
    select a.word, a.own, case when a.own then 1 else 0.3 end
           * ln(1 + greatest(m.notes - count(f.id), 0) / (count(f.id) + 0.5) + 0.5 / (count(f.id) + 0.5)) as weight
    from mine m, asked a left join matched f using (word)
    group by a.word, a.own, m.notes
  ), sums as materialized (
    select f.id, sum(w.weight * f.trust) as weight, sum(w.weight * least(f.trust, 1)) filter (where w.own) as own_weight
    from matched f join weights w using (word)
    group by f.id
  ), fitting as materialized (
    select n.id, n.saved_at, s.weight, s.own_weight, length(n.words) / avg(length(n.words)) over () as length,
           case when n.subject <> '' and strpos(spoken, ' ' || lower(n.subject) || ' ') > 0 then 2 else 0 end as named
    from sums s join public.notes n on n.id = s.id and n.user_id = me
  ), best as materialized (
    select f.id, f.saved_at from fitting f
    order by f.weight / (1.9 + 0.3 * f.length) + f.named desc, f.saved_at desc, f.id desc
    limit recall.at_most + 20
  ), around as materialized (
    select b.id as best, b.id, 0 as place from best b
    union all
    select b.id, n.id, -n.place from best b, lateral (
      select n.id, row_number() over (order by n.saved_at desc, n.id desc) as place from public.notes n
      where n.user_id = me and n.replaced_by is null and (n.saved_at, n.id) < (b.saved_at, b.id)
      order by n.saved_at desc, n.id desc limit 2) n
    union all
    select b.id, n.id, n.place from best b, lateral (
      select n.id, row_number() over (order by n.saved_at, n.id) as place from public.notes n
      where n.user_id = me and n.replaced_by is null and (n.saved_at, n.id) > (b.saved_at, b.id)
      order by n.saved_at, n.id limit 2) n
  ), heard as materialized (
    select a.id, f.word, max(f.trust * 0.5 ^ abs(a.place - o.place)) as trust
    from around a join around o on o.best = a.best and abs(o.place - a.place) <= 2 join matched f on f.id = o.id
    group by a.id, f.word
  ), scores as materialized (
    select h.id, sum(w.weight * h.trust) as weight from heard h join weights w using (word) group by h.id
  )
  select n.id, n.kind, n.subject, n.body, n.source, n.source_message_id, n.saved_at,
         (s.weight / (1.9 + 0.3 * f.length) + f.named)::float8,
         coalesce(f.own_weight / nullif((select sum(w.weight) from weights w where w.own), 0), 0)::float8
  from scores s join fitting f using (id) join public.notes n on n.id = f.id and n.user_id = me
  order by 8 desc, n.saved_at desc, n.source desc, n.id desc
  limit recall.at_most;
end
$$;

ALTER FUNCTION lanekeeper.recall(message text, languages text[], aliases text[], at_most integer, matches integer) OWNER TO lanekeeper_recall;

CREATE FUNCTION lanekeeper.release_batch(batch text) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with released as (
    update public.nightly_people n set state = 'waiting', batch_id = null, claimed_until = null
    where n.batch_id = release_batch.batch and n.state = 'sent'
    returning 1)
  select count(*) from released
$$;

ALTER FUNCTION lanekeeper.release_batch(batch text) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.search_words(said text, languages text[]) RETURNS TABLE(word text, query tsquery)
    LANGUAGE plpgsql IMMUTABLE ROWS 20 PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
  return query
  with spelled as (
    select t.word, t.place from string_to_table(lanekeeper.spelled(said), ' ') with ordinality t (word, place)
  ), parts as (
    select s.word as spelling, p.part, p.part ~ '^[\u3040-\ud7af\U00020000-\U0003ffff]$' as sign,
           lag(p.part) over along as before, lead(p.part) over along as after
    from spelled s, string_to_table(lanekeeper.folded(s.word), ' ') with ordinality p (part, place)
    where p.part <> ''
    window along as (partition by s.place order by p.place)
  ), units as (
    select p.spelling, p.part as word, null as after from parts p where not p.sign or (p.before is null and p.after is null)
    union
    select p.spelling, p.part, p.after from parts p where p.sign and p.after is not null
  ), queries as (
    select u.spelling, u.word || coalesce(u.after, '') as word, l.language,
           case when u.after is null then plainto_tsquery(lanekeeper.dictionary(l.language), u.word)
                else phraseto_tsquery('pg_catalog.simple', u.word || ' ' || u.after) end as query
    from units u, unnest(languages) l (language)
  ), told as (
    select q.word, case when numnode(q.query) = 0 and q.spelling <> q.word
                        then plainto_tsquery('pg_catalog.simple', q.spelling) else q.query end as query
    from queries q
  )
  select t.word, string_agg(distinct '(' || t.query::text || ')', ' | ')::tsquery
  from told t where numnode(t.query) > 0
  group by t.word;
end
$_$;

ALTER FUNCTION lanekeeper.search_words(said text, languages text[]) OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.spend_is_unchecked() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select exists (
    select from public.costs c
    where c.created_at > coalesce((select s.checked_at from public.spend_days s order by s.day desc limit 1), '-infinity'))
$$;

ALTER FUNCTION lanekeeper.spend_is_unchecked() OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.start_maintenance(job text, open_days boolean DEFAULT false) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  target jsonb := (select s.value from settings s where s.key = 'maintenance');
begin
  if target is null
     or (job = 'tick' and not lanekeeper.maintenance_is_due())
     or (job = 'nightly' and not open_days
         and not lanekeeper.nightly_is_due(interval '1 hour', 7, interval '20 hours')) then
    return false;
  end if;
  perform aws_lambda.invoke(
    function_name => target ->> 'function',
    payload => (jsonb_build_object('job', job)
                || case when open_days then jsonb_build_object('open_days', true) else '{}' end)::json,
    region => target ->> 'region',
    invocation_type => 'Event');
  return true;
end
$$;

ALTER FUNCTION lanekeeper.start_maintenance(job text, open_days boolean) OWNER TO lanekeeper_migrator;

CREATE FUNCTION lanekeeper.stray_lanes() RETURNS TABLE(user_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select distinct i.user_id from public.inbox i join public.lanes l on l.user_id = i.user_id
  where i.state in ('new', 'running') and l.holder is null and l.ready_at is null
    and i.created_at < lanekeeper.now() - interval '10 seconds'
  limit 1000
$$;

ALTER FUNCTION lanekeeper.stray_lanes() OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.stray_waiting() RETURNS TABLE(user_id text, conversation_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select distinct i.user_id, i.conversation_id from public.inbox i
  where i.state = 'waiting'
    and not exists (select from public.timers t where t.kind = 'compaction' and t.key = i.conversation_id)
  limit 1000
$$;

ALTER FUNCTION lanekeeper.stray_waiting() OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.sweep_chunks(older_than interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (
    delete from public.reply_chunks c using public.turns t
    where t.id = c.turn_id and t.state in ('done', 'failed', 'stopped')
      and t.finished_at < lanekeeper.now() - sweep_chunks.older_than
      and not exists (select from public.outbox o where o.user_id = t.user_id and o.state = 'new')
    returning 1)
  select count(*) from gone
$$;

ALTER FUNCTION lanekeeper.sweep_chunks(older_than interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.sweep_keys(older_than interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (delete from public.spent_keys k where k.spent_at < lanekeeper.now() - sweep_keys.older_than returning 1)
  select count(*) from gone
$$;

ALTER FUNCTION lanekeeper.sweep_keys(older_than interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.sweep_nights(older_than interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (
    delete from public.nightly_people n
    where n.state not in ('waiting', 'sent') and n.settled_at < lanekeeper.now() - sweep_nights.older_than
    returning 1)
  select count(*) from gone
$$;

ALTER FUNCTION lanekeeper.sweep_nights(older_than interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.sweep_notes() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (delete from public.notes n where n.expires_at <= lanekeeper.now() returning 1)
  select count(*) from gone
$$;

ALTER FUNCTION lanekeeper.sweep_notes() OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.sweep_requests(older_than interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (delete from public.model_requests r where r.at < lanekeeper.now() - sweep_requests.older_than returning 1)
  select count(*) from gone
$$;

ALTER FUNCTION lanekeeper.sweep_requests(older_than interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.sweep_traces(older_than interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (delete from public.traces t where t.at < lanekeeper.now() - sweep_traces.older_than returning 1)
  select count(*) from gone
$$;

ALTER FUNCTION lanekeeper.sweep_traces(older_than interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.sweep_uploads() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (delete from public.uploads u where u.expires_at <= lanekeeper.now() returning 1)
  select count(*) from gone
$$;

ALTER FUNCTION lanekeeper.sweep_uploads() OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.sweep_verdicts(older_than interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with gone as (delete from public.verdicts v where v.asked_at < lanekeeper.now() - sweep_verdicts.older_than returning 1)
  select count(*) from gone
$$;

ALTER FUNCTION lanekeeper.sweep_verdicts(older_than interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.timers_are_due() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select exists (select from public.timers t where t.run_at <= lanekeeper.now() and lanekeeper.is_free(t))
      or exists (select from lanekeeper.stray_waiting())
$$;

ALTER FUNCTION lanekeeper.timers_are_due() OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.undelivered(older_than interval) RETURNS TABLE(user_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select distinct o.user_id from public.outbox o
  where o.state = 'new' and o.created_at < lanekeeper.now() - undelivered.older_than
  limit 1000
$$;

ALTER FUNCTION lanekeeper.undelivered(older_than interval) OWNER TO lanekeeper_dispatch;

CREATE FUNCTION lanekeeper.waiting_lanes(older_than interval) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select count(*) from public.lanes l
  where l.holder is null and l.ready_at < lanekeeper.now() - waiting_lanes.older_than
$$;

ALTER FUNCTION lanekeeper.waiting_lanes(older_than interval) OWNER TO lanekeeper_dispatch;

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
);

ALTER TABLE public.audit_log OWNER TO lanekeeper_migrator;

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.batch_lines (
    id text NOT NULL,
    batch_id text NOT NULL,
    user_id text NOT NULL,
    conversation_id text NOT NULL,
    after_position integer NOT NULL,
    until_position integer NOT NULL,
    whole boolean NOT NULL,
    input_tokens integer DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.batch_lines FORCE ROW LEVEL SECURITY;

ALTER TABLE public.batch_lines OWNER TO lanekeeper_migrator;

CREATE TABLE public.batches (
    id text NOT NULL,
    gateway_id text,
    file_id text,
    model text NOT NULL,
    state text DEFAULT 'building'::text NOT NULL,
    made_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    sent_at timestamp with time zone,
    claimed_until timestamp with time zone,
    CONSTRAINT batches_state_check CHECK ((state = ANY (ARRAY['building'::text, 'sent'::text, 'read'::text, 'lost'::text])))
);

ALTER TABLE public.batches OWNER TO lanekeeper_migrator;

CREATE TABLE public.consents (
    user_id text NOT NULL,
    topic text NOT NULL,
    given boolean NOT NULL,
    changed_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    turn_id text,
    CONSTRAINT consents_topic_check CHECK ((topic = 'proactive'::text))
);

ALTER TABLE ONLY public.consents FORCE ROW LEVEL SECURITY;

ALTER TABLE public.consents OWNER TO lanekeeper_migrator;

CREATE TABLE public.control_confirms (
    conversation_id text NOT NULL,
    user_id text NOT NULL,
    control text NOT NULL,
    state text DEFAULT 'asked'::text NOT NULL,
    asked_turn_id text NOT NULL,
    asked_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT control_confirms_control_check CHECK ((control = ANY (ARRAY['opt_out'::text, 'delete'::text]))),
    CONSTRAINT control_confirms_state_check CHECK ((state = ANY (ARRAY['asked'::text, 'confirmed'::text])))
);

ALTER TABLE ONLY public.control_confirms FORCE ROW LEVEL SECURITY;

ALTER TABLE public.control_confirms OWNER TO lanekeeper_migrator;

CREATE TABLE public.conversations (
    id text NOT NULL,
    user_id text NOT NULL,
    alias text,
    title text DEFAULT ''::text NOT NULL,
    agent_id text NOT NULL,
    model_id text,
    held_by text,
    created_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    updated_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    agent_state jsonb DEFAULT '{}'::jsonb NOT NULL,
    fill_tokens integer DEFAULT 0 NOT NULL,
    CONSTRAINT conversations_agent_state_check CHECK ((jsonb_typeof(agent_state) = 'object'::text))
);

ALTER TABLE ONLY public.conversations FORCE ROW LEVEL SECURITY;

ALTER TABLE public.conversations OWNER TO lanekeeper_migrator;

CREATE TABLE public.costs (
    id bigint NOT NULL,
    user_id text NOT NULL,
    turn_id text,
    call_id text NOT NULL,
    feature text NOT NULL,
    model text NOT NULL,
    micros bigint DEFAULT 0 NOT NULL,
    status text NOT NULL,
    input_tokens integer DEFAULT 0 NOT NULL,
    cached_tokens integer DEFAULT 0 NOT NULL,
    output_tokens integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    CONSTRAINT costs_status_check CHECK ((status = ANY (ARRAY['exact'::text, 'estimated'::text, 'failed'::text])))
)
WITH (fillfactor='85');

ALTER TABLE ONLY public.costs FORCE ROW LEVEL SECURITY;

ALTER TABLE public.costs OWNER TO lanekeeper_migrator;

ALTER TABLE public.costs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.costs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.deletion_jobs (
    id text NOT NULL,
    user_id text,
    subject_hash text NOT NULL,
    step text DEFAULT 'requested'::text NOT NULL,
    state text DEFAULT 'new'::text NOT NULL,
    requested_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT deletion_jobs_state_check CHECK ((state = ANY (ARRAY['new'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.deletion_jobs FORCE ROW LEVEL SECURITY;

ALTER TABLE public.deletion_jobs OWNER TO lanekeeper_migrator;

CREATE TABLE public.inbox (
    id bigint NOT NULL,
    user_id text NOT NULL,
    conversation_id text,
    kind text DEFAULT 'text'::text NOT NULL,
    accepted_turn_id text,
    message_id text,
    idempotency_key text NOT NULL,
    body_hash text NOT NULL,
    agent_id text,
    model_id text,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    turn_id text,
    state text DEFAULT 'new'::text NOT NULL,
    upload_id text,
    tokens integer DEFAULT 0 NOT NULL,
    CONSTRAINT inbox_check CHECK (
CASE kind
    WHEN 'upload'::text THEN (upload_id IS NOT NULL)
    ELSE (num_nulls(conversation_id, turn_id, accepted_turn_id, message_id, agent_id) = 0)
END),
    CONSTRAINT inbox_kind_check CHECK ((kind = ANY (ARRAY['text'::text, 'button'::text, 'control'::text, 'upload'::text]))),
    CONSTRAINT inbox_state_check CHECK ((state = ANY (ARRAY['new'::text, 'running'::text, 'waiting'::text, 'held'::text, 'folded'::text, 'done'::text, 'failed'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.inbox FORCE ROW LEVEL SECURITY;

ALTER TABLE public.inbox OWNER TO lanekeeper_migrator;

ALTER TABLE public.inbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.inbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.lanes (
    user_id text NOT NULL,
    ready_at timestamp with time zone,
    holder text,
    epoch bigint DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    turn_id text,
    stop_turn_id text
)
WITH (fillfactor='60');

ALTER TABLE ONLY public.lanes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.lanes OWNER TO lanekeeper_migrator;

CREATE TABLE public.late_recalls (
    conversation_id text NOT NULL,
    user_id text NOT NULL,
    note_ids text[] NOT NULL,
    found_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE ONLY public.late_recalls FORCE ROW LEVEL SECURITY;

ALTER TABLE public.late_recalls OWNER TO lanekeeper_migrator;

CREATE TABLE public.limit_hits (
    id bigint NOT NULL,
    user_id text,
    turn_id text,
    kind text NOT NULL,
    at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    once text
);

ALTER TABLE ONLY public.limit_hits FORCE ROW LEVEL SECURITY;

ALTER TABLE public.limit_hits OWNER TO lanekeeper_migrator;

ALTER TABLE public.limit_hits ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.limit_hits_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.messages (
    user_id text NOT NULL,
    id text NOT NULL,
    conversation_id text NOT NULL,
    turn_id text,
    role text NOT NULL,
    parts jsonb NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    "position" integer,
    created_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    forgotten boolean DEFAULT false NOT NULL,
    CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'staff'::text])))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.messages FORCE ROW LEVEL SECURITY;

ALTER TABLE public.messages OWNER TO lanekeeper_migrator;

CREATE TABLE public.migrations (
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE public.migrations OWNER TO lanekeeper_migrator;

CREATE TABLE public.model_requests (
    id bigint NOT NULL,
    user_id text NOT NULL,
    turn_id text,
    body jsonb NOT NULL,
    at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE ONLY public.model_requests FORCE ROW LEVEL SECURITY;

ALTER TABLE public.model_requests OWNER TO lanekeeper_migrator;

ALTER TABLE public.model_requests ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.model_requests_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.nightly_clock (
    one boolean DEFAULT true NOT NULL,
    ran_at timestamp with time zone,
    swept_at timestamp with time zone,
    CONSTRAINT nightly_clock_one_check CHECK (one)
);

ALTER TABLE public.nightly_clock OWNER TO lanekeeper_migrator;

CREATE TABLE public.nightly_people (
    night date NOT NULL,
    user_id text NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    batch_id text,
    tries integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    reason text,
    claimed_until timestamp with time zone,
    settled_at timestamp with time zone,
    CONSTRAINT nightly_people_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'covered'::text, 'skipped'::text, 'failed'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.nightly_people FORCE ROW LEVEL SECURITY;

ALTER TABLE public.nightly_people OWNER TO lanekeeper_migrator;

CREATE TABLE public.nightly_runs (
    night date NOT NULL,
    covered integer DEFAULT 0 NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    began_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    ran_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE public.nightly_runs OWNER TO lanekeeper_migrator;

CREATE TABLE public.note_progress (
    conversation_id text NOT NULL,
    user_id text NOT NULL,
    "position" integer NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    read_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE ONLY public.note_progress FORCE ROW LEVEL SECURITY;

ALTER TABLE public.note_progress OWNER TO lanekeeper_migrator;

CREATE TABLE public.notes (
    id text NOT NULL,
    user_id text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    source text NOT NULL,
    source_message_id text NOT NULL,
    language text DEFAULT 'en'::text NOT NULL,
    saved_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    expires_at timestamp with time zone,
    replaces text,
    replaced_by text,
    folded text GENERATED ALWAYS AS (lanekeeper.folded(((subject || ' '::text) || body))) STORED NOT NULL,
    words tsvector GENERATED ALWAYS AS (lanekeeper.note_words(language, ((subject || ' '::text) || body))) STORED NOT NULL,
    CONSTRAINT notes_kind_check CHECK ((kind = ANY (ARRAY['fact'::text, 'preference'::text, 'dislike'::text, 'plan'::text]))),
    CONSTRAINT notes_source_check CHECK ((source = ANY (ARRAY['stated'::text, 'inferred'::text])))
);

ALTER TABLE ONLY public.notes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.notes OWNER TO lanekeeper_migrator;

CREATE TABLE public.outbox (
    id bigint NOT NULL,
    user_id text NOT NULL,
    conversation_id text NOT NULL,
    turn_id text,
    idempotency_key text NOT NULL,
    intent text NOT NULL,
    data jsonb NOT NULL,
    state text DEFAULT 'new'::text NOT NULL,
    created_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT outbox_state_check CHECK ((state = ANY (ARRAY['new'::text, 'sent'::text, 'dropped'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.outbox FORCE ROW LEVEL SECURITY;

ALTER TABLE public.outbox OWNER TO lanekeeper_migrator;

ALTER TABLE public.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.profiles (
    user_id text NOT NULL,
    name text,
    home_city text,
    plan_tier text,
    budget_amount bigint,
    budget_currency text,
    changed_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    CONSTRAINT profiles_check CHECK (((budget_amount IS NULL) = (budget_currency IS NULL)))
);

ALTER TABLE ONLY public.profiles FORCE ROW LEVEL SECURITY;

ALTER TABLE public.profiles OWNER TO lanekeeper_migrator;

CREATE TABLE public.reply_chunks (
    turn_id text NOT NULL,
    user_id text NOT NULL,
    seq integer NOT NULL,
    chunk jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE ONLY public.reply_chunks FORCE ROW LEVEL SECURITY;

ALTER TABLE public.reply_chunks OWNER TO lanekeeper_migrator;

CREATE TABLE public.settings (
    key text NOT NULL,
    value jsonb NOT NULL,
    changed_by text NOT NULL,
    changed_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE public.settings OWNER TO lanekeeper_migrator;

CREATE TABLE public.spend_days (
    day date NOT NULL,
    micros bigint NOT NULL,
    checked_at timestamp with time zone NOT NULL,
    over_at timestamp with time zone
);

ALTER TABLE public.spend_days OWNER TO lanekeeper_migrator;

CREATE TABLE public.spent_keys (
    user_id text NOT NULL,
    idempotency_key text NOT NULL,
    spent_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE ONLY public.spent_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE public.spent_keys OWNER TO lanekeeper_migrator;

CREATE TABLE public.staff_items (
    id text NOT NULL,
    user_id text NOT NULL,
    conversation_id text NOT NULL,
    turn_id text,
    kind text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    summary text DEFAULT ''::text NOT NULL,
    opened_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT staff_items_kind_check CHECK ((kind = ANY (ARRAY['handover'::text, 'complaint'::text]))),
    CONSTRAINT staff_items_state_check CHECK ((state = ANY (ARRAY['open'::text, 'taken'::text, 'closed'::text])))
);

ALTER TABLE ONLY public.staff_items FORCE ROW LEVEL SECURITY;

ALTER TABLE public.staff_items OWNER TO lanekeeper_migrator;

CREATE UNLOGGED TABLE public.stream_sessions (
    user_id text NOT NULL,
    id text NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.stream_sessions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.stream_sessions OWNER TO lanekeeper_migrator;

CREATE TABLE public.summaries (
    conversation_id text NOT NULL,
    user_id text NOT NULL,
    body text NOT NULL,
    covers_until integer NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    made_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE ONLY public.summaries FORCE ROW LEVEL SECURITY;

ALTER TABLE public.summaries OWNER TO lanekeeper_migrator;

CREATE TABLE public.thread_messages (
    conversation_id text NOT NULL,
    "position" integer NOT NULL,
    user_id text NOT NULL,
    message_id text NOT NULL,
    turn_id text,
    message jsonb NOT NULL
);

ALTER TABLE ONLY public.thread_messages FORCE ROW LEVEL SECURITY;

ALTER TABLE public.thread_messages OWNER TO lanekeeper_migrator;

CREATE TABLE public.tombstones (
    id text NOT NULL,
    user_id text NOT NULL,
    subject text NOT NULL,
    digests text[] DEFAULT '{}'::text[] NOT NULL,
    together text[] DEFAULT '{}'::text[] NOT NULL,
    forgotten_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE ONLY public.tombstones FORCE ROW LEVEL SECURITY;

ALTER TABLE public.tombstones OWNER TO lanekeeper_migrator;

CREATE TABLE public.traces (
    turn_id text NOT NULL,
    user_id text NOT NULL,
    spans json NOT NULL,
    at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL
);

ALTER TABLE ONLY public.traces FORCE ROW LEVEL SECURITY;

ALTER TABLE public.traces OWNER TO lanekeeper_migrator;

CREATE TABLE public.turns (
    id text NOT NULL,
    user_id text NOT NULL,
    conversation_id text NOT NULL,
    agent_id text NOT NULL,
    reply_id text NOT NULL,
    accepted_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    model_id text,
    state text DEFAULT 'queued'::text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    prompt_version text,
    prompt_hash text,
    started_at timestamp with time zone,
    first_reply_at timestamp with time zone,
    finished_at timestamp with time zone,
    timings jsonb DEFAULT '{}'::jsonb NOT NULL,
    usage jsonb DEFAULT '{}'::jsonb NOT NULL,
    failure text,
    CONSTRAINT turns_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text, 'stopped'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.turns FORCE ROW LEVEL SECURITY;

ALTER TABLE public.turns OWNER TO lanekeeper_migrator;

CREATE TABLE public.uploads (
    id text NOT NULL,
    user_id text NOT NULL,
    idempotency_key text,
    name text NOT NULL,
    kind text NOT NULL,
    media_type text NOT NULL,
    bytes integer NOT NULL,
    sha256 text NOT NULL,
    content bytea,
    text text,
    chars integer,
    cut boolean DEFAULT false NOT NULL,
    pages integer,
    state text DEFAULT 'quarantined'::text NOT NULL,
    message text,
    attempt integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    checked_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT uploads_kind_check CHECK ((kind = ANY (ARRAY['image'::text, 'file'::text]))),
    CONSTRAINT uploads_state_check CHECK ((state = ANY (ARRAY['quarantined'::text, 'checking'::text, 'ok'::text, 'refused'::text, 'sensitive'::text, 'expired'::text])))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.uploads ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.uploads FORCE ROW LEVEL SECURITY;

ALTER TABLE public.uploads OWNER TO lanekeeper_migrator;

CREATE TABLE public.users (
    id text NOT NULL,
    name text,
    timezone text DEFAULT 'UTC'::text NOT NULL,
    created_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    forgets integer DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.users FORCE ROW LEVEL SECURITY;

ALTER TABLE public.users OWNER TO lanekeeper_migrator;

CREATE TABLE public.verdicts (
    turn_id text NOT NULL,
    user_id text NOT NULL,
    asked_at timestamp with time zone DEFAULT lanekeeper.now() NOT NULL,
    source text NOT NULL,
    scores jsonb NOT NULL,
    took_ms integer NOT NULL,
    CONSTRAINT verdicts_source_check CHECK ((source = ANY (ARRAY['gateway'::text, 'chat'::text, 'words'::text])))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.verdicts FORCE ROW LEVEL SECURITY;

ALTER TABLE public.verdicts OWNER TO lanekeeper_migrator;

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.batch_lines
    ADD CONSTRAINT batch_lines_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_pkey PRIMARY KEY (user_id, topic);

ALTER TABLE ONLY public.control_confirms
    ADD CONSTRAINT control_confirms_pkey PRIMARY KEY (conversation_id);

ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_user_id_alias_key UNIQUE (user_id, alias);

ALTER TABLE ONLY public.costs
    ADD CONSTRAINT costs_call_id_key UNIQUE (call_id);

ALTER TABLE ONLY public.costs
    ADD CONSTRAINT costs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.deletion_jobs
    ADD CONSTRAINT deletion_jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_accepted_turn_id_key UNIQUE (accepted_turn_id);

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (user_id, idempotency_key);

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.late_recalls
    ADD CONSTRAINT late_recalls_pkey PRIMARY KEY (conversation_id);

ALTER TABLE ONLY public.limit_hits
    ADD CONSTRAINT limit_hits_once_key UNIQUE (once);

ALTER TABLE ONLY public.limit_hits
    ADD CONSTRAINT limit_hits_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (user_id, id);

ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.model_requests
    ADD CONSTRAINT model_requests_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.nightly_clock
    ADD CONSTRAINT nightly_clock_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.nightly_people
    ADD CONSTRAINT nightly_people_pkey PRIMARY KEY (night, user_id);

ALTER TABLE ONLY public.nightly_runs
    ADD CONSTRAINT nightly_runs_pkey PRIMARY KEY (night);

ALTER TABLE ONLY public.note_progress
    ADD CONSTRAINT note_progress_pkey PRIMARY KEY (conversation_id);

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (idempotency_key);

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.reply_chunks
    ADD CONSTRAINT reply_chunks_pkey PRIMARY KEY (turn_id, seq);

ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.spend_days
    ADD CONSTRAINT spend_days_pkey PRIMARY KEY (day);

ALTER TABLE ONLY public.spent_keys
    ADD CONSTRAINT spent_keys_pkey PRIMARY KEY (user_id, idempotency_key);

ALTER TABLE ONLY public.staff_items
    ADD CONSTRAINT staff_items_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.stream_sessions
    ADD CONSTRAINT stream_sessions_pkey PRIMARY KEY (user_id, id);

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_pkey PRIMARY KEY (conversation_id);

ALTER TABLE ONLY public.thread_messages
    ADD CONSTRAINT thread_messages_pkey PRIMARY KEY (conversation_id, "position");

ALTER TABLE ONLY public.timers
    ADD CONSTRAINT timers_pkey PRIMARY KEY (kind, key);

ALTER TABLE ONLY public.tombstones
    ADD CONSTRAINT tombstones_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.traces
    ADD CONSTRAINT traces_pkey PRIMARY KEY (turn_id);

ALTER TABLE ONLY public.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.uploads
    ADD CONSTRAINT uploads_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.uploads
    ADD CONSTRAINT uploads_user_id_idempotency_key_key UNIQUE (user_id, idempotency_key);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.verdicts
    ADD CONSTRAINT verdicts_pkey PRIMARY KEY (turn_id);

CREATE INDEX batch_lines_of_batch ON public.batch_lines USING btree (batch_id);

CREATE INDEX batch_lines_of_conversation ON public.batch_lines USING btree (conversation_id);

CREATE INDEX batch_lines_of_person ON public.batch_lines USING btree (user_id);

CREATE INDEX batches_open ON public.batches USING btree (made_at) WHERE (state = ANY (ARRAY['building'::text, 'sent'::text]));

CREATE INDEX control_confirms_of_person ON public.control_confirms USING btree (user_id);

CREATE INDEX conversations_recent ON public.conversations USING btree (user_id, updated_at DESC, id DESC);

CREATE INDEX costs_by_time ON public.costs USING btree (created_at);

CREATE INDEX costs_of_person ON public.costs USING btree (user_id, created_at);

CREATE UNIQUE INDEX deletion_jobs_open ON public.deletion_jobs USING btree (subject_hash) WHERE (state <> 'done'::text);

CREATE INDEX inbox_of_conversation ON public.inbox USING btree (conversation_id);

CREATE INDEX inbox_of_upload ON public.inbox USING btree (upload_id) WHERE (upload_id IS NOT NULL);

CREATE INDEX inbox_open ON public.inbox USING btree (user_id, id) WHERE (state = ANY (ARRAY['new'::text, 'running'::text]));

CREATE INDEX inbox_waiting ON public.inbox USING btree (user_id, conversation_id) WHERE (state = 'waiting'::text);

CREATE INDEX lanes_ready ON public.lanes USING btree (ready_at) WHERE (ready_at IS NOT NULL);

CREATE INDEX late_recalls_of_person ON public.late_recalls USING btree (user_id);

CREATE INDEX limit_hits_by_time ON public.limit_hits USING btree (at);

CREATE INDEX limit_hits_of_turn ON public.limit_hits USING btree (turn_id);

CREATE INDEX messages_history ON public.messages USING btree (conversation_id, "position");

CREATE INDEX messages_with_files ON public.messages USING btree (user_id) WHERE (parts @> '[{"type": "file"}]'::jsonb);

CREATE INDEX model_requests_of_person ON public.model_requests USING btree (user_id);

CREATE INDEX model_requests_of_turn ON public.model_requests USING btree (turn_id);

CREATE INDEX nightly_people_of_batch ON public.nightly_people USING btree (batch_id) WHERE (batch_id IS NOT NULL);

CREATE INDEX nightly_people_of_person ON public.nightly_people USING btree (user_id);

CREATE INDEX nightly_people_waiting ON public.nightly_people USING btree (night, user_id) WHERE (state = 'waiting'::text);

CREATE INDEX note_progress_of_person ON public.note_progress USING btree (user_id);

CREATE INDEX notes_by_end ON public.notes USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX notes_by_message ON public.notes USING btree (user_id, source_message_id);

CREATE INDEX notes_by_subject ON public.notes USING btree (user_id, subject) WHERE (replaced_by IS NULL);

CREATE INDEX notes_by_word ON public.notes USING gin (user_id, words) WITH (fastupdate=off) WHERE (replaced_by IS NULL);

CREATE INDEX notes_newest ON public.notes USING btree (user_id, saved_at DESC, id DESC) WHERE (replaced_by IS NULL);

CREATE INDEX outbox_of_conversation ON public.outbox USING btree (conversation_id);

CREATE INDEX outbox_of_person ON public.outbox USING btree (user_id, id) WHERE (state = 'new'::text);

CREATE INDEX staff_items_of_conversation ON public.staff_items USING btree (conversation_id);

CREATE INDEX staff_items_of_person ON public.staff_items USING btree (user_id);

CREATE UNIQUE INDEX staff_items_open ON public.staff_items USING btree (conversation_id, kind) WHERE (state <> 'closed'::text);

CREATE INDEX summaries_of_person ON public.summaries USING btree (user_id);

CREATE INDEX timers_due ON public.timers USING btree (run_at);

CREATE INDEX timers_of_conversation ON public.timers USING btree (conversation_id);

CREATE INDEX timers_pressing ON public.timers USING btree (run_at) WHERE (kind = 'compaction'::text);

CREATE INDEX tombstones_of_person ON public.tombstones USING btree (user_id);

CREATE INDEX turns_by_hash ON public.turns USING btree (lanekeeper.hashed(user_id), id);

CREATE INDEX turns_of_conversation ON public.turns USING btree (conversation_id, accepted_at);

CREATE INDEX turns_with_failure ON public.turns USING btree (failure, id) WHERE (failure IS NOT NULL);

CREATE INDEX uploads_expiring ON public.uploads USING btree (expires_at);

ALTER TABLE ONLY public.batch_lines
    ADD CONSTRAINT batch_lines_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.batches(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.batch_lines
    ADD CONSTRAINT batch_lines_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.batch_lines
    ADD CONSTRAINT batch_lines_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.control_confirms
    ADD CONSTRAINT control_confirms_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.control_confirms
    ADD CONSTRAINT control_confirms_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES public.uploads(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.late_recalls
    ADD CONSTRAINT late_recalls_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.late_recalls
    ADD CONSTRAINT late_recalls_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.nightly_people
    ADD CONSTRAINT nightly_people_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.batches(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.nightly_people
    ADD CONSTRAINT nightly_people_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.note_progress
    ADD CONSTRAINT note_progress_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.note_progress
    ADD CONSTRAINT note_progress_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_message_fkey FOREIGN KEY (user_id, source_message_id) REFERENCES public.messages(user_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.reply_chunks
    ADD CONSTRAINT reply_chunks_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES public.turns(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.spent_keys
    ADD CONSTRAINT spent_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.staff_items
    ADD CONSTRAINT staff_items_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.staff_items
    ADD CONSTRAINT staff_items_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.thread_messages
    ADD CONSTRAINT thread_messages_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.timers
    ADD CONSTRAINT timers_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tombstones
    ADD CONSTRAINT tombstones_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.traces
    ADD CONSTRAINT traces_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES public.turns(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.turns
    ADD CONSTRAINT turns_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES public.conversations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.uploads
    ADD CONSTRAINT uploads_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.verdicts
    ADD CONSTRAINT verdicts_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES public.turns(id) ON DELETE CASCADE;

CREATE POLICY accept ON public.note_progress FOR SELECT TO lanekeeper_accept USING ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY accept ON public.notes TO lanekeeper_accept USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY admin ON public.costs FOR SELECT TO lanekeeper_admin USING (true);

CREATE POLICY admin ON public.inbox FOR SELECT TO lanekeeper_admin USING (true);

CREATE POLICY admin ON public.limit_hits FOR SELECT TO lanekeeper_admin USING (true);

CREATE POLICY admin ON public.model_requests FOR SELECT TO lanekeeper_admin USING (true);

CREATE POLICY admin ON public.nightly_people FOR SELECT TO lanekeeper_admin USING (true);

CREATE POLICY admin ON public.traces FOR SELECT TO lanekeeper_admin USING (true);

CREATE POLICY admin ON public.turns FOR SELECT TO lanekeeper_admin USING (true);

CREATE POLICY admin ON public.verdicts FOR SELECT TO lanekeeper_admin USING (true);

ALTER TABLE public.batch_lines ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.consents ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.control_confirms ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.conversations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.costs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deletion_jobs ENABLE ROW LEVEL SECURITY;

CREATE POLICY dispatch ON public.batch_lines FOR SELECT TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.conversations FOR SELECT TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.costs FOR SELECT TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.inbox FOR SELECT TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.lanes TO lanekeeper_dispatch USING (true) WITH CHECK (true);

CREATE POLICY dispatch ON public.limit_hits TO lanekeeper_dispatch USING (true) WITH CHECK (true);

CREATE POLICY dispatch ON public.messages FOR SELECT TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.model_requests TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.nightly_people TO lanekeeper_dispatch USING (true) WITH CHECK (true);

CREATE POLICY dispatch ON public.note_progress FOR SELECT TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.notes TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.outbox FOR SELECT TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.reply_chunks TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.spent_keys TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.stream_sessions TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.timers TO lanekeeper_dispatch USING (true) WITH CHECK (true);

CREATE POLICY dispatch ON public.traces TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.turns FOR SELECT TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.uploads TO lanekeeper_dispatch USING (true) WITH CHECK (true);

CREATE POLICY dispatch ON public.users FOR SELECT TO lanekeeper_dispatch USING (true);

CREATE POLICY dispatch ON public.verdicts TO lanekeeper_dispatch USING (true);

ALTER TABLE public.inbox ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.lanes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.late_recalls ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.limit_hits ENABLE ROW LEVEL SECURITY;

CREATE POLICY maintenance ON public.notes TO lanekeeper_maintenance USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY maintenance ON public.uploads FOR SELECT TO lanekeeper_maintenance USING ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY maintenance ON public.verdicts FOR SELECT TO lanekeeper_maintenance USING ((user_id = ( SELECT lanekeeper.person() AS person)));

ALTER TABLE public.messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.model_requests ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.nightly_people ENABLE ROW LEVEL SECURITY;

CREATE POLICY nobodys ON public.timers TO lanekeeper_maintenance USING ((user_id IS NULL)) WITH CHECK ((user_id IS NULL));

ALTER TABLE public.note_progress ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.notes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_rows ON public.batch_lines TO lanekeeper_maintenance USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.consents TO lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.control_confirms TO lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.conversations TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.costs TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.deletion_jobs TO lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.inbox TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.lanes TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.late_recalls TO lanekeeper_accept, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.limit_hits TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.messages TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.model_requests TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.nightly_people TO lanekeeper_maintenance USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.note_progress TO lanekeeper_maintenance, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.notes TO lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.outbox TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.profiles TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.reply_chunks TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.spent_keys TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.staff_items TO lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.stream_sessions TO lanekeeper_stream USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.summaries TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.thread_messages TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.timers TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.tombstones TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.traces TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.turns TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.uploads TO lanekeeper_accept, lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.users TO lanekeeper_accept, lanekeeper_maintenance, lanekeeper_stream, lanekeeper_worker USING ((id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((id = ( SELECT lanekeeper.person() AS person)));

CREATE POLICY own_rows ON public.verdicts TO lanekeeper_worker USING ((user_id = ( SELECT lanekeeper.person() AS person))) WITH CHECK ((user_id = ( SELECT lanekeeper.person() AS person)));

ALTER TABLE public.profiles ENABLE ROW LEVEL SECURITY;

CREATE POLICY recall ON public.notes FOR SELECT TO lanekeeper_recall USING (true);

ALTER TABLE public.reply_chunks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.spent_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.staff_items ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.stream_sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.summaries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.thread_messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.timers ENABLE ROW LEVEL SECURITY;

CREATE POLICY told ON public.verdicts FOR SELECT TO lanekeeper_stream USING ((user_id = ( SELECT lanekeeper.person() AS person)));

ALTER TABLE public.tombstones ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.traces ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.turns ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.uploads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.verdicts ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA lanekeeper TO lanekeeper_accept;
GRANT USAGE ON SCHEMA lanekeeper TO lanekeeper_stream;
GRANT USAGE ON SCHEMA lanekeeper TO lanekeeper_worker;
GRANT USAGE ON SCHEMA lanekeeper TO lanekeeper_maintenance;
GRANT USAGE ON SCHEMA lanekeeper TO lanekeeper_dispatch;
GRANT USAGE ON SCHEMA lanekeeper TO lanekeeper_admin;
GRANT USAGE ON SCHEMA lanekeeper TO lanekeeper_recall;

GRANT USAGE ON SCHEMA public TO lanekeeper_accept;
GRANT USAGE ON SCHEMA public TO lanekeeper_stream;
GRANT USAGE ON SCHEMA public TO lanekeeper_worker;
GRANT USAGE ON SCHEMA public TO lanekeeper_maintenance;
GRANT USAGE ON SCHEMA public TO lanekeeper_dispatch;
GRANT USAGE ON SCHEMA public TO lanekeeper_admin;
GRANT USAGE ON SCHEMA public TO lanekeeper_recall;

REVOKE ALL ON FUNCTION lanekeeper.admin_costs(actor text, since timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.admin_costs(actor text, since timestamp with time zone, until timestamp with time zone) TO lanekeeper_accept;

REVOKE ALL ON FUNCTION lanekeeper.admin_limits(actor text, since timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.admin_limits(actor text, since timestamp with time zone, until timestamp with time zone) TO lanekeeper_accept;

REVOKE ALL ON FUNCTION lanekeeper.admin_nights(actor text, since date, until date) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.admin_nights(actor text, since date, until date) TO lanekeeper_accept;

REVOKE ALL ON FUNCTION lanekeeper.admin_requests(actor text, id text) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.admin_requests(actor text, id text) TO lanekeeper_accept;

REVOKE ALL ON FUNCTION lanekeeper.admin_spenders(actor text, since timestamp with time zone, until timestamp with time zone, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.admin_spenders(actor text, since timestamp with time zone, until timestamp with time zone, at_most integer) TO lanekeeper_accept;

REVOKE ALL ON FUNCTION lanekeeper.admin_turn(actor text, id text) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.admin_turn(actor text, id text) TO lanekeeper_accept;

REVOKE ALL ON FUNCTION lanekeeper.admin_turns(actor text, before text, at_most integer, in_state text, of_user text, with_failure text) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.admin_turns(actor text, before text, at_most integer, in_state text, of_user text, with_failure text) TO lanekeeper_accept;

REVOKE ALL ON FUNCTION lanekeeper.check_spend(day_micros bigint, person_micros bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.check_spend(day_micros bigint, person_micros bigint) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.claim_lane(holder text, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.claim_lane(holder text, lease interval) TO lanekeeper_worker;

REVOKE ALL ON FUNCTION lanekeeper.claim_nightly(at_most integer, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.claim_nightly(at_most integer, lease interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.claim_timer(lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.claim_timer(lease interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.end_connections(holder text) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.end_connections(holder text) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.enqueue_nightly(open_days boolean, retry interval, attempts integer) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.enqueue_nightly(open_days boolean, retry interval, attempts integer) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.forget_streams(silent interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.forget_streams(silent interval) TO lanekeeper_stream;

GRANT SELECT,INSERT,UPDATE ON TABLE public.timers TO lanekeeper_accept;
GRANT SELECT,INSERT,UPDATE ON TABLE public.timers TO lanekeeper_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.timers TO lanekeeper_maintenance;
GRANT SELECT,UPDATE ON TABLE public.timers TO lanekeeper_dispatch;

REVOKE ALL ON FUNCTION lanekeeper.lapsed_lanes(lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.lapsed_lanes(lease interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.maintenance_is_due() FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.maintenance_is_due() TO lanekeeper_maintenance;
GRANT ALL ON FUNCTION lanekeeper.maintenance_is_due() TO lanekeeper_migrator;

REVOKE ALL ON FUNCTION lanekeeper.nightly_due(open_days boolean, retry interval, attempts integer) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.nightly_due(open_days boolean, retry interval, attempts integer) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.nightly_is_due(retry interval, attempts integer, sweeps interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.nightly_is_due(retry interval, attempts integer, sweeps interval) TO lanekeeper_maintenance;
GRANT ALL ON FUNCTION lanekeeper.nightly_is_due(retry interval, attempts integer, sweeps interval) TO lanekeeper_migrator;

REVOKE ALL ON FUNCTION lanekeeper.nightly_waiting() FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.nightly_waiting() TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.open_streams(silent interval, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.open_streams(silent interval, at_most integer) TO lanekeeper_stream;

REVOKE ALL ON FUNCTION lanekeeper.people_of_batch(batch text) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.people_of_batch(batch text) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.recall(message text, languages text[], aliases text[], at_most integer, matches integer) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.recall(message text, languages text[], aliases text[], at_most integer, matches integer) TO lanekeeper_worker;

REVOKE ALL ON FUNCTION lanekeeper.release_batch(batch text) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.release_batch(batch text) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.spend_is_unchecked() FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.spend_is_unchecked() TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.start_maintenance(job text, open_days boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION lanekeeper.stray_lanes() FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.stray_lanes() TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.stray_waiting() FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.stray_waiting() TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.sweep_chunks(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.sweep_chunks(older_than interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.sweep_keys(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.sweep_keys(older_than interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.sweep_nights(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.sweep_nights(older_than interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.sweep_notes() FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.sweep_notes() TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.sweep_requests(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.sweep_requests(older_than interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.sweep_traces(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.sweep_traces(older_than interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.sweep_uploads() FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.sweep_uploads() TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.sweep_verdicts(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.sweep_verdicts(older_than interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.timers_are_due() FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.timers_are_due() TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.undelivered(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.undelivered(older_than interval) TO lanekeeper_maintenance;

REVOKE ALL ON FUNCTION lanekeeper.waiting_lanes(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION lanekeeper.waiting_lanes(older_than interval) TO lanekeeper_maintenance;

GRANT INSERT ON TABLE public.audit_log TO lanekeeper_admin;

GRANT USAGE ON SEQUENCE public.audit_log_id_seq TO lanekeeper_admin;

GRANT SELECT,INSERT,DELETE ON TABLE public.batch_lines TO lanekeeper_maintenance;
GRANT SELECT ON TABLE public.batch_lines TO lanekeeper_dispatch;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.batches TO lanekeeper_maintenance;
GRANT SELECT ON TABLE public.batches TO lanekeeper_dispatch;

GRANT SELECT,INSERT,UPDATE ON TABLE public.consents TO lanekeeper_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.control_confirms TO lanekeeper_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.conversations TO lanekeeper_accept;
GRANT SELECT ON TABLE public.conversations TO lanekeeper_stream;
GRANT SELECT,UPDATE ON TABLE public.conversations TO lanekeeper_worker;
GRANT SELECT ON TABLE public.conversations TO lanekeeper_maintenance;

GRANT SELECT(id) ON TABLE public.conversations TO lanekeeper_dispatch;

GRANT SELECT(user_id) ON TABLE public.conversations TO lanekeeper_dispatch;

GRANT SELECT(updated_at) ON TABLE public.conversations TO lanekeeper_dispatch;

GRANT UPDATE(fill_tokens) ON TABLE public.conversations TO lanekeeper_maintenance;

GRANT SELECT,INSERT,UPDATE ON TABLE public.costs TO lanekeeper_worker;
GRANT SELECT ON TABLE public.costs TO lanekeeper_admin;
GRANT SELECT,INSERT,UPDATE ON TABLE public.costs TO lanekeeper_maintenance;

GRANT SELECT(user_id) ON TABLE public.costs TO lanekeeper_dispatch;

GRANT SELECT(micros) ON TABLE public.costs TO lanekeeper_dispatch;

GRANT SELECT(created_at) ON TABLE public.costs TO lanekeeper_dispatch;

GRANT SELECT,INSERT ON TABLE public.deletion_jobs TO lanekeeper_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.inbox TO lanekeeper_accept;
GRANT SELECT ON TABLE public.inbox TO lanekeeper_stream;
GRANT SELECT,UPDATE ON TABLE public.inbox TO lanekeeper_worker;
GRANT SELECT ON TABLE public.inbox TO lanekeeper_maintenance;

GRANT SELECT(id) ON TABLE public.inbox TO lanekeeper_dispatch;
GRANT SELECT(id) ON TABLE public.inbox TO lanekeeper_admin;

GRANT SELECT(user_id) ON TABLE public.inbox TO lanekeeper_dispatch;
GRANT SELECT(user_id) ON TABLE public.inbox TO lanekeeper_admin;

GRANT SELECT(conversation_id) ON TABLE public.inbox TO lanekeeper_admin;
GRANT SELECT(conversation_id) ON TABLE public.inbox TO lanekeeper_dispatch;

GRANT SELECT(kind) ON TABLE public.inbox TO lanekeeper_admin;

GRANT SELECT(accepted_turn_id) ON TABLE public.inbox TO lanekeeper_admin;

GRANT SELECT(created_at) ON TABLE public.inbox TO lanekeeper_dispatch;
GRANT SELECT(created_at) ON TABLE public.inbox TO lanekeeper_admin;

GRANT SELECT(turn_id) ON TABLE public.inbox TO lanekeeper_admin;

GRANT SELECT(state) ON TABLE public.inbox TO lanekeeper_dispatch;
GRANT SELECT(state) ON TABLE public.inbox TO lanekeeper_admin;
GRANT UPDATE(state) ON TABLE public.inbox TO lanekeeper_maintenance;

GRANT SELECT,INSERT,UPDATE ON TABLE public.lanes TO lanekeeper_accept;
GRANT SELECT,UPDATE ON TABLE public.lanes TO lanekeeper_worker;
GRANT SELECT,UPDATE ON TABLE public.lanes TO lanekeeper_maintenance;
GRANT SELECT,UPDATE ON TABLE public.lanes TO lanekeeper_dispatch;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.late_recalls TO lanekeeper_worker;
GRANT SELECT,DELETE ON TABLE public.late_recalls TO lanekeeper_accept;

GRANT INSERT ON TABLE public.limit_hits TO lanekeeper_worker;
GRANT INSERT ON TABLE public.limit_hits TO lanekeeper_dispatch;
GRANT SELECT ON TABLE public.limit_hits TO lanekeeper_admin;
GRANT INSERT ON TABLE public.limit_hits TO lanekeeper_maintenance;

GRANT SELECT(user_id) ON TABLE public.limit_hits TO lanekeeper_dispatch;

GRANT SELECT(kind) ON TABLE public.limit_hits TO lanekeeper_dispatch;

GRANT SELECT(at) ON TABLE public.limit_hits TO lanekeeper_dispatch;

GRANT USAGE ON SEQUENCE public.limit_hits_id_seq TO lanekeeper_dispatch;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.messages TO lanekeeper_accept;
GRANT SELECT ON TABLE public.messages TO lanekeeper_stream;
GRANT SELECT,INSERT,UPDATE ON TABLE public.messages TO lanekeeper_worker;
GRANT SELECT ON TABLE public.messages TO lanekeeper_maintenance;

GRANT SELECT(conversation_id) ON TABLE public.messages TO lanekeeper_dispatch;

GRANT SELECT(role) ON TABLE public.messages TO lanekeeper_dispatch;

GRANT SELECT("position") ON TABLE public.messages TO lanekeeper_dispatch;

GRANT SELECT(created_at) ON TABLE public.messages TO lanekeeper_dispatch;

GRANT SELECT(forgotten) ON TABLE public.messages TO lanekeeper_dispatch;

GRANT INSERT,DELETE ON TABLE public.model_requests TO lanekeeper_worker;
GRANT DELETE ON TABLE public.model_requests TO lanekeeper_dispatch;
GRANT DELETE ON TABLE public.model_requests TO lanekeeper_accept;
GRANT SELECT ON TABLE public.model_requests TO lanekeeper_admin;

GRANT SELECT(id) ON TABLE public.model_requests TO lanekeeper_dispatch;

GRANT SELECT(user_id) ON TABLE public.model_requests TO lanekeeper_accept;
GRANT SELECT(user_id) ON TABLE public.model_requests TO lanekeeper_worker;

GRANT SELECT(turn_id) ON TABLE public.model_requests TO lanekeeper_accept;

GRANT SELECT(at) ON TABLE public.model_requests TO lanekeeper_dispatch;

GRANT SELECT,INSERT,UPDATE ON TABLE public.nightly_clock TO lanekeeper_maintenance;
GRANT SELECT ON TABLE public.nightly_clock TO lanekeeper_dispatch;
GRANT SELECT ON TABLE public.nightly_clock TO lanekeeper_admin;

GRANT SELECT,UPDATE ON TABLE public.nightly_people TO lanekeeper_maintenance;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.nightly_people TO lanekeeper_dispatch;

GRANT SELECT(night) ON TABLE public.nightly_people TO lanekeeper_admin;

GRANT SELECT(state) ON TABLE public.nightly_people TO lanekeeper_admin;

GRANT SELECT,INSERT,UPDATE ON TABLE public.nightly_runs TO lanekeeper_maintenance;
GRANT SELECT,UPDATE ON TABLE public.nightly_runs TO lanekeeper_dispatch;
GRANT SELECT ON TABLE public.nightly_runs TO lanekeeper_admin;

GRANT SELECT,INSERT,UPDATE ON TABLE public.note_progress TO lanekeeper_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE public.note_progress TO lanekeeper_maintenance;
GRANT SELECT ON TABLE public.note_progress TO lanekeeper_accept;

GRANT SELECT(conversation_id) ON TABLE public.note_progress TO lanekeeper_dispatch;

GRANT SELECT("position") ON TABLE public.note_progress TO lanekeeper_dispatch;

GRANT SELECT(read_at) ON TABLE public.note_progress TO lanekeeper_dispatch;

GRANT SELECT,INSERT,DELETE ON TABLE public.notes TO lanekeeper_worker;
GRANT SELECT ON TABLE public.notes TO lanekeeper_recall;
GRANT SELECT,INSERT ON TABLE public.notes TO lanekeeper_maintenance;
GRANT DELETE ON TABLE public.notes TO lanekeeper_dispatch;
GRANT SELECT,DELETE ON TABLE public.notes TO lanekeeper_accept;

GRANT SELECT(expires_at) ON TABLE public.notes TO lanekeeper_dispatch;

GRANT UPDATE(replaced_by) ON TABLE public.notes TO lanekeeper_worker;
GRANT UPDATE(replaced_by) ON TABLE public.notes TO lanekeeper_maintenance;

GRANT SELECT ON TABLE public.outbox TO lanekeeper_accept;
GRANT SELECT ON TABLE public.outbox TO lanekeeper_stream;
GRANT SELECT,INSERT,UPDATE ON TABLE public.outbox TO lanekeeper_worker;

GRANT SELECT(id) ON TABLE public.outbox TO lanekeeper_dispatch;

GRANT SELECT(user_id) ON TABLE public.outbox TO lanekeeper_dispatch;

GRANT SELECT(state) ON TABLE public.outbox TO lanekeeper_dispatch;

GRANT SELECT(created_at) ON TABLE public.outbox TO lanekeeper_dispatch;

GRANT SELECT,INSERT,UPDATE ON TABLE public.profiles TO lanekeeper_accept;
GRANT SELECT ON TABLE public.profiles TO lanekeeper_worker;
GRANT SELECT ON TABLE public.profiles TO lanekeeper_maintenance;

GRANT SELECT ON TABLE public.reply_chunks TO lanekeeper_stream;
GRANT SELECT,INSERT ON TABLE public.reply_chunks TO lanekeeper_worker;
GRANT DELETE ON TABLE public.reply_chunks TO lanekeeper_dispatch;

GRANT SELECT(turn_id) ON TABLE public.reply_chunks TO lanekeeper_dispatch;

GRANT SELECT(created_at) ON TABLE public.reply_chunks TO lanekeeper_dispatch;

GRANT SELECT ON TABLE public.settings TO lanekeeper_accept;
GRANT SELECT ON TABLE public.settings TO lanekeeper_stream;
GRANT SELECT ON TABLE public.settings TO lanekeeper_worker;
GRANT SELECT ON TABLE public.settings TO lanekeeper_maintenance;

GRANT SELECT,INSERT,UPDATE ON TABLE public.spend_days TO lanekeeper_dispatch;

GRANT SELECT,INSERT ON TABLE public.spent_keys TO lanekeeper_accept;
GRANT DELETE ON TABLE public.spent_keys TO lanekeeper_dispatch;

GRANT SELECT(spent_at) ON TABLE public.spent_keys TO lanekeeper_dispatch;

GRANT SELECT,INSERT ON TABLE public.staff_items TO lanekeeper_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.stream_sessions TO lanekeeper_stream;
GRANT DELETE ON TABLE public.stream_sessions TO lanekeeper_dispatch;

GRANT SELECT(seen_at) ON TABLE public.stream_sessions TO lanekeeper_dispatch;

GRANT SELECT,UPDATE ON TABLE public.summaries TO lanekeeper_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE public.summaries TO lanekeeper_maintenance;
GRANT SELECT ON TABLE public.summaries TO lanekeeper_accept;

GRANT UPDATE(body) ON TABLE public.summaries TO lanekeeper_accept;

GRANT UPDATE(version) ON TABLE public.summaries TO lanekeeper_accept;

GRANT SELECT,INSERT ON TABLE public.thread_messages TO lanekeeper_worker;
GRANT SELECT,DELETE ON TABLE public.thread_messages TO lanekeeper_maintenance;
GRANT SELECT ON TABLE public.thread_messages TO lanekeeper_accept;

GRANT UPDATE(message) ON TABLE public.thread_messages TO lanekeeper_maintenance;
GRANT UPDATE(message) ON TABLE public.thread_messages TO lanekeeper_accept;
GRANT UPDATE(message) ON TABLE public.thread_messages TO lanekeeper_worker;

GRANT SELECT,INSERT ON TABLE public.tombstones TO lanekeeper_accept;
GRANT SELECT,INSERT ON TABLE public.tombstones TO lanekeeper_worker;
GRANT SELECT ON TABLE public.tombstones TO lanekeeper_maintenance;

GRANT SELECT,INSERT ON TABLE public.traces TO lanekeeper_worker;
GRANT DELETE ON TABLE public.traces TO lanekeeper_dispatch;
GRANT SELECT ON TABLE public.traces TO lanekeeper_admin;

GRANT SELECT(at) ON TABLE public.traces TO lanekeeper_dispatch;

GRANT SELECT,INSERT,UPDATE ON TABLE public.turns TO lanekeeper_accept;
GRANT SELECT ON TABLE public.turns TO lanekeeper_stream;
GRANT SELECT,DELETE,UPDATE ON TABLE public.turns TO lanekeeper_worker;
GRANT SELECT ON TABLE public.turns TO lanekeeper_admin;
GRANT SELECT ON TABLE public.turns TO lanekeeper_maintenance;

GRANT SELECT(id) ON TABLE public.turns TO lanekeeper_dispatch;

GRANT SELECT(user_id) ON TABLE public.turns TO lanekeeper_dispatch;

GRANT SELECT(state) ON TABLE public.turns TO lanekeeper_dispatch;

GRANT SELECT(finished_at) ON TABLE public.turns TO lanekeeper_dispatch;

GRANT SELECT,INSERT,DELETE ON TABLE public.uploads TO lanekeeper_accept;
GRANT SELECT,UPDATE ON TABLE public.uploads TO lanekeeper_worker;
GRANT DELETE ON TABLE public.uploads TO lanekeeper_dispatch;
GRANT SELECT ON TABLE public.uploads TO lanekeeper_maintenance;

GRANT SELECT(expires_at) ON TABLE public.uploads TO lanekeeper_dispatch;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.users TO lanekeeper_accept;
GRANT SELECT ON TABLE public.users TO lanekeeper_worker;
GRANT SELECT ON TABLE public.users TO lanekeeper_maintenance;

GRANT SELECT(id) ON TABLE public.users TO lanekeeper_dispatch;

GRANT SELECT(timezone) ON TABLE public.users TO lanekeeper_dispatch;

GRANT UPDATE(forgets) ON TABLE public.users TO lanekeeper_maintenance;
GRANT UPDATE(forgets) ON TABLE public.users TO lanekeeper_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.verdicts TO lanekeeper_worker;
GRANT DELETE ON TABLE public.verdicts TO lanekeeper_dispatch;
GRANT SELECT ON TABLE public.verdicts TO lanekeeper_admin;

GRANT SELECT(turn_id) ON TABLE public.verdicts TO lanekeeper_stream;
GRANT SELECT(turn_id) ON TABLE public.verdicts TO lanekeeper_maintenance;

GRANT SELECT(user_id) ON TABLE public.verdicts TO lanekeeper_stream;
GRANT SELECT(user_id) ON TABLE public.verdicts TO lanekeeper_maintenance;

GRANT SELECT(asked_at) ON TABLE public.verdicts TO lanekeeper_dispatch;

GRANT SELECT(scores) ON TABLE public.verdicts TO lanekeeper_stream;
GRANT SELECT(scores) ON TABLE public.verdicts TO lanekeeper_maintenance;
