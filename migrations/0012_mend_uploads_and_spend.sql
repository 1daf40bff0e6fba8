-- Mends to what came before: limits that are counted once, days that are closed, files that are gone for good, and
-- turns that can be searched for.

-- Whoever writes a limit that was met names it by a key of its own, since it may have to be written twice.
alter table limit_hits add column once text unique;
