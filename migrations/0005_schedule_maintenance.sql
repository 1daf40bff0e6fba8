-- pg_cron starts the maintenance function: each minute when something is due, and once a night. Nothing else of the
-- product runs by itself.

do $$
begin
  if to_regnamespace('cron') is null and current_setting('cron.database_name', true) = current_database() then
    create extension pg_cron;
  end if;
  if to_regnamespace('aws_lambda') is null and exists (select from pg_available_extensions where name = 'aws_lambda') then
    create extension aws_lambda cascade;
  end if;
  if to_regnamespace('cron') is null or to_regnamespace('aws_lambda') is null then
    raise exception 'pg_cron and aws_lambda are needed in this database'
      using hint = 'Preload pg_cron and set cron.database_name to this database; aws_lambda comes with RDS.';
  end if;
end
$$;

do $$
begin
  execute format('grant execute on function lanekeeper.maintenance_is_due() to %I', current_user);
end
$$;

-- Start the maintenance function, and say whether it was started. Which one it is stands in the settings, where the
-- migrate function writes it: a migration cannot know it. A database without that row starts nothing.
create function lanekeeper.start_maintenance(job text) returns boolean
language plpgsql
as $$
declare
  target jsonb := (select s.value from settings s where s.key = 'maintenance');
begin
  if target is null or (job = 'tick' and not lanekeeper.maintenance_is_due()) then
    return false;
  end if;
  perform aws_lambda.invoke(
    function_name => target ->> 'function',
    payload => json_build_object('job', job)::json,
    region => target ->> 'region',
    invocation_type => 'Event');
  return true;
end
$$;
revoke all on function lanekeeper.start_maintenance(text) from public;

select cron.schedule('lanekeeper-tick', '* * * * *', $$select lanekeeper.start_maintenance('tick')$$);
select cron.schedule('lanekeeper-nightly', '0 3 * * *', $$select lanekeeper.start_maintenance('nightly')$$);
select cron.schedule(
  'lanekeeper-purge', '17 3 * * *',
  $$delete from cron.job_run_details where end_time < lanekeeper.now() - interval '7 days'$$);
