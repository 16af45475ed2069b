import type { PostChange, ScheduledPost } from '../../interface/posts.ts'
import { Button, Note } from '../ui.tsx'
import { common } from '../words.ts'
import { DecisionText, Failures, linksOf, sinceDecision } from './history.tsx'
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
    case 'REJECTED': {
      const last = sinceDecision(changes)
      return (
        <Note kind="warn" icon={status}>
          {last === undefined ? <p>{common.status[status]}</p> : <DecisionText decision={last.decision} />}
        </Note>
      )
    }
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
