import type { InboxEntry } from '../../interface/generated/types.ts'
import type { InboxKind } from '../../interface/inbox.ts'
import { Icon, type IconName } from '../icons.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { actorName } from '../posts/history.tsx'
import { formatInstant } from '../times.ts'
import { toName } from '../to-name.ts'
import { Button } from '../ui.tsx'
import { inbox as words } from '../words.ts'
import type { Marks } from './use-inbox.ts'

const ICONS: Record<InboxKind, IconName> = {
  returned: 'REJECTED',
  approved: 'SCHEDULED',
  failed: 'FAILED',
  published: 'PUBLISHED',
  mentioned: 'person',
  replied: 'person',
}

interface EntryProps {
  entry: InboxEntry
  channelName: (id: string) => string
  marks: Marks
}

/** An inbox entry: what happened, who did it, to which post, and why. Opening the post marks it as read. */
export function Entry({ entry, channelName, marks }: EntryProps) {
  const { id: organizationId, timeZone } = useOrganization()
  const { kind, at, post, detail, isRead } = entry
  const who = detail.outsider ?? actorName({ ...entry, detail: undefined })
  const name = toName(post.text) || words.noText
  const quoted = detail.notes ?? detail.text
  return (
    <div class={`inbox-row ${isRead ? '' : 'inbox-unread'}`}>
      <Icon name={ICONS[kind]} />
      <div class="inbox-text">
        <p>
          {words.said({ kind, who })}
          {!isRead && <span class="hidden"> ({words.isUnread})</span>}
        </p>
        <a
          href={hrefOf(organizationId, 'posts', [post.id])}
          dir="auto"
          onClick={() => {
            if (!isRead) void marks.toggle(entry)
          }}
        >
          {name}
        </a>
        {quoted !== undefined && quoted !== '' && (
          <p class="quote" dir="auto">
            {quoted}
          </p>
        )}
        {detail.failures?.map(({ channelId, reason }) => (
          <p key={channelId} class="quote">
            {words.reason({ channel: channelName(channelId), reason })}
          </p>
        ))}
        <time class="quiet small-text" dateTime={at}>
          {formatInstant(at, timeZone)}
        </time>
      </div>
      <Button
        kind="small"
        of={`${words.said({ kind, who })}: ${name}`}
        disabled={marks.busy}
        onClick={() => void marks.toggle(entry)}
      >
        {isRead ? words.markUnread : words.markRead}
      </Button>
    </div>
  )
}
