/**
 * Finishes the posts that an earlier publisher has left, prints how all have ended, creates one more due post, and
 * publishes it until it kills itself at the given point. Without a round it only finishes and prints.
 */
import { pino } from 'pino'
import { insertOrganization } from '../../src/access/organizations.store.js'
import { channelTokenContext, insertChannel } from '../../src/channels/channels.store.js'
import { readConfig } from '../../src/config/index.js'
import { createContext } from '../../src/context.js'
import type { ChannelType } from '../../src/interface/generated/types.js'
import { createPublisher } from '../../src/publisher/publisher.js'
import { insertScheduledPost } from '../insert-scheduled-post.js'
import { runToEnd, withPoints } from '../points.js'

export interface PublishRound {
  type: ChannelType
  mediaType: 'IMAGE' | 'VIDEO'
  caption: string
  killAt: number
}

export interface RoundReport {
  posts: { caption: string; status: string; error: string | null; versions: number[] }[]
}

interface Args {
  env: Record<string, string>
  channels: Record<ChannelType, string>
  /** The tokens of the channels, in order. */
  tokens: string[]
  nowMs: number
  round?: PublishRound
}

const { env, channels, tokens, nowMs, round }: Args = JSON.parse(process.argv[2]!)
const organizationId = 'org_kill'
let now = nowMs
const clock = {
  now: () => now,
  advance(ms: number) {
    now += ms
  },
}
const context = await createContext(readConfig(env), { clock, log: pino({ level: 'silent' }) })
const { database, sealer } = context

const { rows: organizations } = await database.query('select from organizations')
if (organizations.length === 0) {
  await insertOrganization(database, { organizationId, name: 'Kill', createdAt: new Date(now) })
  for (const [index, [type, channelId]] of Object.entries(channels).entries()) {
    const sealed = sealer.seal(tokens[index]!, channelTokenContext(organizationId, channelId))
    const channel = { channel_id: channelId, type: type as ChannelType, name: type }
    await insertChannel(database, organizationId, channel, sealed)
  }
}

await runToEnd(context, clock)
const { rows: posts } = await database.query(
  `select c.caption, s.status, p.error,
          (select json_agg(version order by version) from scheduled_post_history h
            where h.scheduled_post_id = s.scheduled_post_id) as versions
     from scheduled_posts s
     join scheduled_post_channels c using (organization_id, scheduled_post_id)
     left join publications p using (organization_id, scheduled_post_id, channel_id)
    order by s.created_at`,
)
process.stdout.write(`${JSON.stringify({ posts })}\n`)

if (round === undefined) {
  await context.close()
} else {
  const { type, mediaType, caption, killAt } = round
  now = nowMs + 1_800_000
  const createdAt = new Date(now)
  await database.transaction((tx) =>
    insertScheduledPost(tx, organizationId, {
      scheduledPostId: `post_${caption}`,
      status: 'SCHEDULED',
      media: 'https://cdn.example.com/summer.jpg',
      mediaType,
      scheduledFor: createdAt,
      channels: [{ channelId: channels[type], caption }],
      createdAt,
    }),
  )
  let passed = 0
  const dying = withPoints(context, () => {
    if (passed++ === killAt) process.kill(process.pid, 'SIGKILL')
  })
  await createPublisher(dying).tick()
  // The points of parallel work do not always come in the same order: this run had fewer.
  process.kill(process.pid, 'SIGKILL')
}
