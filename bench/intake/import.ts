/**
 * Measures an import of 25,000 lines for an organization with sources, against the same import for one without, in turn:
 * first of new conversations, then with other values, to which the purchases since then are added.
 */
import { type Engine, expectStatus, median, OPERATOR_TOKEN, send } from '../shared.js'
import { burst, orderOf } from './events.js'
import { QUICK, report } from './options.js'
import { type Stage, withStage } from './stage.js'

const LINES = QUICK ? 10_000 : 25_000
const ROUNDS = QUICK ? 1 : 5
/** The first round has new tables and a newly started service, so it does not count. */
const UNCOUNTED = 1
const GOAL = { most: 2 }

interface Target {
  organizationId: string
  channelId: string
}

export const measureImport = (engine: Engine): Promise<void> =>
  withStage(engine, 'import', { channels: 0, conversations: 0, purchases: 0 }, async (stage) => {
    const { operator } = stage
    const without = (await operator.call('createOrganization', { body: { name: 'Without sources' } })).id
    const organizations = { live: stage.organizationId, without }
    const times = {
      first: { live: [] as number[], without: [] as number[] },
      again: { live: [] as number[], without: [] as number[] },
    }
    for (let round = 0; round < UNCOUNTED + ROUNDS; round++) {
      const targets = {
        live: await newChannel(stage, organizations.live, round),
        without: await newChannel(stage, organizations.without, round),
      }
      // Each goes first in every other round.
      const names = round % 2 === 0 ? (['live', 'without'] as const) : (['without', 'live'] as const)
      const people = Array.from({ length: LINES }, (_, index) => round * LINES + index + 1)
      for (const name of names) times.first[name].push(await timeOfImport(stage, targets[name], people, 1))
      // Each person of the live organization has an order, so that there is something to add.
      const buyers = people.values()
      await burst(stage, () => orderOf(buyers.next().value!), LINES)
      for (const name of names) times.again[name].push(await timeOfImport(stage, targets[name], people, 2))
    }
    for (const [name, { live, without: base }] of Object.entries(times)) {
      const ratio = median(live.map((ms, round) => ms / base[round]!).slice(UNCOUNTED))
      const details = `${Math.round(median(live.slice(UNCOUNTED)))} ms with sources, ${Math.round(median(base.slice(UNCOUNTED)))} ms without, for ${LINES} lines.`
      const what = name === 'first' ? 'new conversations' : 'the same again with other values'
      report(`import, ${what}`, `${ratio.toFixed(2)} times as long`, [ratio, GOAL], details)
    }
  })

async function newChannel({ operator }: Stage, organizationId: string, round: number): Promise<Target> {
  const name = `Round ${round}`
  const { id: channelId } = await operator.call('createChannel', {
    organizationId,
    body: { type: 'FB_PAGE', platformId: String(1_000 + round), name },
  })
  return { organizationId, channelId }
}

async function timeOfImport(
  { server }: Stage,
  { organizationId, channelId }: Target,
  people: readonly number[],
  version: number,
): Promise<number> {
  const lines = people.map((person) => {
    const fields = { firstName: `First${person % 997}`, lastName: `Last${person % 4_999}`, userName: `user.${person}` }
    const ids = { conversationId: `t_${person}`, cuid: `cu_${person}` }
    return JSON.stringify({ ...ids, ...fields, lifetimeValue: (person % 1_000) + version })
  })
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/x-ndjson' }
  const path = `/api/organizations/${organizationId}/channels/${channelId}/conversations`
  const startedAt = performance.now()
  const answer = expectStatus(await send(server, path, { method: 'POST', headers, body: lines.join('\n') }), 200)
  const { imported } = JSON.parse(answer.body.toString()) as { imported: number }
  if (imported !== LINES) throw new Error(`of ${LINES} lines ${imported} were imported: ${answer.body}`)
  return performance.now() - startedAt
}
