import { useLayoutEffect, useRef } from 'preact/hooks'
import { ApiError, call } from './api.ts'
import { NotConfirmed } from './confirmation.ts'
import { hrefOf } from './navigation.ts'
import { useOrganizationId } from './organization.ts'
import { toName } from './to-name.ts'
import { Problem } from './ui.tsx'
import { useRead } from './use-read.ts'
import { common } from './words.ts'

interface RefusalProps {
  error: unknown
  /** Returns the name of the channel of a hashtag in use. */
  channelName?: (id: string) => string
}

/** Explains beside a button why its action was refused, and takes the focus, since that is where the person looks. */
export function Refusal({ error, channelName }: RefusalProps) {
  const place = useRef<HTMLDivElement>(null)
  const isShown = error != null && !(error instanceof NotConfirmed)
  useLayoutEffect(() => {
    place.current?.focus({ preventScroll: true })
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [error])
  if (!isShown) return null
  return (
    <div class="refusal" ref={place} tabIndex={-1}>
      <Problem error={error}>
        {error instanceof ApiError && error.conflicts.length > 0 && <Conflicts of={error} channelName={channelName} />}
      </Problem>
    </div>
  )
}

/** Lists each hashtag in use with its channel and a link to the post that holds it. */
function Conflicts({ of: { conflicts }, channelName = (id) => id }: { of: ApiError } & Omit<RefusalProps, 'error'>) {
  const organizationId = useOrganizationId() ?? ''
  const ids = [...new Set(conflicts.flatMap(({ scheduledPostId }) => scheduledPostId ?? []))]
  const names = useRead({
    queryKey: ['post-names', organizationId, ids],
    queryFn: ({ signal }) =>
      call('listScheduledPostNames', { organizationId, query: { ids: ids.join(',') } }, { signal }),
    enabled: ids.length > 0,
  })
  const nameOf = (postId: string): string => toName(names.data?.find(({ id }) => id === postId)?.text ?? '')
  return (
    <ul class="bullets">
      {conflicts.map(({ hashtag, mediumId, scheduledPostId }) => (
        <li key={`${mediumId} ${hashtag}`}>
          {common.hashtagInUse({ hashtag: `#${hashtag.replace(/^#/, '')}`, channel: channelName(mediumId) })}{' '}
          {scheduledPostId === undefined ? (
            common.anotherPost
          ) : (
            <a href={hrefOf(organizationId, 'posts', [scheduledPostId])}>
              <bdi>{nameOf(scheduledPostId) || common.anotherPost}</bdi>
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}
