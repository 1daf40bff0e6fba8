-- Mends to what 0008 and 0010 made.

select 1;
