import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import type { Queryable } from '../database/database.js'
import { deleteConversationsOfPerson } from './deletion.store.js'
import { FIELD_LIST } from './fields.js'
import { readListRows } from './list/list-rows.store.js'

const SRC = resolve(import.meta.dirname, '..')

/** Other statements name the ids, which are keys, and a birthday has the same name on the wire. */
const KEYS = ['conversation_id', 'cuid']
const ALSO_ON_THE_WIRE = ['conversationId', 'cuid', 'birthday']

/** Decoders and the platform's client name the fields of other systems, which have the same names. */
const ELSEWHERE = /^(intake\/decoders|graph|networks|sandbox)\//

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.') && path !== 'audience/fields.ts')
  .filter((path) => !ELSEWHERE.test(path))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))

const naming = (word: string, isAsked: (path: string) => boolean): string[] =>
  sources.filter(({ path, text }) => isAsked(path) && new RegExp(`\\b${word}\\b`).test(text)).map(({ path }) => path)

describe('the table of fields', () => {
  const columns = FIELD_LIST.map(({ column }) => column).filter((column) => !KEYS.includes(column))
  test.each([
    ...columns.filter((column) => column !== 'birthday'),
    'lifetime_value',
  ])('no other file names the column %s', (column) => expect(naming(column, () => true)).toEqual([]))

  test('no other statement names the column birthday', () => {
    const named = sources.filter(({ path, text }) => {
      // The filter with that name and comments are not statements.
      const statements = text.replaceAll(/'birthday'|\/\*\*.*?\*\/|FIELDS\.birthday\.column/gs, '')
      return path.startsWith('audience/') && path.endsWith('.store.ts') && /\bbirthday\b/.test(statements)
    })
    expect(named.map(({ path }) => path)).toEqual([])
  })

  test.each(
    FIELD_LIST.map(({ name }) => name).filter((name) => !ALSO_ON_THE_WIRE.includes(name)),
  )('no other file of the room names %s, except where it has a meaning', (name) => {
    // The month of a birthday and the lifetime value have a meaning in the list.
    const meant = new RegExp(`FIELDS\\.${name}\\.(column|double)|placeOf\\('${name}'\\)`, 'g')
    const own = sources.map(({ path, text }) => ({ path, text: text.replaceAll(meant, '') }))
    const found = own.filter(({ path, text }) => path.startsWith('audience/') && new RegExp(`\\b${name}\\b`).test(text))
    expect(found.map(({ path }) => path)).toEqual([])
  })
})

describe('with 5,000 conversations and channels', () => {
  let testApp: TestApp
  let tenant: Tenant
  let channelId: string

  beforeAll(async () => {
    testApp = await startTestApp()
    tenant = await Tenant.create(testApp)
    channelId = await tenant.channel()
    await tenant.changeAudience(
      channelId,
      `insert into conversations (organization_id, channel_id, conversation_id, cuid, lifetime_value)
       select $1, $2, 'c' || n, 'person' || n, n % 100 from generate_series(1, 5000) n`,
    )
    const { database } = testApp.context
    await database.query(
      `insert into channels (organization_id, channel_id, type, name)
       select $1, 'FB_PAGE_7' || n, 'FB_PAGE', 'n' from generate_series(1, 5000) n`,
      [tenant.organizationId],
    )
    await database.execute('analyze conversations; analyze channels')
  })

  /** The plans of the statements that the function sends. */
  async function plansOf(send: (database: Queryable) => Promise<unknown>): Promise<string[]> {
    const { database } = testApp.context
    const plans: string[] = []
    await database.transaction(async (tx) => {
      // Tests share the database: beside the rows of others a channel may look so small that it would be sorted.
      await tx.query('set local enable_bitmapscan = off')
      await tx.query('set local enable_sort = off')
      await send({
        ...tx,
        async query(text, values) {
          const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
          plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
          return await tx.query(text, values)
        },
      })
    })
    return plans
  }

  test('an index finds the conversations of a person', async () => {
    const [found] = await plansOf((tx) => deleteConversationsOfPerson(tx, tenant.organizationId, 'person77', 10))
    expect(found).toContain('conversations_by_person')
  })

  test('the list is read in index order, from its start and from a given row', async () => {
    const channel = { organizationId: tenant.organizationId, channelId }
    for (const after of [undefined, { value: 50, id: 'c4050' }]) {
      const [found] = await plansOf((tx) => readListRows(tx, channel, undefined, 20, after))
      expect(found).toContain('using conversations_in_list_order')
      expect(found).not.toMatch(/\bSort\b/)
    }
  })

  test('a channel is found by its id on the platform, whichever organization has it', async () => {
    const [found] = await plansOf((tx) =>
      tx.query('select organization_id from channels where channel_id = any($1::text[])', [
        ['FB_PAGE_77', 'INSTAGRAM_ACCOUNT_77'],
      ]),
    )
    expect(found).toContain('channels_by_platform_id')
  })
})
