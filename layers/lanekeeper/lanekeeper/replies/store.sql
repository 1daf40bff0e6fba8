-- Reply chunks, the outbox and the transcript.

-- name: chunks
select seq, chunk from reply_chunks where turn_id = %(turn_id)s order by seq

-- A repeat of the same chunks changes nothing: all of them are there, or none. Nobody else writes them, so there is no
-- conflict to watch for, which would cost a record in the log for each chunk.
-- name: append_chunks
insert into reply_chunks (turn_id, user_id, seq, chunk)
select %(turn_id)s, %(user_id)s, %(first)s::int + ordinality::int - 1, chunk
from jsonb_array_elements(%(chunks)s) with ordinality as new (chunk, ordinality)
where not exists (select from reply_chunks where turn_id = %(turn_id)s and seq = %(first)s::int)

-- Each turn has a channel of its own, named by its id, so that only those who follow it are woken. They are told the last
-- number and, a line each, the chunks that were written, unless that is more than a notification carries.
-- name: ring
select pg_notify(%(turn_id)s, %(last)s::int || case when octet_length(lines) < 7900 then E'\n' || lines else '' end)
from (
  select string_agg(chunk::text, E'\n' order by ordinality) as lines
  from jsonb_array_elements(%(chunks)s) with ordinality as new (chunk, ordinality)
) told

-- name: put_in_outbox
insert into outbox (user_id, conversation_id, turn_id, idempotency_key, intent, data)
values (%(user_id)s, %(conversation_id)s, %(turn_id)s, %(idempotency_key)s, %(intent)s, %(data)s)
on conflict (idempotency_key) do nothing

-- Everything that waits in the person's outbox, in order: into the transcript, with the chunks that end its stream.
-- The finish chunk carries the message's metadata, which the outbox keeps once.
-- name: deliver
with due as materialized (
  select id, user_id, conversation_id, turn_id, data, (data ->> 'closingSeq')::int as closing_seq,
         row_number() over (partition by conversation_id order by id) as number,
         (select seq from reply_chunks c where c.turn_id = o.turn_id and c.seq = (data ->> 'closingSeq')::int) as closed
  from outbox o
  where user_id = %(user_id)s and state = 'new'
), last as materialized (
  select id, turn_id, user_id, closed, closing_seq + ordinality::int - 1 as seq,
         case when chunk ->> 'type' = 'finish'
           then chunk || jsonb_build_object('messageMetadata', data -> 'metadata') else chunk end as chunk
  from due, jsonb_array_elements(data -> 'closing') with ordinality as closing (chunk, ordinality)
), said as (
  insert into messages (user_id, id, conversation_id, turn_id, role, parts, metadata, forgotten, position)
  select user_id, data ->> 'messageId', conversation_id, turn_id, 'assistant', data -> 'parts', data -> 'metadata',
         data ? 'forgotten',
         number + coalesce((select max(m.position) from messages m where m.conversation_id = due.conversation_id), 0)
  from due
  on conflict (user_id, id) do nothing
), written as (
  insert into reply_chunks (turn_id, user_id, seq, chunk)
  select turn_id, user_id, seq, chunk from last where closed is null
), touched as (
  -- To the minute: the message that is answered has mostly just moved its conversation to the top.
  update conversations c set updated_at = lanekeeper.now() from due
  where c.id = due.conversation_id and c.updated_at < lanekeeper.now() - interval '1 minute'
), sent as (
  update outbox o set state = 'sent', sent_at = lanekeeper.now() from due
  where o.user_id = due.user_id and o.id = due.id and o.state = 'new'
)
select pg_notify(turn_id, seq || case when octet_length(lines) < 7900 then E'\n' || lines else '' end)
from (
  select id, turn_id, max(seq) as seq, string_agg(chunk::text, E'\n' order by seq) as lines
  from last group by id, turn_id
) told
order by id
