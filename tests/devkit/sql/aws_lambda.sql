create schema if not exists aws_commons;
create schema if not exists aws_lambda;
