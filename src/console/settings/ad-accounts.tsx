import type { ConnectedAdAccount } from '../../interface/insights.ts'
import { connectAdAccount, createAdAccount, listAdAccounts } from '../api.ts'
import { TextField, ZoneField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { Row } from '../list.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { Empty } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { Actions, AddButton, ListSection, type Outcome, type Question, useChanges } from './section.tsx'
import { TokenField, tokenActions, tokenIn } from './token.tsx'
import { words } from './words.ts'

/** The ad accounts whose insights are read, and whether each has an access token. */
export function AdAccounts() {
  const { id: organizationId, timeZone, may } = useOrganization()
  const mayWrite = may('settings:write')
  const accounts = usePolled(['ad-accounts', organizationId], (options) => listAdAccounts(organizationId, options))
  const changes = useChanges(['ad-accounts', organizationId], ['insights', organizationId])
  const outcomeOf = ({ connected, tokenExpiresAt: end }: ConnectedAdAccount): Outcome => ({
    said: words.connectedNow(connected, end && formatInstant(end, timeZone, 'date')),
  })
  const add: Question = {
    title: words.addAccount,
    submit: words.add,
    fields: <AccountFields timeZone={timeZone} />,
    run: async (form) => {
      const id = textIn(form, 'id')
      const [name, currency, timezone] = [textIn(form, 'name'), textIn(form, 'currency'), textIn(form, 'timezone')]
      const body = { id, name, currency: currency.toUpperCase(), timezone, ...tokenIn(form) }
      return outcomeOf(await createAdAccount(organizationId, body))
    },
  }
  const actionsOf = ({ id, name, connected }: ConnectedAdAccount) => {
    const { connect, disconnect } = tokenActions({
      name,
      hasToken: connected,
      hint: words.accountTokenHint,
      loss: words.disconnectAccount,
      ask: changes.ask,
      setToken: async (accessToken) => outcomeOf(await connectAdAccount(organizationId, id, { accessToken })),
    })
    return <Actions of={name} all={[connect, disconnect]} />
  }
  return (
    <section class="section">
      <ListSection
        title={words.sections['ad-accounts']}
        changes={changes}
        add={mayWrite && <AddButton text={words.addAccount} onClick={() => changes.ask(add)} />}
        read={accounts}
        empty={<Empty title={words.noAccountTitle}>{words.noAccount}</Empty>}
        keyOf={({ id }) => id}
        row={(account) => (
          <Row name={<bdi>{account.name}</bdi>} actions={mayWrite && actionsOf(account)}>
            <span class="quiet small-text">
              {account.id} · {account.currency} · {zoneName(account.timezone)}
            </span>
            <span class={account.connected ? 'state-good' : 'state-bad'}>
              {account.connected ? words.isConnected : words.lacksToken}
            </span>
          </Row>
        )}
      />
    </section>
  )
}

const AccountFields = ({ timeZone }: { timeZone: string }) => (
  <>
    <TextField
      label={words.platformId}
      hint={words.accountIdHint}
      name="id"
      required
      autofocus
      pattern="(act_)?[0-9]+"
      inputMode="numeric"
    />
    <TextField label={words.name} name="name" required maxLength={200} />
    <TextField
      label={words.currency}
      hint={words.currencyHint}
      name="currency"
      required
      pattern="[A-Za-z]{3}"
      maxLength={3}
    />
    <ZoneField label={words.timeZone} name="timezone" zone={timeZone} />
    <TokenField hint={words.accountTokenHint} />
  </>
)
