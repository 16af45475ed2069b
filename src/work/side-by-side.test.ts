import { expect, test } from 'vitest'
import { gate } from '../../test/gate.js'
import { workSideBySide } from './side-by-side.js'

type Row = { organization_id: string; name: string }
const row = (organization_id: string, name: string): Row => ({ organization_id, name })

/** A queue that returns `limit` rows at a time. */
const queueOf = (...rows: Row[]) => {
  const held: ReadonlyMap<string, number>[] = []
  const claim = async (request: { limit: number; held: ReadonlyMap<string, number> }): Promise<Row[]> => {
    held.push(request.held)
    return rows.splice(0, request.limit)
  }
  return { claim, held }
}

test('a slow row delays no other', async () => {
  const slow = gate()
  const done: string[] = []
  const { claim, held } = queueOf(row('a', 'slow'), row('a', 'one'), row('b', 'two'), row('b', 'three'))
  const work = async ({ name }: Row): Promise<number> => {
    if (name === 'slow') await slow.opened
    done.push(name)
    if (name === 'three') slow.open()
    return 1
  }
  expect(await workSideBySide({ max: 2, claim, work })).toBe(4)
  expect(done).toEqual(['one', 'two', 'three', 'slow'])
  expect(held[1]).toEqual(new Map([['a', 1]]))
})

test('a failure waits for the others, claims nothing more, and is rethrown', async () => {
  const done: string[] = []
  const { claim } = queueOf(row('a', 'fails'), row('a', 'other'), row('a', 'later'))
  const work = async ({ name }: Row): Promise<number> => {
    if (name === 'fails') throw new Error('no luck')
    await new Promise((resolve) => setImmediate(resolve))
    done.push(name)
    return 1
  }
  await expect(workSideBySide({ max: 2, claim, work })).rejects.toThrow('no luck')
  expect(done).toEqual(['other'])
})

test('nothing is claimed once it stops', async () => {
  const { claim, held } = queueOf(row('a', 'one'))
  expect(await workSideBySide({ max: 2, claim, work: async () => 1, stopping: AbortSignal.abort() })).toBe(0)
  expect(held).toEqual([])
})

test('rows that become due beside a slow row are claimed at the next look', async () => {
  const slow = gate()
  const rows = [row('a', 'slow')]
  const work = async ({ name }: Row): Promise<number> => {
    if (name === 'slow') await slow.opened
    else slow.open()
    return 1
  }
  const claim = async () => rows.splice(0)
  const late = [row('b', 'late')]
  // They become due once: due rows are processed until there are none left.
  const tick = async (): Promise<void> => void rows.push(...late.splice(0))
  expect(await workSideBySide({ max: 2, claim, work, tick })).toBe(2)
})
