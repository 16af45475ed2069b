import { useState } from 'preact/hooks'
import type { OptOut, OrganizationChannel } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { TextField } from '../fields.tsx'
import { Form, textIn } from '../forms.tsx'
import { type ListPage, Loaded, Rows, readPages } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { announce, Button, Dialog, Empty } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { byClock, usePolled } from '../use-read.ts'
import { channels as words } from '../words.ts'

const PAGE_ROWS = 20

/** People who get no automatic messages on a channel. They can be added and removed by hand. */
export function OptOuts({ channel, onClose }: { channel: OrganizationChannel; onClose: () => void }) {
  const { id: organizationId, timeZone } = useOrganization()
  const at = { organizationId, channelId: channel.id }
  const [rows, setRows] = useState(PAGE_ROWS)
  const read = (query: { after?: string }, options: object): Promise<ListPage<OptOut>> =>
    call('listOptOuts', { ...at, query: { ...query, limit: PAGE_ROWS } }, options)
  const people = usePolled(
    ['opt-outs', organizationId, channel.id, rows],
    ({ signal }) => readPages(read, { rows, signal }),
    { placeholderData: (previous) => previous, refetchInterval: byClock },
  )
  const { busy, error, act } = useAct()
  const change = (run: () => Promise<unknown>, announcement: string): Promise<boolean> =>
    act(async () => {
      await run()
      await people.refetch()
      announce(announcement)
    })
  const [typed, setTyped] = useState('')
  return (
    <Dialog title={words.optOutsOf({ name: channel.name })} onClose={onClose}>
      <Form
        error={error}
        onSubmit={async (form) => {
          const fromId = textIn(form, 'fromId')
          if (await change(() => call('addOptOut', { ...at, fromId }), words.optOutAdded({ id: fromId }))) setTyped('')
        }}
      >
        <p>{words.optOutsText}</p>
        <TextField
          label={words.fromId}
          hint={words.fromIdHint}
          name="fromId"
          required
          maxLength={200}
          value={typed}
          onInput={({ currentTarget: input }) => setTyped(input.value)}
        />
        <div class="actions">
          <Button type="submit" disabled={busy}>
            {words.addOptOut}
          </Button>
        </div>
        <Loaded read={people}>
          {({ items, nextCursor }) => (
            <>
              {items.length === 0 ? (
                <Empty title={words.noOptOuts}>{words.noOptOutsText}</Empty>
              ) : (
                <Rows label={words.optOuts} items={items} keyOf={({ fromId }) => fromId}>
                  {({ fromId, at: since, source }) => (
                    <>
                      <div class="row-text">
                        <bdi>{fromId}</bdi>
                        <span class="quiet small-text">
                          {words.optOutSource[source]} · {formatInstant(since, timeZone, 'short')}
                        </span>
                      </div>
                      <Button
                        kind="small plain"
                        of={fromId}
                        disabled={busy}
                        onClick={() =>
                          void change(
                            () => call('removeOptOut', { ...at, fromId }),
                            words.optOutRemoved({ id: fromId }),
                          )
                        }
                      >
                        {words.removeOptOut}
                      </Button>
                    </>
                  )}
                </Rows>
              )}
              {nextCursor !== undefined && (
                <Button onClick={() => setRows(rows + PAGE_ROWS)}>{words.moreOptOuts}</Button>
              )}
            </>
          )}
        </Loaded>
      </Form>
    </Dialog>
  )
}
