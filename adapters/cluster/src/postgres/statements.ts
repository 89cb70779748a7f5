/**
 * The order comes from the row of a log in `findling_head`: one statement takes the number of an entry and inserts the entry, and
 * holds this row's lock until it commits, so that numbers have no gaps and become visible in order. A sequence would have gaps, and
 * let a reader overtake a writer.
 */
export const SCHEMA = `
create table if not exists findling_head (
  log text primary key, id uuid not null default gen_random_uuid(),
  position bigint not null default 0, at bigint not null default 0, first bigint not null default 1
);
create table if not exists findling_log (
  log text not null, position bigint not null, batch uuid not null, at bigint not null, data bytea not null,
  primary key (log, position), unique (log, batch)
);`

/**
 * Commits something, and so waits until a synchronous standby has everything before it. If a server crashes while a commit waits for
 * the standby, it shows that commit after its restart although no standby has it; this closes that gap before anything is read or
 * acknowledged.
 */
export const REPLICATED = `select pg_logical_emit_message(true, 'findling', '')`

/** Others may create the tables at the same moment; PostgreSQL then reports a violation, or a tuple changed meanwhile. */
export const createdMeanwhile: ReadonlySet<string> = new Set(['23505', '42P07', 'XX000', '40P01'])

export const BEGIN = 'insert into findling_head (log) values ($1) on conflict do nothing'

export const IDENTITY = 'select id from findling_head where log = $1'

export const APPEND = `
with head as (
  update findling_head
  set position = position + 1, at = greatest(at, (extract(epoch from clock_timestamp()) * 1000)::bigint)
  where log = $1 and id = $4
  returning position, at
)
insert into findling_log (log, position, batch, at, data)
select $1, position, $2, at, $3 from head
returning position, pg_notify('findling_log', $1)`

export const POSITION_OF = 'select position from findling_log where log = $1 and batch = $2'

export const READ = `
select position, batch, at, data from (
  select *, sum(length(data)) over (order by position) as bytes
  from (
    select entry.* from findling_log as entry join findling_head as head using (log)
    where log = $1 and head.id = $5 and entry.position > $2 and entry.position >= head.first
    order by entry.position limit $3
  ) as page
) as measured
where bytes <= $4 or position = $2 + 1
order by position`

export const BATCH_AT = `
select batch from findling_log as entry join findling_head as head using (log)
where log = $1 and entry.position = $2 and head.id = $3 and entry.position >= head.first`

export const HEAD = 'select position, first from findling_head where log = $1 and id = $2'

/** Which of the given logs have moved from their known position, or are gone: their numbers in the list, from 1 on. */
export const MOVED = `
select number from unnest($1::text[], $2::uuid[], $3::bigint[])
  with ordinality as known (log, id, position, number)
left join findling_head as head on head.log = known.log and head.id = known.id
where head.position is distinct from known.position`

export const NAMES = 'select log from findling_head order by log'

/** Gives the log a new history, so that its nodes stop and write nothing any more. */
export const LEAVE = `
with head as (
  update findling_head set id = gen_random_uuid(), first = position + 1 where log = $1 returning log
)
select pg_notify('findling_log', log) from head`

/** Removes some entries, from the first on; returns none when there are no more. */
export const REMOVE_ENTRIES = `
with gone as (
  delete from findling_log where log = $1 and position in (
    select position from findling_log where log = $1 order by position limit $2
  )
  returning position
)
select max(position) as last from gone having count(*) > 0`

export const REMOVE = 'delete from findling_head where log = $1'

/** Makes the entries before a position unreadable; they are then removed without the lock that appending takes. */
export const CUT = `
update findling_head set first = least(greatest(first, $2), position + 1) where log = $1 and id = $3
returning first`

/**
 * Removes some entries after a position that were cut off, and returns the last of them. A log that was begun again may have other
 * entries with these numbers.
 */
export const REMOVE_CUT = `
with gone as (
  delete from findling_log where log = $1 and position = any (array(
    select entry.position from findling_log as entry join findling_head as head using (log)
    where log = $1 and head.id = $3 and entry.position > $2 and entry.position < head.first
    order by entry.position limit $4
  ))
  returning position
)
select max(position) as position from gone`

/** Changes one row only, so it takes effect at once: entries of the previous history now lie before the first, like those cut off. */
export const BEGIN_ANEW = `
with head as (
  update findling_head set id = $3, position = $4, first = $4::bigint + 1
  where log = $1 and id = $2 and position = $5
  returning id
)
select pg_notify('findling_log', $1) from head`

export const UNIQUE_VIOLATION = '23505'
