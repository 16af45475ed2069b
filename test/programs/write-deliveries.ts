/**
 * Stores deliveries in the inbox of an embedded database, and applies them, until it is killed (scripts/power-cut.mjs).
 * Prints `found <deliveries> <highest id>` after opening it, and then the id of each acknowledged delivery. Each is an
 * order of one cent with a consecutive id, so the number shows a delivery that was lost or applied twice.
 */
import { pino } from 'pino'
import { insertOrganization } from '../../src/access/organizations.store.js'
import { insertLiveAudience } from '../../src/audience/live/live-audiences.store.js'
import { readConfig } from '../../src/config/index.js'
import { createContext } from '../../src/context.js'
import { createInbox } from '../../src/intake/inbox/group-commit.js'
import { insertSource } from '../../src/intake/sources/sources.store.js'
import { applyStep, readBatch } from '../../src/intake/worker/turn.js'

const [organizationId, sourceId] = ['org_cut', 'src_cut']
const AT_ONCE_MAX = 20

const config = readConfig({ DATA_DIR: process.argv[2]!, DATABASE_URL: '', MASTER_KEY: 'ab'.repeat(32) })
const context = await createContext(config, { log: pino({ level: 'silent' }) })
const { database } = context
const at = new Date()
if ((await database.query('select from sources')).rowCount === 0) {
  await database.transaction(async (tx) => {
    await insertOrganization(tx, { organizationId, name: 'Cut', createdAt: at })
    await tx.query(`update organizations set currency = 'EUR'`)
    await tx.query(
      `insert into channels (organization_id, channel_id, type, name) values ($1, 'FB_PAGE_1', 'FB_PAGE', 'Page')`,
      [organizationId],
    )
    await tx.query(
      `insert into conversations (organization_id, channel_id, conversation_id, cuid) values ($1, 'FB_PAGE_1', '1', 'cu_ada')`,
      [organizationId],
    )
    await insertLiveAudience(tx, organizationId, at)
    await insertSource(tx, {
      ...{
        organization_id: organizationId,
        source_id: sourceId,
        type: 'EVENTS',
        name: 'App',
        value_from: 'total',
        counted_statuses: [],
        uncounted_statuses: [],
        trust: 'full',
      },
      ...{ secret_sealed: null, second_secret_sealed: null, verify_token_sealed: null, write_key_hash: null },
      ...{ deliveries_per_second: null, created_at: at, updated_at: at },
    })
  })
}

/** A delivery counts while it waits, and after it was applied as one purchase and one cent of the value. */
const { rows } = await database.query<{
  waiting: number
  applied: number
  purchases: number
  cents: number
  highest: number
}>(
  `select (select count(*) from inbox) as waiting, (select count(*) from kept_deliveries) as applied,
          (select count(*) from purchases) as purchases,
          (select coalesce(max(lifetime_amount), 0) * 100 from conversations) as cents,
          (select coalesce(max(delivery_key::int), 0)
             from (select delivery_key from inbox union all select delivery_key from kept_deliveries) k) as highest`,
)
const { waiting, applied, purchases, cents, highest } = rows[0]!
const isSound = applied === purchases && Number(cents) === purchases
process.stdout.write(`found ${isSound ? waiting + applied : 0} ${highest}\n`)

const inbox = createInbox(database, () => {})
const toDelivery = (id: number) => {
  const properties = { order_id: `o${id}`, total: '0.01', currency: 'EUR' }
  const event = { type: 'track', event: 'Order Completed', userId: 'cu_ada', messageId: `m${id}`, properties }
  const body = Buffer.from(JSON.stringify(event))
  return { ...{ organizationId, sourceId, key: `${id}`, topic: 'track', headers: {}, body }, receivedAt: new Date() }
}
for (let next = highest + 1; ; ) {
  const ids = Array.from({ length: 1 + Math.floor(Math.random() * AT_ONCE_MAX) }, () => next++)
  const stored = ids.map((id) => inbox.store(toDelivery(id)).then(() => void process.stdout.write(`${id}\n`)))
  // The worker's turns run between and beside the inserts.
  const applyAll = async (): Promise<void> => {
    const { steps } = await readBatch(context, organizationId, { mark: -1 })
    for (const step of steps) await applyStep(context, organizationId, step)
  }
  await Promise.all([...stored, applyAll()])
}
