-- A stand-in for the aws_lambda extension of RDS: the same schemas, types, names, arguments and defaults.
-- An asynchronous invoke becomes a row, which the dev kit's Lambda takes up; it survives a restart of the dev kit.

create schema if not exists aws_commons;
create schema if not exists aws_lambda;
create schema if not exists local_lambda;
grant usage on schema local_lambda to public;

do $$
begin
  if to_regtype('aws_commons._lambda_function_arn_1') is null then
    create type aws_commons._lambda_function_arn_1 as (function_name text, region text);
  end if;
end
$$;

-- Unlogged: it outlives a clean stop, and costs the benchmarks no write-ahead log.
create unlogged table if not exists local_lambda.invocations (
  id bigint generated always as identity primary key,
  function_name text not null,
  payload json not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default clock_timestamp(),
  taken_at timestamptz,
  ended_at timestamptz,
  failure text
);
create index if not exists invocations_open on local_lambda.invocations (id) where ended_at is null;

-- function_name: a name, a name with a qualifier, or an ARN. The row is the owner's, whoever calls.
create or replace function local_lambda.enqueue(function_name text, payload json, invocation_type text) returns int
language plpgsql security definer set search_path = pg_catalog
as $$
declare
  row_id bigint;
begin
  case invocation_type
    when 'DryRun' then return 204;
    when 'Event' then null;
    else raise exception 'only Event and DryRun are served here, not %', invocation_type;
  end case;
  insert into local_lambda.invocations (function_name, payload)
  values (regexp_replace(enqueue.function_name, '^(?:arn:[^:]*:lambda:[^:]*:[^:]*:function:)?([^:]+).*$', '\1'), enqueue.payload)
  returning id into row_id;
  perform pg_notify('local_lambda', row_id::text);
  return 202;
end
$$;

create or replace function aws_commons.create_lambda_function_arn(function_name text, region text default null)
returns aws_commons._lambda_function_arn_1
language sql immutable
as $$ select row(function_name, region)::aws_commons._lambda_function_arn_1 $$;

create or replace function aws_lambda.invoke(
  in function_name text, in payload json, in region text default null, in invocation_type text default 'RequestResponse',
  in log_type text default 'None', in context json default null, in qualifier varchar(128) default null,
  out status_code int, out payload json, out executed_version text, out log_result text)
language sql
as $$ select local_lambda.enqueue($1, $2, $4), null::json, null::text, null::text $$;

create or replace function aws_lambda.invoke(
  in function_name aws_commons._lambda_function_arn_1, in payload json, in invocation_type text default 'RequestResponse',
  in log_type text default 'None', in context json default null, in qualifier varchar(128) default null,
  out status_code int, out payload json, out executed_version text, out log_result text)
language sql
as $$ select local_lambda.enqueue(($1).function_name, $2, $3), null::json, null::text, null::text $$;

create or replace function aws_lambda.invoke(
  in function_name text, in payload jsonb, in region text default null, in invocation_type text default 'RequestResponse',
  in log_type text default 'None', in context jsonb default null, in qualifier varchar(128) default null,
  out status_code int, out payload jsonb, out executed_version text, out log_result text)
language sql
as $$ select local_lambda.enqueue($1, $2::json, $4), null::jsonb, null::text, null::text $$;

create or replace function aws_lambda.invoke(
  in function_name aws_commons._lambda_function_arn_1, in payload jsonb, in invocation_type text default 'RequestResponse',
  in log_type text default 'None', in context jsonb default null, in qualifier varchar(128) default null,
  out status_code int, out payload jsonb, out executed_version text, out log_result text)
language sql
as $$ select local_lambda.enqueue(($1).function_name, $2::json, $3), null::jsonb, null::text, null::text $$;
