-- A person's own row, and what they want known of them.

-- name: profile
select u.name, u.timezone, p.name as chosen_name, p.home_city, p.plan_tier, p.budget_amount, p.budget_currency
from users u left join profiles p on p.user_id = u.id
where u.id = %(user_id)s

-- What is not named stays. A person may say this before they have written anything.
-- name: change_profile
with person as (
  insert into users (id, name, timezone) values (%(user_id)s, %(token_name)s, coalesce(%(timezone)s, %(home)s))
  on conflict (id) do update set timezone = excluded.timezone
  where %(timezone)s::text is not null
)
insert into profiles as p (user_id, name, home_city, plan_tier, budget_amount, budget_currency)
values (%(user_id)s, %(name)s, %(home_city)s, %(plan_tier)s, %(budget_amount)s, %(budget_currency)s)
on conflict (user_id) do update set
  name = case when 'name' = any(%(changed)s::text[]) then excluded.name else p.name end,
  home_city = case when 'home_city' = any(%(changed)s::text[]) then excluded.home_city else p.home_city end,
  plan_tier = case when 'plan_tier' = any(%(changed)s::text[]) then excluded.plan_tier else p.plan_tier end,
  budget_amount = case when 'budget' = any(%(changed)s::text[]) then excluded.budget_amount else p.budget_amount end,
  budget_currency = case when 'budget' = any(%(changed)s::text[]) then excluded.budget_currency else p.budget_currency end,
  changed_at = lanekeeper.now()
