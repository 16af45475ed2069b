import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { ConnectedAdAccount } from '../../interface/insights.ts'
import { connectAdAccount, createAdAccount, listAdAccounts } from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { FormDialog, SectionHead, textIn } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { announce, Empty, Field, Loading, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { ConnectDialog, DisconnectDialog, TokenField } from './token.tsx'
import { words } from './words.ts'

/** The ad accounts whose insights are read, and whether each has an access token. */
export function AdAccounts() {
  const { id: organizationId, timeZone, may } = useOrganization()
  const client = useQueryClient()
  const mayWrite = may('settings:write')
  const accounts = useRead({
    queryKey: ['ad-accounts', organizationId],
    queryFn: ({ signal }) => listAdAccounts(organizationId, { signal }),
    refetchInterval: POLL_MS,
  })
  const [asks, setAsks] = useState<{ kind: 'add' } | { kind: 'connect' | 'disconnect'; account: ConnectedAdAccount }>()
  const close = (): void => setAsks(undefined)
  const done = async ({ connected, tokenExpiresAt: end }: ConnectedAdAccount): Promise<void> => {
    close()
    announce(words.connectedNow(connected, end && formatInstant(end, timeZone, 'date')))
    await client.invalidateQueries({ queryKey: ['ad-accounts', organizationId] })
    await client.invalidateQueries({ queryKey: ['insights', organizationId] })
  }
  return (
    <section class="section">
      <SectionHead title={words.sections['ad-accounts']}>
        {mayWrite && (
          <button type="button" class="button primary" onClick={() => setAsks({ kind: 'add' })}>
            <Icon name="plus" /> {words.addAccount}
          </button>
        )}
      </SectionHead>
      {accounts.data === undefined ? (
        accounts.error ? (
          <Problem error={accounts.error} onRetry={accounts.refetch} />
        ) : (
          <Loading />
        )
      ) : accounts.data.length === 0 ? (
        <Empty title={words.noAccountTitle}>{words.noAccount}</Empty>
      ) : (
        <ul class="card rows" aria-label={words.sections['ad-accounts']}>
          {accounts.data.map((account) => (
            <li key={account.id}>
              <div class="row-text">
                <strong>
                  <bdi>{account.name}</bdi>
                </strong>
                <span class="quiet small-text">
                  {account.id} · {account.currency} · {zoneName(account.timezone)}
                </span>
                <span class={account.connected ? 'state-good' : 'state-bad'}>
                  {account.connected ? words.isConnected : words.lacksToken}
                </span>
              </div>
              {mayWrite && (
                <div class="actions">
                  <button type="button" class="button small" onClick={() => setAsks({ kind: 'connect', account })}>
                    {account.connected ? words.replaceToken : words.connect}
                    <span class="hidden"> {account.name}</span>
                  </button>
                  {account.connected && (
                    <button
                      type="button"
                      class="button small plain"
                      onClick={() => setAsks({ kind: 'disconnect', account })}
                    >
                      {words.disconnect}
                      <span class="hidden"> {account.name}</span>
                    </button>
                  )}
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {asks?.kind === 'add' && (
        <FormDialog
          title={words.addAccount}
          submit={words.add}
          onClose={close}
          onSubmit={async (form) => {
            const accessToken = textIn(form, 'accessToken')
            await done(
              await createAdAccount(organizationId, {
                id: textIn(form, 'id'),
                name: textIn(form, 'name'),
                currency: textIn(form, 'currency').toUpperCase(),
                timezone: textIn(form, 'timezone'),
                ...(accessToken === '' ? {} : { accessToken }),
              }),
            )
          }}
        >
          <Field label={words.platformId} hint={words.accountIdHint}>
            {(attributes) => (
              <input {...attributes} name="id" required autofocus pattern="(act_)?[0-9]+" inputMode="numeric" />
            )}
          </Field>
          <Field label={words.name}>
            {(attributes) => <input {...attributes} name="name" required maxLength={200} />}
          </Field>
          <Field label={words.currency} hint={words.currencyHint}>
            {(attributes) => <input {...attributes} name="currency" required pattern="[A-Za-z]{3}" maxLength={3} />}
          </Field>
          <Field label={words.timeZone}>
            {(attributes) => (
              <select {...attributes} name="timezone">
                {Intl.supportedValuesOf('timeZone').map((zone) => (
                  <option key={zone} value={zone} selected={zone === timeZone}>
                    {zoneName(zone)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <TokenField hint={words.accountTokenHint} />
        </FormDialog>
      )}
      {asks?.kind === 'connect' && (
        <ConnectDialog
          name={asks.account.name}
          hint={words.accountTokenHint}
          onClose={close}
          onToken={async (accessToken) =>
            done(await connectAdAccount(organizationId, asks.account.id, { accessToken }))
          }
        />
      )}
      {asks?.kind === 'disconnect' && (
        <DisconnectDialog
          name={asks.account.name}
          text={words.disconnectAccount}
          onClose={close}
          onToken={async (accessToken) =>
            done(await connectAdAccount(organizationId, asks.account.id, { accessToken }))
          }
        />
      )}
    </section>
  )
}
