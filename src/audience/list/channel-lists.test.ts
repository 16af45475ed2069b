import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../test/runs.js'
import { packConversation, type StoredConversation } from '../fields.js'
import type { Filter, ListName } from './blocks.js'
import { ChannelLists, type ListChange, type ListLimits, type ListStep } from './channel-lists.js'
import { compareEntries, type ListEntry, NO_BIRTHDAY, toEntry } from './list-entry.js'

const LIMITS: ListLimits = { scan: 16, slack: 3, block: 3 }

/** A conversation, and whether it is a VIP. */
const toListEntry = (row: StoredConversation) => toEntry(packConversation(row))
type Row = StoredConversation & { vip: boolean }

function row(id: string, value: number, birthday: string | null, vip = false): Row {
  return {
    conversation_id: id,
    cuid: `cu_${id}`,
    user_name: `Zoë 🌸 ${value}`,
    first_name: null,
    last_name: null,
    profile_pic: null,
    birthday,
    last_purchase_at_ms: null,
    last_user_message_at_ms: null,
    last_app_open_at_ms: null,
    lifetime_amount: value,
    vip,
  }
}

/** The list of all conversations, and that of the VIPs. */
const ALL: ListName = undefined
const VIPS: ListName = 'w'

/** Plain lists: all rows, sorted at each read. */
class NaiveLists {
  readonly rows = new Map<string, Row>()

  sorted(of: ListName): Row[] {
    return [...this.rows.values()]
      .filter(({ vip }) => of === ALL || vip)
      .sort(
        (a, b) =>
          b.lifetime_amount - a.lifetime_amount ||
          Buffer.compare(Buffer.from(a.conversation_id), Buffer.from(b.conversation_id)),
      )
  }

  entriesAfter(of: ListName, end: { id: string; value: number } | undefined, limit: number): ListEntry[] {
    const entries = this.sorted(of).map(toListEntry)
    return entries.filter((entry) => end === undefined || compareEntries(entry, end) > 0).slice(0, limit)
  }

  page(of: ListName, filter: Filter, compact: boolean, limit: number, offset: number) {
    const month = (birthday: string | null) => (birthday === null ? undefined : Number(birthday.slice(-5).slice(0, 2)))
    const matched = this.sorted(of)
      .slice(0, LIMITS.scan)
      .filter(
        ({ birthday }) => filter === 'none' || (filter === 'birthday' ? birthday !== null : month(birthday) === filter),
      )
    const items = matched.slice(offset, offset + limit).map((found) => {
      const { full, compact: short } = toListEntry(found)
      return JSON.parse(compact ? short : full)
    })
    return { items, total: matched.length }
  }
}

/** Lists that read missing rows from the naive lists, as an audience does from the database. */
class ListsUnderTest {
  lists = new ChannelLists(LIMITS)
  reads = 0

  constructor(
    readonly naive: NaiveLists,
    names: readonly ListName[] = [ALL],
  ) {
    for (const of of names) this.add(of)
  }

  add(of: ListName): void {
    const wanted = LIMITS.scan + LIMITS.slack
    const following = this.naive.entriesAfter(of, undefined, wanted)
    const grown = this.lists.fork()
    grown.apply([{ of, changes: [], following, complete: following.length < wanted }])
    this.lists = grown
  }

  /** `naive` has already changed. */
  change(ids: Iterable<string>): void {
    const changed = [...new Set(ids)].map((id) => {
      const found = this.naive.rows.get(id)
      return { id, vip: found?.vip === true, entry: found && toListEntry(found) }
    })
    const steps = this.lists.names.map((of): ListStep => {
      const changes = changed.map(
        ({ id, vip, entry }): ListChange => ({ id, entry: of === ALL || vip ? entry : undefined }),
      )
      const wanted = this.lists.rowsMissing(of, changes)
      const following = wanted === 0 ? [] : this.naive.entriesAfter(of, this.lists.endOf(of), wanted)
      if (wanted > 0) this.reads += 1
      return { of, changes, following, complete: this.lists.isComplete(of) || following.length < wanted }
    })
    this.lists.apply(steps)
  }

