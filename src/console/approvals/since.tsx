import type { PostChange, ScheduledPost } from '../../interface/posts.ts'
import { getLastReview } from '../api.ts'
import { actorName, changedFields, DecisionText, sinceDecision } from '../posts/history.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Loading, Note } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { compareContents, isNothing } from './difference.ts'
import { DifferenceView } from './difference-view.tsx'
import { words } from './words.ts'

/** A post, and its history once it is read. */
export interface PostWithHistory {
  post: ScheduledPost
  changes: readonly PostChange[] | undefined
  channelName: (id: string) => string
}

/** The last decision about the post, and what has changed since then. */
export function Since({ post, changes, channelName }: PostWithHistory) {
  const { id: organizationId, timeZone } = useOrganization()
  const since = changes && sinceDecision(changes)
  const last = useRead({
    queryKey: ['last-review', organizationId, post.id, since?.decision.version],
    queryFn: ({ signal }) => getLastReview(organizationId, post.id, { signal }),
    enabled: since !== undefined,
  })
  if (changes === undefined) return null
  const asked = changes.findLast(
    ({ action, toStatus }) => action === 'submitted' || toStatus === 'WAITING_FOR_APPROVAL',
  )
  const askedText = asked && words.written(actorName(asked), formatInstant(asked.at, timeZone, 'short'))
  if (since === undefined) return <p class="quiet">{[askedText, words.firstTime].filter(Boolean).join('. ')}</p>
  // A decision from before its content was kept has no review: only the names of the fields are known then.
  const review = last.data?.review
  const fields = changedFields(since.changes, channelName)
  const isSame = review == null ? fields.length === 0 : isNothing(compareContents(review.content, post))
  return (
    <Note>
      <DecisionText decision={since.decision} />
      {last.isPending ? (
        <Loading lines={1} />
      ) : isSame ? (
        <p>{words.unchanged}</p>
      ) : (
        <>
          <p>{words.changedSince}</p>
          {review == null ? (
            <ul class="bullets">
              {fields.map((field) => (
                <li key={field}>{field}</li>
              ))}
            </ul>
          ) : (
            <DifferenceView before={review.content} now={post} />
          )}
        </>
      )}
    </Note>
  )
}
