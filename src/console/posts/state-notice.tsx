import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { Button, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { common, posts as postWords } from '../words.ts'
import { DecisionText, Failures, linksOf, sinceDecision } from './history.tsx'
import { channelsOf } from './post-text.ts'
import { ScheduleField, useSchedule } from './schedule-field.tsx'
import type { PostEditor } from './use-editor.ts'
import { WaitNote } from './wait-note.tsx'

const words = postWords.editor

/** Shows the post's outcome to its author if it needs attention. */
export function StateNotice({ editor: { post, history, channels } }: { editor: PostEditor }) {
  const { data: changes = [] } = history
  const status = post?.status
  switch (status) {
    case 'REJECTED': {
      const last = sinceDecision(changes)?.decision
      return (
        <Note kind="warn" icon={status}>
          {/* The history of the version before is shown until that of this one is read. */}
          {last?.action === 'rejected' ? (
            <DecisionText decision={last} />
          ) : (
            <p>
              <strong>{common.status[status]}</strong>
            </p>
          )}
        </Note>
      )
    }
    case 'SCHEDULED':
    case 'PUBLISHING':
      return (
        <>
          <Note icon={status}>
            <p>{status === 'SCHEDULED' ? words.scheduledNote : words.publishingNote}</p>
          </Note>
          {post !== undefined && (
            <WaitNote id={post.id} scheduledFor={post.scheduledFor} channelName={channels.nameOf} />
          )}
        </>
      )
    case 'PUBLISHED':
    case 'FAILED': {
      const isFailed = status === 'FAILED'
      return (
        <Note kind={isFailed ? 'bad' : 'good'} icon={status}>
          <p>
            <strong>{isFailed ? words.failedNote : words.publishedNote}</strong>
          </p>
          {isFailed && <Failures changes={changes} channelName={channels.nameOf} />}
          {linksOf(changes).map(({ channelId, url }) => (
            <a key={channelId} href={url} target="_blank" rel="noreferrer noopener">
              {words.seeIt({ channel: channels.nameOf(channelId) })}
            </a>
          ))}
        </Note>
      )
    }
    default:
      return null
  }
}

/** Offers ways out for a failed post: retry now or later, edit, or duplicate. */
export function Repair({ editor: { canEdit, post, settling, retry } }: { editor: PostEditor }) {
  const { may } = useOrganization()
  const { busy, error, act } = useAct(settling)
  const { field, instant } = useSchedule()
  const ofPost = post && channelsOf(post)
  return (
    <section class="card form">
      <h2>{words.retryTitle}</h2>
      {may('posts:approve', ofPost) && (
        <>
          <p class="quiet small-text">{words.retryHint}</p>
          <div class="actions">
            <Button kind="primary" disabled={busy} onClick={() => void act(() => retry())}>
              {words.retryNow}
            </Button>
          </div>
          <ScheduleField {...field} label={words.retryTime} />
          <div class="actions">
            <Button disabled={busy || instant === undefined} onClick={() => void act(() => retry(instant))}>
              {words.retry}
            </Button>
          </div>
          <Refusal error={error} />
        </>
      )}
      {may('posts:write', ofPost) && post !== undefined && (
        <p class="quiet small-text">{canEdit ? words.repairHint : words.copyHint}</p>
      )}
    </section>
  )
}
