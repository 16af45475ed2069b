import type { Database, Queryable } from '../../database/database.js'
import { letOthersWork } from '../../lib/turns.js'
import {
  type BodyErasure,
  type BodyErasureKey,
  deleteBodyErasure,
  deleteKeptDeliveries,
  deleteProblemsById,
  type Erased,
  insertBodyErasure,
  type LookedThrough,
  listBodyErasures,
  lockBodyErasure,
  lookThroughDeliveries,
  lookThroughProblems,
  updateBodyErasure,
} from './body-erasures.store.js'
import { formsOf, holdsForm, holdsOddValue, isPacked } from './id-forms.js'

/** Bodies per transaction. Each is searched for each form of each id. */
const SIZES = {
  postgres: { rows: 500, bytes: 2_000_000 },
  pglite: { rows: 100, bytes: 250_000 },
} as const satisfies Record<Database['engine'], { rows: number; bytes: number }>
/** An import may have given one person ten thousand conversations. */
const IDS_AT_ONCE = 100

/**
 * Schedules the deletion of bodies that name one of the ids, or of all bodies of a source: those of kept deliveries and of
 * problems, and later those of deliveries that are still waiting. It only records this, because an organization may keep
 * gigabytes: eraseBodies, or the worker, does the rest in steps that survive a crash. A body that only happens to contain
 * the same text is deleted too.
 */
export async function eraseBodiesLater(tx: Queryable, organizationId: string, erased: Erased): Promise<void> {
  if ('sourceId' in erased) return await insertBodyErasure(tx, organizationId, erased)
  const ids = [...new Set(erased.ids)]
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    await insertBodyErasure(tx, organizationId, { ids: ids.slice(from, from + IDS_AT_ONCE) })
  }
}

/**
 * Searches what was recorded, for one organization or for all, in transactions of a few hundred bodies. Returns false if
 * `transactions` were not enough. What waits for the inbox is left to a later call.
 */
export async function eraseBodies(
  database: Database,
  { organizationId, transactions }: { organizationId?: string; transactions: number },
): Promise<boolean> {
  let left = transactions
  for (const key of await listBodyErasures(database, organizationId)) {
    for (let step: Step = 'more'; step === 'more'; ) {
      if (left === 0) return false
      const startedAt = performance.now()
      step = await database.transaction((tx) => eraseSome(tx, key, SIZES[database.engine]))
      if (step !== 'none') left -= 1
      await letOthersWork(performance.now() - startedAt)
    }
  }
  return true
}

/** `none` for an erasure that waits for the inbox, or that another process is working on. */
type Step = 'more' | 'done' | 'none'

interface Size {
  rows: number
  bytes: number
}

async function eraseSome(tx: Queryable, key: BodyErasureKey, size: Size): Promise<Step> {
  const erasure = await lockBodyErasure(tx, key)
  if (erasure === undefined) return 'none'
  const forms = (erasure.ids ?? []).flatMap(formsOf).map((form) => Buffer.from(form))
  const look = { ...size, forms: forms.map((form) => form.toString('base64')) }
  const ids = new Set(erasure.ids)
  const isMeant = async ({ source_id, body, has_form }: LookedThrough): Promise<boolean> => {
    if (erasure.source_id !== null) return source_id === erasure.source_id
    if (body === null) return false
    const bytes = Buffer.from(body, 'base64')
    return (has_form && holdsForm(bytes, forms)) || isPacked(bytes) || (await holdsOddValue(bytes, ids))
  }
  const meant = async (rows: readonly LookedThrough[]): Promise<string[]> => {
    const keys: string[] = []
    for (const row of rows) if (await isMeant(row)) keys.push(row.key)
    return keys
  }
  const { organization_id: organizationId } = key
  const until = untilOf(erasure)
  let { after_delivery: afterDelivery, after_problem: afterProblem } = erasure
  if (afterDelivery < until) {
    const rows = await lookThroughDeliveries(tx, organizationId, { ...look, after: afterDelivery, until })
    await deleteKeptDeliveries(tx, organizationId, await meant(rows))
    afterDelivery = rows.length === 0 ? until : Number(rows.at(-1)!.key)
  } else if (erasure.waiting !== null) {
    return 'none'
  } else {
    const rows = await lookThroughProblems(tx, organizationId, { ...look, after: afterProblem })
    await deleteProblemsById(tx, organizationId, await meant(rows))
    if (rows.length === 0) {
      await deleteBodyErasure(tx, key)
      return 'done'
    }
    afterProblem = rows.at(-1)!.key
  }
  await updateBodyErasure(tx, key, { afterDelivery, afterProblem })
  return 'more'
}

/** Returns the last delivery that can be searched now: waiting ones are not kept yet. */
const untilOf = ({ until_delivery, waiting }: BodyErasure): number =>
  waiting === null ? until_delivery : Math.min(until_delivery, waiting - 1)
