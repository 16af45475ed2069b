/**
 * A node of the trial (test/model/run.ts): the whole service as `greenroom serve` runs it, with a fast clock. The first
 * node also creates the participants. It prints one line of JSON when it answers.
 */
import { insertKey, keySecretContext } from '../../src/access/keys/keys.store.js'
import { insertOrganization } from '../../src/access/organizations.store.js'
import { insertMembership } from '../../src/access/people/memberships.store.js'
import { insertPerson } from '../../src/access/people/people.store.js'
import { beginSession } from '../../src/access/sessions/session.js'
import { channelTokenContext, insertChannel } from '../../src/channels/channels.store.js'
import { readConfig } from '../../src/config/index.js'
import { type AppContext, createContext } from '../../src/context.js'
import { newId, newSecret } from '../../src/lib/ids.js'
import { startPublisher } from '../../src/publisher/publisher.js'
import { listen, ROLES } from '../../src/serve.js'
import { fastClock, fastWait } from './clock.js'
import { type ChannelPlan, ORGANIZATIONS, PEOPLE, type Stage } from './stage.js'

interface Args {
  env: Record<string, string>
  origin: number
  speed: number
  /** Only the first node gets these. */
  channels?: ChannelPlan[]
}

const { env, origin, speed, channels }: Args = JSON.parse(process.argv[2]!)
const clock = fastClock({ origin, speed })
const wait = fastWait(clock)
const context = await createContext(readConfig(env), { clock })
const stage = channels && (await makeStage(context, channels))
const server = await listen(context, ROLES, undefined, (given, options) =>
  startPublisher(given, { ...options, wait, aliveWait: wait, retryWait: wait }),
)
process.stdout.write(`${JSON.stringify({ url: server.url, stage })}\n`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.close())
// The trial ends its nodes by closing their input, even if it dies itself.
process.stdin.on('end', () => process.exit(1)).resume()

async function makeStage({ database, sealer }: AppContext, planned: ChannelPlan[]): Promise<Stage> {
  const at = new Date(clock.now())
  return await database.transaction(async (tx) => {
    const organizations: Stage['organizations'] = []
    const people: Stage['people'] = Array.from({ length: PEOPLE }, () => ({ id: newId('usr'), cookie: '' }))
    for (const { id } of people) {
      await insertPerson(tx, {
        ...{
          personId: id,
          name: id,
          mail: `${id}@example.com`,
          owner: false,
          passwordHash: null,
          at,
          isMailProven: true,
        },
      })
    }
    for (const { name, fourEyes } of ORGANIZATIONS) {
      const organizationId = newId('org')
      const key = { id: newId('key'), secret: newSecret() }
      await insertOrganization(tx, { organizationId, name, createdAt: at })
      await tx.query('update organizations set four_eyes = $2 where organization_id = $1', [organizationId, fourEyes])
      const secretSealed = sealer.seal(key.secret, keySecretContext(key.id))
      await insertKey(tx, { keyId: key.id, organizationId, secretSealed, createdAt: at })
      for (const { id: personId } of people) {
        await insertMembership(tx, { organizationId, personId, role: 'EDITOR', mayApprove: true, at })
      }
      for (const { organization, channelId, type, token } of planned) {
        if (organization !== name) continue
        const sealed = sealer.seal(token, channelTokenContext(organizationId, channelId))
        await insertChannel(tx, organizationId, { channel_id: channelId, type, name: channelId }, sealed)
      }
      organizations.push({ name, id: organizationId, fourEyes, key })
    }
    for (const person of people) {
      const { headers } = await beginSession(tx, person.id, {
        ...{ method: 'password', headers: {}, ip: '127.0.0.1', now: at },
      })
      person.cookie = String(headers['set-cookie']).split(';')[0]!
    }
    return { organizations, people }
  })
}
