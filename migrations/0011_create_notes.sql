-- What is remembered of a person, one fact a note, and the one search among it.

create extension btree_gin with schema lanekeeper;
create extension fuzzystrmatch with schema lanekeeper;

-- Words as they were spelled: lower case, composed, with blanks for whatever is no letter and no digit.
create function lanekeeper.spelled(said text) returns text
language sql immutable parallel safe
return btrim(regexp_replace(lower(normalize(said, nfkc)),
  '[\s\u0001-/:-@\[-`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g'));

-- The same without accents, and with blanks around each sign of a script that puts none between words.
create function lanekeeper.folded(said text) returns text
language sql immutable parallel safe
return btrim(regexp_replace(regexp_replace(
  replace(replace(replace(translate(
    normalize(regexp_replace(normalize(lanekeeper.spelled(said), nfkd), '[\u0300-\u036f]+', '', 'g'), nfc),
    'øłđðı', 'olddi'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
  '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff])', ' \1 ', 'g'),
  ' +', ' ', 'g'));

-- Whose endings are cut off. A language without a dictionary keeps its words whole.
create function lanekeeper.dictionary(language text) returns regconfig
language sql immutable parallel safe
return case split_part(lower(language), '-', 1)
  when 'en' then 'pg_catalog.english'::regconfig when 'de' then 'pg_catalog.german'::regconfig
  when 'fr' then 'pg_catalog.french'::regconfig when 'es' then 'pg_catalog.spanish'::regconfig
  when 'it' then 'pg_catalog.italian'::regconfig when 'pt' then 'pg_catalog.portuguese'::regconfig
  when 'nl' then 'pg_catalog.dutch'::regconfig when 'sv' then 'pg_catalog.swedish'::regconfig
  when 'da' then 'pg_catalog.danish'::regconfig when 'no' then 'pg_catalog.norwegian'::regconfig
  when 'nb' then 'pg_catalog.norwegian'::regconfig when 'fi' then 'pg_catalog.finnish'::regconfig
  when 'ru' then 'pg_catalog.russian'::regconfig when 'tr' then 'pg_catalog.turkish'::regconfig
  when 'ro' then 'pg_catalog.romanian'::regconfig when 'hu' then 'pg_catalog.hungarian'::regconfig
  else 'pg_catalog.simple'::regconfig end;

-- What a note is found by: its words without accents and endings, and those with accents as they were spelled, since
-- a word may only differ by its accent from one that is never searched for ("thé").
create function lanekeeper.note_words(language text, said text) returns tsvector
language sql immutable parallel safe
return to_tsvector(lanekeeper.dictionary(language), lanekeeper.folded(said))
  || to_tsvector('pg_catalog.simple', regexp_replace(lanekeeper.spelled(said), '(^| )[!-~]+(?= |$)', ' ', 'g'));

-- One row a word of a message that is worth a search, with the query that finds it in any of the languages. Signs of a
-- script without blanks are searched for in pairs.
create function lanekeeper.search_words(said text, languages text[])
returns table (word text, query tsquery)
language plpgsql immutable parallel safe rows 20 set search_path = pg_catalog, pg_temp
as $$
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
$$;

create table notes (
  id text primary key,
  user_id text not null references users on delete cascade,
  kind text not null check (kind in ('fact', 'preference', 'dislike', 'plan')),
  subject text not null,
  body text not null,
  source text not null check (source in ('stated', 'inferred')),
  source_message_id text not null,
  language text not null default 'en',
  saved_at timestamptz not null default lanekeeper.now(),
  expires_at timestamptz,
  replaces text,
  replaced_by text,
  folded text not null generated always as (lanekeeper.folded(subject || ' ' || body)) stored,
  words tsvector not null generated always as (lanekeeper.note_words(language, subject || ' ' || body)) stored
);
create index notes_by_subject on notes (user_id, subject) where replaced_by is null;
-- Read while a person waits, written seldom: no list of entries that still have to be sorted in.
create index notes_by_word on notes using gin (user_id lanekeeper.text_ops, words) with (fastupdate = off) where replaced_by is null;

alter table notes enable row level security;
alter table notes force row level security;
create policy own_rows on notes to lanekeeper_worker
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
grant select, insert, update (replaced_by) on notes to lanekeeper_worker;

-- The search's owner. Under row-level security no index serves a match of words, so the function below filters by
-- person itself; whoever owns it reads notes and nothing else, and never logs in.
do $$
begin
  if not exists (select from pg_roles where rolname = 'lanekeeper_recall') then
    create role lanekeeper_recall nologin nosuperuser nocreatedb nocreaterole inherit;
  end if;
  execute format('grant lanekeeper_recall to %I', current_user);
end
$$;
grant usage on schema lanekeeper, public to lanekeeper_recall;
grant select on notes to lanekeeper_recall;
create policy recall on notes for select to lanekeeper_recall using (true);

-- The notes of the transaction's person that fit a message best. A word weighs the more, the fewer of this person's
-- notes hold it, and up to a third more where a note repeats it; a long note counts a little less; one whose subject
-- the message names counts more. What was noted one after the other belongs together: of a note that fits by itself,
-- a word that only the note before or after it holds counts half, and one that is two notes away a quarter.
-- Then the newer goes first, then what was stated. share: how much of the message's own weight the note itself holds.
-- A word the person has never used may be a typing error: notes with a word one letter away then stand in for it.
-- Aliases help to find and count less; they are no part of the share.
-- matches: how many notes are read, the newest first. Few have more. Of those who do, the eight words that are the
-- rarest among these are looked for in all the others by the index, and no word brings in more than a quarter as many;
-- a common word says next to nothing about any one of them. No more than sixty words of a message are searched for,
-- and neighbours are looked at of the twenty notes that fit best by themselves, and of as many more as are wanted.
create function lanekeeper.recall(message text, languages text[], aliases text[], at_most int, matches int)
returns table (id text, kind text, subject text, body text, source text, source_message_id text, saved_at timestamptz,
               score float8, share float8)
language plpgsql stable security definer rows 3
set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
as $$
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

grant create on schema lanekeeper to lanekeeper_recall;
alter function lanekeeper.recall(text, text[], text[], int, int) owner to lanekeeper_recall;
revoke create on schema lanekeeper from lanekeeper_recall;
revoke all on function lanekeeper.recall(text, text[], text[], int, int) from public;
grant execute on function lanekeeper.recall(text, text[], text[], int, int) to lanekeeper_worker;
