-- A setting that lives in the database.

-- name: setting
select value from settings where key = %(key)s
