-- What work in the background asks of a person.

-- Nobody can be deleted before this transaction ends. Not by the lane's row: a worker passes over a lane whose row is locked.
-- name: person_stands
select 1 from users where id = %(user_id)s for key share

-- A message for which a worker may have come and gone away again, because the lane's row was locked just then.
-- name: is_passed_over
select exists (select from lanes where user_id = %(user_id)s and ready_at is not null and holder is null) as waits
