/** Reads the schema from the catalog of a database, and its rows. A fold must keep both. */
import type { Database } from '../../src/database/database.js'
import { listRows } from '../../src/database/queries.js'

export interface Column {
  name: string
  type: string
  collation: string | null
  notNull: boolean
  /** The default, or the expression that generates the column. */
  expression: string | null
  generated: boolean
  identity: boolean
}

export interface Constraint {
  name: string
  type: 'p' | 'f' | 'c' | 'u'
  columns: string[] | null
  references: string | null
  definition: string
}

export interface TableOfSchema {
  name: string
  unlogged: boolean
  options: string | null
  columns: Column[]
  constraints: Constraint[]
  /** Indexes in the order of creation; `constraint` is the one that the index belongs to. */
  indexes: { name: string; constraint: string | null; definition: string }[]
  triggers: { name: string; procedure: string; definition: string; enabled: string }[]
  rows: unknown[]
}

export interface Schema {
  tables: TableOfSchema[]
  functions: { name: string; definition: string }[]
  views: { name: string; definition: string }[]
  sequences: { name: string }[]
}

const TABLES = `
select c.relname as name, c.relpersistence = 'u' as unlogged, array_to_string(c.reloptions, ', ') as options,
       (select json_agg(json_build_object(
                 'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                 'collation', (select l.collname from pg_collation l
                                where l.oid = a.attcollation and l.collname <> 'default'),
                 'notNull', a.attnotnull, 'expression', pg_get_expr(d.adbin, d.adrelid, true),
                 'generated', a.attgenerated <> '', 'identity', a.attidentity <> '') order by a.attnum)
          from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
       coalesce((select json_agg(json_build_object(
                 'name', r.conname, 'type', r.contype,
                 'columns', (select json_agg(a.attname order by array_position(r.conkey, a.attnum)) from pg_attribute a
                              where a.attrelid = r.conrelid and a.attnum = any(r.conkey)),
                 'references', f.relname, 'definition', pg_get_constraintdef(r.oid, true))
                 order by array_position('{p,u,f,c}', r.contype::text), case when r.contype in ('p', 'u') then r.conindid end, r.conname)
          from pg_constraint r left join pg_class f on f.oid = r.confrelid
         where r.conrelid = c.oid and r.contype in ('p', 'u', 'f', 'c')), '[]') as constraints,
       coalesce((select json_agg(json_build_object(
                 'name', x.relname, 'constraint', r.conname, 'definition', pg_get_indexdef(x.oid, 0, true)) order by x.oid)
          from pg_index i join pg_class x on x.oid = i.indexrelid
          left join pg_constraint r on r.conindid = x.oid and r.conrelid = c.oid and r.contype in ('p', 'u', 'x')
         where i.indrelid = c.oid), '[]') as indexes,
       coalesce((select json_agg(json_build_object(
                 'name', t.tgname, 'procedure', p.proname, 'definition', pg_get_triggerdef(t.oid, true),
                 'enabled', t.tgenabled) order by t.tgname)
          from pg_trigger t join pg_proc p on p.oid = t.tgfoid
         where t.tgrelid = c.oid and not t.tgisinternal), '[]') as triggers
  from pg_class c
 where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
 order by c.oid`

const FUNCTIONS = `
select proname as name, pg_get_functiondef(oid) as definition from pg_proc
 where pronamespace = 'public'::regnamespace order by oid`

const VIEWS = `
select relname as name, pg_get_viewdef(oid, true) as definition from pg_class
 where relnamespace = 'public'::regnamespace and relkind = 'v' order by relname`

const SEQUENCES = `select s.sequencename as name, to_jsonb(s) as sequence from pg_sequences s where schemaname = 'public' order by sequencename`

export async function readSchema(database: Database): Promise<Schema> {
  const tables = await listRows<TableOfSchema>(database, TABLES)
  for (const table of tables) {
    table.rows = await listRows(database, `select t.* from ${table.name} t order by t::text collate "C"`)
  }
  return {
    tables,
    functions: await listRows(database, FUNCTIONS),
    views: await listRows(database, VIEWS),
    sequences: await listRows(database, SEQUENCES),
  }
}
