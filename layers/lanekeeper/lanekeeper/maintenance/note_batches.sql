-- Batches of requests to the note writer's model.

-- name: make_batch
insert into batches (id, model, claimed_until)
values (%(id)s, %(model)s, lanekeeper.now() + make_interval(secs => %(lease_s)s))

-- One that ends in more than a day was made before the clock was set back.
-- name: claim_batch
update batches set claimed_until = lanekeeper.now() + make_interval(secs => %(lease_s)s)
where id = %(id)s and state in ('building', 'sent')
  and (claimed_until is null or claimed_until < lanekeeper.now() or claimed_until > lanekeeper.now() + interval '1 day')
returning gateway_id, file_id, model, state, made_at < lanekeeper.now() - make_interval(secs => %(most_s)s) as overdue

-- name: is_open
select state in ('building', 'sent') as open from batches where id = %(id)s

-- name: put_file
update batches set file_id = %(file_id)s where id = %(id)s

-- name: put_begun
update batches set state = 'sent', gateway_id = %(gateway_id)s, sent_at = lanekeeper.now(), claimed_until = null
where id = %(id)s

-- name: end_batch
update batches set state = %(state)s, claimed_until = null where id = %(id)s returning file_id

-- name: let_go
update batches set claimed_until = null where id = %(id)s

-- name: drop_timer
delete from timers where kind = %(kind)s and key = %(id)s

-- name: release
select lanekeeper.release_batch(%(id)s) as released

-- name: people
select night, user_id, tries from lanekeeper.people_of_batch(%(id)s)

-- name: put_line
insert into batch_lines (id, batch_id, user_id, conversation_id, after_position, until_position, whole, input_tokens)
values (%(id)s, %(batch_id)s, %(user_id)s, %(conversation_id)s, %(after)s, %(until)s, %(whole)s, %(input_tokens)s)

-- forgot_since: whether the person had something forgotten since the batch was made.
-- name: lines
select l.id, l.conversation_id, l.after_position, l.until_position, l.whole, l.input_tokens, b.model,
       exists (select from tombstones t where t.user_id = l.user_id and t.forgotten_at >= b.made_at) as forgot_since
from batch_lines l join batches b on b.id = l.batch_id
where l.batch_id = %(batch_id)s and l.user_id = %(user_id)s
order by l.id
