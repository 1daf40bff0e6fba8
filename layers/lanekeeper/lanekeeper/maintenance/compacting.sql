-- What compacting asks besides the conversation itself.

-- Nobody can be deleted before this transaction ends.
-- name: person_stands
select 1 from lanes where user_id = %(user_id)s for key share
