-- The orders are the truth about each order. A queue may run a step twice or forget it.
create table if not exists orders (
  id text primary key,
  body text not null, -- the model and the form, as JSON
  state text not null default 'waiting', -- then pending with a task; then done, failed or unknown
  reason text,
  -- What exists of an order stays here, however long a queue keeps its jobs. The task is written before the first check is added.
  task text,
  checked_at timestamptz, -- when the last check ended
  results text[], -- where they were saved
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
  reason text not null, -- creditsOut or keyRejected
  until timestamptz not null
);
