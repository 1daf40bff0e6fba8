-- A person's own row.

-- name: profile
select name, timezone from users where id = %(user_id)s
