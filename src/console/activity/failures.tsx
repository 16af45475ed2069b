import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Channel, ScheduledPost } from '../../interface/generated/types.ts'
import { FAILED_DAYS } from '../../interface/revision.ts'
import { listScheduledPosts } from '../api.ts'
import { now } from '../clock.ts'
import { Icon } from '../icons.tsx'
import { Loaded, useList } from '../list.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Failures as PostFailures } from '../posts/history.tsx'
import { nameOf } from '../posts/post-text.ts'
import { useChannels, useHistory } from '../posts/queries.ts'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { activity as words } from '../words.ts'

const DAY_MS = 86_400_000
const FAILED_SHOWN = 5

/** Posts that failed and channels with a refused token. Each needs someone to act. */
export function Failures() {
  const { id: organizationId } = useOrganization()
  const channels = useChannels()
  // Rounded to the day, so that the query key stays the same.
  const scheduledFrom = new Date(Math.trunc(now() / DAY_MS - FAILED_DAYS) * DAY_MS).toISOString()
  const failed = useList(['posts', organizationId, 'failed', scheduledFrom], (cursor, options) =>
    listScheduledPosts(organizationId, { status: 'FAILED', scheduledFrom, limit: 200, ...cursor }, options),
  )
  const [showsAll, setShowsAll] = useState(false)
  const refused = (channels.data ?? []).filter(({ status }) => status === 'needs-reconnect')
  const lacking = (channels.data ?? []).filter(({ status }) => status === 'not-connected')
  const connected = (channels.data ?? []).filter(({ status }) => status === 'connected')
  const posts = (failed.data ?? []).toReversed()
  const shown = showsAll ? posts : posts.slice(0, FAILED_SHOWN)
  const waiting = [
    ...refused.map((channel) => <RefusedChannel key={channel.id} channel={channel} />),
    ...shown.map((post) => <FailedPost key={post.id} post={post} />),
  ]
  const read = {
    data: failed.data && channels.data && waiting,
    error: failed.error ?? channels.error,
    refetch: () => Promise.all([failed.refetch(), channels.refetch()]),
  }
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">{words.attention}</h2>
      <Loaded read={read} lines={2} empty={<p class="quiet">{describeTokens(connected.length, lacking.length)}</p>}>
        {(items) => <ul>{items}</ul>}
      </Loaded>
      {shown.length < posts.length && (
        <Button kind="small" onClick={() => setShowsAll(true)}>
          {words.showFailed({ many: posts.length - shown.length })}
        </Button>
      )}
    </section>
  )
}

const Failure = ({ children }: { children: ComponentChildren }) => (
  <li class="notice notice-bad">
    <Icon name="FAILED" />
    <div>{children}</div>
  </li>
)

function RefusedChannel({ channel: { name, problem } }: { channel: Channel }) {
  const { id: organizationId, may } = useOrganization()
  return (
    <Failure>
      <p>
        <strong>{words.refused({ channel: name })}</strong>
      </p>
      {problem !== undefined && <p>{problem}</p>}
      {may('settings:write') ? (
        <a href={hrefOf(organizationId, 'settings', ['channels'])}>{words.reconnect}</a>
      ) : (
        <p>{words.askToReconnect}</p>
      )}
    </Failure>
  )
}

function FailedPost({ post }: { post: ScheduledPost }) {
  const { id: organizationId, timeZone } = useOrganization()
  const history = useHistory(post.id, post.status)
  return (
    <Failure>
      <p>
        <a href={hrefOf(organizationId, 'posts', [post.id])}>
          <strong dir="auto">{nameOf(post)}</strong>
        </a>
      </p>
      <PostFailures changes={history.data ?? []} channelName={(id) => post.mediumsData[id]?.mediumName ?? id} />
      {post.scheduledFor !== undefined && (
        <p class="small-text">{words.wasDue({ time: formatInstant(post.scheduledFor, timeZone) })}</p>
      )}
    </Failure>
  )
}

/** Says that nothing has failed, and how many channels have a working token. */
function describeTokens(connected: number, lacking: number): string {
  const accepted = connected === 1 && lacking === 0 ? words.tokenAccepted : words.tokensAccepted({ many: connected })
  return [
    words.nothingFailed({ days: FAILED_DAYS }),
    ...(connected === 0 ? [] : [accepted]),
    ...(lacking === 0 ? [] : [words.tokensLacking({ many: lacking })]),
  ].join(' ')
}
