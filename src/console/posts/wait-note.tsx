import type { PostChange } from '../../interface/generated/types.ts'
import type { WaitReason } from '../../interface/post-waits.ts'
import { getScheduledPostWait } from '../api.ts'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Note } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { byClock, usePolled } from '../use-read.ts'
import { waits as words } from '../words.ts'

interface WaitNoteProps {
  id: string
  scheduledFor: string | undefined
  channelName: (id: string) => string
}

/** Says why a due post has not been published, and when it is tried next. Absent if it is not waiting. */
export function WaitNote({ id, scheduledFor, channelName }: WaitNoteProps) {
  const { id: organizationId, timeZone } = useOrganization()
  const isDue = scheduledFor !== undefined && Date.parse(scheduledFor) <= useNow()
  const { data } = usePolled(['wait', organizationId, id], (given) => getScheduledPostWait(organizationId, id, given), {
    enabled: isDue,
    refetchInterval: byClock,
  })
  const wait = isDue ? data?.wait : undefined
  if (!wait) return null
  const { reason, nextAttemptAt, channels } = wait
  return (
    <Note kind="warn" icon="FAILED">
      <p>{words.late({ reason: words.reasons[reason] })}</p>
      {channels.map(({ channelId, words: text, reason: own }) => (
        <ChannelReason key={channelId} by={channelName(channelId)} words={text ?? words.reasons[own]} />
      ))}
      {nextAttemptAt !== undefined && (
        <p class="quiet small-text">{words.nextTry({ time: formatInstant(nextAttemptAt, timeZone) })}</p>
      )}
    </Note>
  )
}

/** The platform's own message about the post on a channel. */
const ChannelReason = ({ by, words: text }: { by: string; words: string }) => (
  <p class="quiet" dir="auto">
    {`${by}: ${text}`}
  </p>
)

/** The part of a history entry that says why the post waited or was late. */
export function WaitDetail({ change: { action, detail }, channelName }: WaitDetailProps) {
  if (action === 'claimed') {
    const cause = words.causes[detail?.late as keyof typeof words.causes]
    return cause && <p class="quiet">{cause}</p>
  }
  if (action !== 'waits') return null
  const channels = Object.entries((detail?.channels ?? {}) as Record<string, { words?: string }>)
  return (
    <>
      <p class="quiet">{words.reasons[detail?.wait as WaitReason]}</p>
      {channels.map(
        ([channelId, { words: text }]) =>
          text && <ChannelReason key={channelId} by={channelName(channelId)} words={text} />,
      )}
    </>
  )
}

interface WaitDetailProps {
  change: PostChange
  channelName: (id: string) => string
}
