-- The orders are the truth about each order. A queue may run a step twice or forget it.
create table if not exists orders (
  id text primary key,
  body text not null, -- the model and the form, as JSON
  state text not null default 'waiting', -- then pending with a task; then done, failed or unknown
  reason text,
  task text,
  touched_at timestamptz not null default now()
);
create index if not exists orders_state on orders (state, touched_at);

-- What your app has not read yet. The channel of its notifications is the schema's name and "_outbox".
create table if not exists outbox (
  seq bigint generated always as identity primary key,
  id text not null,
  state text not null,
  at timestamptz not null default now()
);

-- While there is a row, no worker generates.
create table if not exists gate (
  one bool primary key default true check (one),
  reason text not null, -- rateLimited, creditsOut or keyRejected
  until timestamptz not null
);

-- Changes the state of an order if it is in one of some states. An order that ends gets its row in the outbox in the same statement.
create or replace function move_order(order_id text, from_states text[], to_state text, why text, new_task text) returns bool
language sql as $$
  with moved as (
    update orders set state = to_state, reason = why, task = coalesce(new_task, task),
      touched_at = case when state = to_state then touched_at else now() end
    where id = order_id and state = any(from_states) returning id
  ), told as (
    insert into outbox (id, state) select id, to_state from moved where to_state in ('done', 'failed', 'unknown') returning id
  )
  select (select count(*) from moved) > 0 and (select count(pg_notify(current_schema() || '_outbox', id)) from told) >= 0
$$;

-- Adds orders, and returns what is known of each: a state, and whether its model or form is another. Calls that add the same
-- orders at once do so in the same order, so that none waits for the other forever.
create or replace function add_orders(ids text[], bodies text[]) returns table (id text, state text, differs bool)
language sql as $$
  with given as (select * from unnest(ids, bodies) as given (id, body)),
    added as (insert into orders (id, body) select * from given order by id on conflict do nothing)
  select given.id, known.state, coalesce(known.body <> given.body, false) from given left join orders known using (id)
  order by given.id
$$;

-- Closes the gate. A longer pause stays as it is, and HTTP 429 does not hide that the credits are out.
create or replace function close_gate(why text, ms float8) returns void
language sql as $$
  insert into gate (reason, until) values (why, now() + ms * interval '1 ms') on conflict (one) do update set
    until = greatest(gate.until, excluded.until),
    reason = case when why = 'rateLimited' then gate.reason else why end
$$;

-- Reads the gate. When a pause ends, one worker tries whether there are credits, or whether the key is right.
create or replace function look_at_gate(pause_ms float8, has_order bool) returns table (reason text, mine bool)
language sql as $$
  with taken as (
    update gate set until = now() + pause_ms * interval '1 ms'
    where until <= now() and (gate.reason = 'keyRejected' or gate.reason = 'creditsOut' and has_order) returning 1
  )
  select gate.reason, exists (select from taken) from gate where gate.reason <> 'rateLimited' or until > now()
$$;

-- Opens failed orders again: those with a task are checked, the others are generated.
create or replace function retry_orders(ids text[], why text) returns table (id text, state text)
language sql as $$
  update orders set state = case when task is null then 'waiting' else 'pending' end, reason = null, touched_at = now()
  where orders.state = 'failed' and (ids is null or orders.id = any(ids)) and strpos(coalesce(reason, ''), why) > 0
  returning orders.id, orders.state
$$;

-- Returns orders whose step a queue may have forgotten. Workers get different ones.
create or replace function take_stale_orders(older_than_ms float8) returns table (id text, state text)
language sql as $$
  update orders set touched_at = now() where orders.id in (
    select stale.id from orders stale
    where stale.state in ('waiting', 'pending') and touched_at < now() - older_than_ms * interval '1 ms'
    order by touched_at limit 1000 for update skip locked
  ) returning orders.id, orders.state
$$;

-- Deletes what your app no longer needs. Each batch is a transaction, so that none holds many locks.
create or replace procedure forget_ended(ended_before timestamptz, inout orders int, inout outbox int)
language plpgsql as $$
declare deleted int;
begin
  loop
    delete from orders o where o.ctid = any(array(
      select i.ctid from orders i where i.state in ('done', 'failed') and i.touched_at < ended_before limit 10000))
      and o.state in ('done', 'failed'); -- It may have been retried in between.
    get diagnostics deleted = row_count;
    commit;
    orders := orders + deleted;
    exit when deleted = 0;
  end loop;
  loop
    delete from outbox o where o.seq = any(array(select i.seq from outbox i where i.at < ended_before limit 10000));
    get diagnostics deleted = row_count;
    commit;
    outbox := outbox + deleted;
    exit when deleted = 0;
  end loop;
end
$$;

-- Orders that are not done, by state, and how many rows tables have, as PostgreSQL estimates it.
create or replace view counts as
  select 'state' as kind, state as name, count(*)::int from orders
  where state in ('waiting', 'pending', 'failed', 'unknown') group by state
  union all
  select 'table', relname, greatest(reltuples, pg_stat_get_live_tuples(oid))::int from pg_class
  where oid in (to_regclass('orders'), to_regclass('outbox'), to_regclass('mediagen_generation_v1'));

-- Returns another origin of the service at which a generation of the ledger has not ended.
create or replace function other_origin(own text) returns table (origin text)
language sql as $$
  select entry::json->>'origin' from mediagen_generation_v1
  where state not in ('ended', 'notCreated') and entry::json->>'origin' <> own limit 1
$$;
