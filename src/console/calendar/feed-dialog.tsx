import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { CopyField, ShownOnce, toLink } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { formatInstant } from '../times.ts'
import { Button, Dialog } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { usePolled } from '../use-read.ts'
import { common, calendarTools as toolsWords } from '../words.ts'

const words = toolsWords.feed

/** Creates, replaces and deletes the person's calendar feed address. */
export function FeedDialog({ onClose }: { onClose: () => void }) {
  const { id: organizationId, timeZone } = useOrganization()
  const client = useQueryClient()
  const queryKey = ['calendar-feed', organizationId]
  const read = usePolled(queryKey, (options) => call('getOwnCalendarFeed', { organizationId }, options))
  const { busy, error, act } = useAct()
  const [path, setPath] = useState<string>()
  const make = () =>
    act(async () => {
      const issued = await call('createOwnCalendarFeed', { organizationId })
      client.setQueryData(queryKey, { createdAt: issued.createdAt })
      setPath(issued.path)
    })
  const remove = () =>
    act(async () => {
      await call('deleteOwnCalendarFeed', { organizationId })
      client.setQueryData(queryKey, { createdAt: null })
    }, words.removed)
  if (path !== undefined) {
    return (
      <ShownOnce title={words.made} lead={words.madeLead} onClose={onClose}>
        <CopyField label={words.address} value={toLink(path)} />
      </ShownOnce>
    )
  }
  return (
    <Dialog title={words.title} onClose={onClose}>
      <div class="form">
        <p>{words.lead}</p>
        <Loaded read={read} lines={1}>
          {({ createdAt }) => (
            <>
              <p>{createdAt === null ? words.none : words.since({ time: formatInstant(createdAt, timeZone) })}</p>
              {createdAt !== null && <p class="quiet small-text">{words.replaceHint}</p>}
              <div class="actions">
                <Button kind="primary" disabled={busy} onClick={() => void make()}>
                  {createdAt === null ? words.make : words.replace}
                </Button>
                {createdAt !== null && (
                  <Button disabled={busy} onClick={() => void remove()}>
                    {words.remove}
                  </Button>
                )}
                <Button onClick={onClose}>{common.close}</Button>
              </div>
            </>
          )}
        </Loaded>
        <Refusal error={error} />
      </div>
    </Dialog>
  )
}