  page(filter: Filter, compact: boolean, limit: number, offset: number, of: ListName = ALL) {
    const { slices, bytes, returned, total } = this.lists.page({ vipsOf: of, filter, compact, limit, offset })
    const text = Buffer.concat(slices.map((slice) => slice.bytes.subarray(slice.start, slice.end))).toString()
    expect(Buffer.byteLength(text)).toBe(bytes)
    const items = JSON.parse(`[${text.replace(/,$/, '')}]`)
    expect(items).toHaveLength(returned)
    return { items, total }
  }
}

const FILTERS: Filter[] = ['none', 'birthday', 1, 2, 12]

// There are few ids and values, so that they collide, including ids whose UTF-16 order differs from their byte order.
const idPool = [
  ...Array.from({ length: 60 }, (_, index) => `c${index}`),
  ...['Z', 'a', 'é', '\u{1f338}', '\u{1f339}', '\uff5e', '\ue000', 'a\u{1f338}', 'a\uff5e', 'a"b', 'a\\b', 'aa'],
]
const anyRow = fc.record({
  id: fc.constantFrom(...idPool),
  value: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.double({ min: -1, max: 1, noNaN: true })),
  birthday: fc.constantFrom(null, '--01-05', '1990-02-28', '2001-12-31'),
  vip: fc.boolean(),
})
const anyStep = fc.array(fc.oneof({ weight: 3, arbitrary: anyRow }, fc.record({ id: fc.constantFrom(...idPool) })), {
  minLength: 1,
  maxLength: 12,
})

const LISTS: ListName[][] = [[ALL], [VIPS], [ALL, VIPS], [VIPS, ALL]]

