import type { NamedPost } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { Loaded, Rows } from '../list.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatDistance, formatInstant } from '../times.ts'
import { toName } from '../to-name.ts'
import { useNow } from '../use-now.ts'
import { usePolled } from '../use-read.ts'
import { useRevision } from '../use-revision.ts'
import { posts as postWords, inbox as words } from '../words.ts'

/** The posts that this person can decide about now, soonest first. */
export function Waiting() {
  const { id: organizationId } = useOrganization()
  const waiting = useRevision().data?.waiting ?? 0
  const read = usePolled(['waiting-for-me', organizationId], (options) =>
    call('listWaitingForMe', { organizationId }, options),
  )
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">{words.waiting}</h2>
      <Loaded read={read} lines={2}>
        {({ items, count, mayHaveMore }) =>
          count === 0 ? (
            <p class="quiet">{waiting > 0 ? words.othersWait : words.nothingWaits}</p>
          ) : (
            <>
              <p>{words.waitingMany({ many: count, isMore: mayHaveMore })}</p>
              <Rows label={words.waiting} items={items} keyOf={({ id }) => id}>
                {(post) => <WaitingPost post={post} />}
              </Rows>
              {items.length < count && <a href={hrefOf(organizationId, 'approvals')}>{words.toApprovals}</a>}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function WaitingPost({ post: { id, text, scheduledFor } }: { post: NamedPost }) {
  const { id: organizationId, timeZone } = useOrganization()
  const nowMs = useNow()
  const isOver = scheduledFor !== undefined && Date.parse(scheduledFor) <= nowMs
  return (
    <div class="inbox-text">
      <a href={hrefOf(organizationId, 'approvals', [], { post: id })} dir="auto">
        {toName(text) || words.noText}
      </a>
      {scheduledFor === undefined ? (
        <span class="quiet small-text">{postWords.noTime}</span>
      ) : (
        <span class="small-text">
          <strong>{formatInstant(scheduledFor, timeZone, 'short')}</strong>{' '}
          <span class={isOver ? 'overdue' : 'quiet'}>
            {isOver ? postWords.overdue : formatDistance(scheduledFor, nowMs)}
          </span>
        </span>
      )}
    </div>
  )
}
