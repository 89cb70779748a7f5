/**
 * All times come from `clock_timestamp()`, also within a statement, because one that has waited for a lock must not use the time
 * when it began. Chunks are stored before their blob, each in its own transaction, and count only once the blob is stored.
 */
export const SCHEMA = `
create table if not exists findling_lease (
  log text not null, name text not null, owner text not null, fence bigint not null, until timestamptz not null,
  primary key (log, name)
);
create table if not exists findling_row (
  log text not null, kind text not null, key text collate "C" not null, value text not null, at timestamptz not null,
  primary key (log, kind, key)
);
create table if not exists findling_blob (
  log text not null, sha256 text collate "C" not null, upload uuid not null, bytes bigint not null, at timestamptz not null,
  primary key (log, sha256)
);
create table if not exists findling_chunk (
  log text not null, upload uuid not null, number int not null, data bytea not null, at timestamptz not null,
  primary key (log, upload, number)
);`

const AGE = 'greatest(0, extract(epoch from clock_timestamp() - at) * 1000)::float8 as age'

export const LEASE = `
insert into findling_lease as held (log, name, owner, fence, until)
values ($1, $2, $3, 1, clock_timestamp() + $4 * interval '1 millisecond')
on conflict (log, name) do update set
  fence = held.fence + case when held.owner = $3 and held.until > clock_timestamp() then 0 else 1 end,
  owner = $3, until = clock_timestamp() + $4 * interval '1 millisecond'
where held.owner = $3 or held.until <= clock_timestamp()
returning fence`

export const RELEASE = `
update findling_lease set until = '-infinity' where log = $1 and name = $2 and owner = $3`

export const PUT = `
insert into findling_row (log, kind, key, value, at)
select log, kind, key, value, clock_timestamp()
from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as put (log, kind, key, value)
on conflict (log, kind, key) do update set value = excluded.value, at = clock_timestamp()`

export const GET = `
select key, value, ${AGE} from findling_row where log = $1 and kind = $2 and key = $3`

export const LIST = `
select key, value, ${AGE} from findling_row where log = $1 and kind = $2 order by key`

export const DELETE = 'delete from findling_row where log = $1 and kind = $2 and key = $3'

export const PUT_CHUNK = `
insert into findling_chunk (log, upload, number, data, at) values ($1, $2, $3, $4, clock_timestamp())
on conflict (log, upload, number) do nothing`

/** Of several uploads of the same bytes, the first stays. Stores nothing if chunks of this upload are gone. */
export const PUT_BLOB = `
insert into findling_blob as blob (log, sha256, upload, bytes, at)
select $1, $2, $3::uuid, $4, clock_timestamp()
where (select count(*) from findling_chunk where log = $1 and upload = $3::uuid) = $5
on conflict (log, sha256) do update set at = clock_timestamp()
returning upload`

export const BLOB = 'select upload, bytes from findling_blob where log = $1 and sha256 = $2'

export const CHUNK = 'select data from findling_chunk where log = $1 and upload = $2 and number = $3'

export const LIST_BLOBS = `
select sha256, bytes, ${AGE} from findling_blob where log = $1 order by sha256`

export const REMOVE_BLOB = `
with gone as (delete from findling_blob where log = $1 and sha256 = $2 returning upload)
delete from findling_chunk using gone where log = $1 and findling_chunk.upload = gone.upload`

export const REMOVE_UPLOAD = 'delete from findling_chunk where log = $1 and upload = $2'

/** Removes chunks of interrupted uploads: nothing has come for a day. */
export const REMOVE_CUT_OFF = `
delete from findling_chunk where log = $1 and upload in (
  select upload from findling_chunk as chunk
  where log = $1 and not exists (select from findling_blob as blob where blob.log = $1 and blob.upload = chunk.upload)
  group by upload having max(at) < clock_timestamp() - interval '1 day'
)`

/** Removes some chunks of a log that is being removed; returns none when there are no more. */
export const REMOVE_CHUNKS = `
with gone as (
  delete from findling_chunk where log = $1 and (upload, number) in (
    select upload, number from findling_chunk where log = $1 order by upload, number limit $2
  )
  returning number
)
select count(*) as gone from gone having count(*) > 0`

/** Removes the rest of a log's shared state, which is small. */
export const REMOVE_REST: readonly string[] = ['lease', 'row', 'blob'].map(
  table => `delete from findling_${table} where log = $1`,
)