describe('the lists in memory', () => {
  test('after any changes each returns the same pages as a plain sort of all its rows', () => {
    let reads = 0
    let incomplete = 0
    const many = Array.from({ length: 60 }, (_, index) => ({
      id: `c${index}`,
      value: 60 - index,
      birthday: null,
      vip: index % 3 > 0,
    }))
    const pages = [5, 7, 9].map((limit) => ({ limit, offset: 8, compact: true }))
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 60, size: 'max' }),
        fc.array(anyStep, { maxLength: 12 }),
        fc.array(fc.record({ limit: fc.integer({ min: 1, max: 20 }), offset: fc.nat(20), compact: fc.boolean() }), {
          minLength: 3,
          maxLength: 3,
        }),
        fc.constantFrom(...LISTS),
        // The step after which another list is read, and one is evicted.
        fc.nat(12),
        (start, steps, pages, names, turn) => {
          const naive = new NaiveLists()
          for (const { id, value, birthday, vip } of start) naive.rows.set(id, row(id, value, birthday, vip))
          const tested = new ListsUnderTest(naive, names)
          for (const [index, step] of [[], ...steps].entries()) {
            for (const change of step) {
              if ('value' in change)
                naive.rows.set(change.id, row(change.id, change.value, change.birthday, change.vip))
              else naive.rows.delete(change.id)
            }
            tested.change(step.map(({ id }) => id))
            if (index === turn) {
              const other = names[0] === ALL ? VIPS : ALL
              if (tested.lists.hasList(other)) tested.lists.drop(other)
              else tested.add(other)
            }
            for (const of of tested.lists.names) {
              const { length } = naive.sorted(of)
              expect(tested.lists.exceedsScan(of)).toBe(length > LIMITS.scan)
              if (tested.lists.isComplete(of)) expect(tested.lists.rowsOf(of)).toBe(length)
              else incomplete += 1
              for (const filter of FILTERS) {
                for (const { limit, offset, compact } of pages) {
                  const wanted = naive.page(of, filter, compact, limit, offset)
                  expect(tested.page(filter, compact, limit, offset, of)).toEqual(wanted)
                }
              }
            }
          }
          reads += tested.reads
        },
      ),
      // The first case is known to read further, so that this does not depend on luck.
      {
        numRuns: runs(25, 150),
        examples: [[many, [many.slice(0, 12).map(({ id }) => ({ id }))], pages, [ALL, VIPS], 12]],
      },
    )
    // The rare paths were taken too.
    expect(reads).toBeGreaterThan(0)
    expect(incomplete).toBeGreaterThan(0)
  })

  test('a conversation in several lists is stored once', () => {
    const naive = new NaiveLists()
    for (let index = 0; index < LIMITS.scan; index++) {
      naive.rows.set(`c${index}`, row(`c${index}`, index, '--01-05', index % 10 > 0))
    }
    const tested = new ListsUnderTest(naive)
    const whole = (compact: boolean) =>
      tested.lists.page({ vipsOf: ALL, filter: 'none', compact, limit: 50, offset: 0 })
    const before = [whole(false), whole(true)]
    tested.add(VIPS)
    // They share the same bytes, so that another list costs no more.
    for (const [form, { slices }] of [whole(false), whole(true)].entries()) {
      expect(slices.map(({ bytes }, index) => bytes === before[form]!.slices[index]!.bytes)).not.toContain(false)
    }
    expect(tested.page('none', true, 50, 0, VIPS)).toEqual(naive.page(VIPS, 'none', true, 50, 0))
  })

  test('counts its memory by its content, whatever was added and removed', () => {
    const naive = new NaiveLists()
    const tested = new ListsUnderTest(naive)
    const ids = Array.from({ length: LIMITS.scan }, (_, index) => `c${index}`)
    for (const id of ids) {
      naive.rows.set(id, row(id, 1, null))
      tested.change([id])
    }
    const full = tested.lists.bytes
    expect(full).toBeGreaterThan(LIMITS.scan * 100)
    for (const id of ids) {
      naive.rows.delete(id)
      tested.change([id])
    }
    expect([tested.lists.rowsOf(ALL), tested.lists.bytes]).toEqual([0, 0])
    for (const id of ids) naive.rows.set(id, row(id, 1, null))
    tested.change(ids)
    expect(tested.lists.bytes).toBeGreaterThan(LIMITS.scan * 100)
    expect(tested.lists.bytes).toBeLessThan(full * 2)
    tested.lists.drop(ALL)
    expect(tested.lists.bytes).toBe(0)
  })

  test('rows that leave a much larger list are replaced from the slack, without looking at each', () => {
    const naive = new NaiveLists()
    for (let index = 0; index < 500; index++) naive.rows.set(`c${index}`, row(`c${index}`, index, null))
    const tested = new ListsUnderTest(naive)
    for (let index = 499; index > 399; index--) {
      naive.rows.delete(`c${index}`)
      tested.change([`c${index}`])
    }
    expect(tested.page('none', false, 50, 0).total).toBe(LIMITS.scan)
    expect(tested.reads).toBeLessThanOrEqual(100 / LIMITS.slack + 1)
  })

  test('a list that grows past the scan keeps only the slack', () => {
    const naive = new NaiveLists()
    const tested = new ListsUnderTest(naive)
    for (let index = 0; index < 500; index++) {
      naive.rows.set(`c${index}`, row(`c${index}`, index, '--01-05'))
      tested.change([`c${index}`])
      expect(tested.lists.rowsOf(ALL)).toBeLessThanOrEqual(LIMITS.scan + 2 * LIMITS.slack)
    }
    expect(tested.page(1, true, 50, 0)).toEqual(naive.page(ALL, 1, true, 50, 0))
    expect(tested.reads).toBe(0)
  })
})

describe('the order of the list', () => {
  test('4.1.1: ids compare by their UTF-8 bytes, astral characters last', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const order = compareEntries({ id: a, value: 1 }, { id: b, value: 1 })
        expect(Math.sign(order)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      { numRuns: runs(80, 500) },
    )
    expect(compareEntries({ id: '\uff5e', value: 1 }, { id: '\u{1f338}', value: 1 })).toBeLessThan(0)
  })

  test('4.1.1: the higher lifetime value comes first, whatever the ids', () => {
    expect(compareEntries({ id: 'z', value: 2.5 }, { id: 'a', value: 2 })).toBeLessThan(0)
    expect(compareEntries({ id: 'a', value: -1 }, { id: 'z', value: 0 })).toBeGreaterThan(0)
  })
})

describe('an entry', () => {
  test('knows the month of a birthday with and without a year', () => {
    expect(toListEntry(row('a', 0, '1996-02-29')).month).toBe(2)
    expect(toListEntry(row('a', 0, '--11-02')).month).toBe(11)
    expect(toListEntry(row('a', 0, null)).month).toBe(NO_BIRTHDAY)
  })
})
