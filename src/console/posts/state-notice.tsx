import type { PostChange, ScheduledPost } from '../../interface/posts.ts'
import { words as approvalWords } from '../approvals/words.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Button, Note } from '../ui.tsx'
import { common } from '../words.ts'
import { actorName, Failures, linksOf } from './history.tsx'
import { ScheduleField, useSchedule } from './schedule-field.tsx'
import { postWords } from './words.ts'

const words = postWords.editor

interface StateProps {
  post: ScheduledPost
  changes: readonly PostChange[] | undefined
  channelName: (id: string) => string
}

/** Says what became of the post where that matters to its writer. */
export function StateNotice({ post: { status }, changes = [], channelName }: StateProps) {
  switch (status) {
    case 'REJECTED':
      return <Returned changes={changes} />
    case 'SCHEDULED':
    case 'PUBLISHING':
      return (
        <Note icon={status}>
          <p>{status === 'SCHEDULED' ? words.scheduledNote : words.publishingNote}</p>
        </Note>
      )
    case 'PUBLISHED':
    case 'FAILED': {
      const isFailed = status === 'FAILED'
      return (
        <Note kind={isFailed ? 'bad' : 'good'} icon={status}>
          <p>
            <strong>{isFailed ? words.failedNote : words.publishedNote}</strong>
          </p>
          {isFailed && <Failures changes={changes} channelName={channelName} />}
          {linksOf(changes).map(({ channelId, url }) => (
            <a key={channelId} href={url} target="_blank" rel="noreferrer noopener">
              {words.seeIt(channelName(channelId))}
            </a>
          ))}
        </Note>
      )
    }
    default:
      return null
  }
}

function Returned({ changes }: { changes: readonly PostChange[] }) {
  const { timeZone } = useOrganization()
  const last = changes.findLast(({ action }) => action === 'rejected' || action === 'approved')
  return (
    <Note kind="warn" icon="REJECTED">
      <p>
        <strong>
          {last === undefined
            ? common.status.REJECTED
            : approvalWords.since('rejected', actorName(last), formatInstant(last.at, timeZone, 'short'))}
        </strong>
      </p>
      {typeof last?.detail?.notes === 'string' && <p class="quote">{last.detail.notes}</p>}
    </Note>
  )
}

/** Asks for another time at which a post that failed is published. */
export function Retry({ onRetry, busy }: { onRetry: (instant: string) => Promise<unknown>; busy: boolean }) {
  const { field, instant } = useSchedule()
  return (
    <section class="card form">
      <h2>{words.retryTitle}</h2>
      <ScheduleField {...field} label={words.retryTime} />
      <div class="actions">
        <Button kind="primary" disabled={busy || instant === undefined} onClick={() => void onRetry(instant!)}>
          {words.retry}
        </Button>
      </div>
    </section>
  )
}
