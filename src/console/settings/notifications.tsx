import { useQueryClient } from '@tanstack/preact-query'
import { getOwnNotifications, setOwnNotifications } from '../api.ts'
import { SectionHead, useAct } from '../forms.tsx'
import { useOrganization } from '../session.tsx'
import { Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { words } from './words.ts'

/** Whether one gets mails about the organization; nothing where the server sends none. */
export function OwnMails() {
  const { id } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act } = useAct()
  const queryKey = ['own-notifications', id]
  const { data } = useRead({ queryKey, queryFn: ({ signal }) => getOwnNotifications(id, { signal }) })
  if (data?.available !== true) return null
  return (
    <>
      <SectionHead title={words.mails}>
        <button
          type="button"
          class="button"
          disabled={busy}
          onClick={() =>
            void act(async () => {
              client.setQueryData(queryKey, await setOwnNotifications(id, { mails: !data.mails }))
            }, words.saved)
          }
        >
          {data.mails ? words.mailsOff : words.mailsOn}
        </button>
      </SectionHead>
      <p class="quiet small-text">{data.mails ? words.mailsAreOn : words.mailsAreOff}</p>
      {error !== undefined && <Problem error={error} />}
    </>
  )
}
