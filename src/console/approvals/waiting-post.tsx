import type { ListedPost } from '../../interface/generated/types.ts'
import { OpenThreads } from '../discussion/open-threads.tsx'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../organization.ts'
import { useMaySend } from '../outside/send-posts.tsx'
import { channelNames, channelsOf, nameOf, textOf } from '../posts/post-text.ts'
import { SmallMedia } from '../posts/preview.tsx'
import { formatDistance, formatInstant } from '../times.ts'
import { useNow } from '../use-now.ts'
import { posts as postWords, approvals as words } from '../words.ts'
import type { Several } from './several.tsx'

interface WaitingPostProps {
  post: ListedPost
  isOpen: boolean
  onOpen: () => void
  several: Several
}

/** A waiting post in the list. People who may approve or share it can select several. */
export function WaitingPost({ post, isOpen, onOpen, several }: WaitingPostProps) {
  const { timeZone } = useOrganization()
  const maySelect = useMaySend()(channelsOf(post))
  const nowMs = useNow()
  const due = post.scheduledFor
  return (
    <li class={`approval ${isOpen ? 'approval-open' : ''}`}>
      {maySelect && (
        <label class="approval-check">
          <span class="hidden">{words.select({ text: nameOf(post) })}</span>
          <input type="checkbox" checked={several.isSelected(post)} onChange={() => several.toggle(post.id)} />
        </label>
      )}
      <a
        href={`?post=${encodeURIComponent(post.id)}`}
        aria-current={isOpen ? 'true' : undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
          event.preventDefault()
          onOpen()
        }}
      >
        <SmallMedia url={post.media} type={post.mediaType} />
        <span class="approval-text">
          <span class="approval-due">
            {due === undefined ? (
              postWords.noTime
            ) : (
              <>
                <strong>{formatInstant(due, timeZone, 'short')}</strong>
                <span class={Date.parse(due) <= nowMs ? 'overdue' : 'quiet'}>
                  {Date.parse(due) <= nowMs ? postWords.overdue : formatDistance(due, nowMs)}
                </span>
              </>
            )}
          </span>
          <span class="approval-caption" dir="auto">
            {textOf(post)}
          </span>
          <span class="quiet small-text">
            {channelNames(post)}
            {Object.values(post.mediumsData).some(({ superpower }) => superpower != null) && <Icon name="spark" />}
            <OpenThreads many={post.openMessages} />
          </span>
        </span>
      </a>
    </li>
  )
}
