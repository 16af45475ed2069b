import type { AdAccountPatch, ConnectedAdAccount } from '../../interface/generated/types.ts'
import { call, listAdAccounts } from '../api.ts'
import { TextField, ZoneField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { zoneName } from '../times.ts'
import { Empty } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { common, settings as words } from '../words.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { type Action, done, ListSection, type Question, Row, useChanges } from './section.tsx'
import { TokenField, tokenActions, tokenIn, useConnected } from './token.tsx'

/** The ad accounts to read insights from, and whether each has an access token. */
export function AdAccounts() {
  const { id: organizationId, timeZone, may } = useOrganization()
  const mayWrite = may('settings:write')
  const connected = useConnected()
  const add: Question = {
    title: words.addAccount,
    submit: words.add,
    fields: <AccountFields timeZone={timeZone} />,
    run: async (form) => {
      const id = textIn(form, 'id')
      const [name, currency, timezone] = [textIn(form, 'name'), textIn(form, 'currency'), textIn(form, 'timezone')]
      const body = { id, name, currency: currency.toUpperCase(), timezone, ...tokenIn(form) }
      return connected(await call('createAdAccount', { organizationId, body }))
    },
  }
  const changes = useChanges(['ad-accounts', organizationId], ['insights', organizationId])
  const actionsOf = (account: ConnectedAdAccount): (Action | false)[] => {
    const { id: adAccountId, name } = account
    const update = (body: AdAccountPatch) => call('updateAdAccount', { organizationId, adAccountId, body })
    const onDelete = async () => {
      await call('deleteAdAccount', { organizationId, adAccountId })
      return { done: true }
    }
    const dialog = <DeleteDialog name={name} text={words.deleteAccount} onDelete={onDelete} />
    return [
      ...tokenActions({
        name,
        hasToken: account.connected,
        hint: words.accountTokenHint,
        loss: words.disconnectAccount,
        setToken: async (body) => connected(await update(body)),
      }),
      { text: words.edit, kind: 'plain', ask: editQuestion(account, update) },
      { text: words.delete, kind: 'plain', run: () => changes.open(dialog) },
    ]
  }
  return (
    <ListSection
      title={words.sections['ad-accounts']}
      changes={changes}
      add={mayWrite && add}
      read={usePolled(['ad-accounts', organizationId], (options) => listAdAccounts(organizationId, options))}
      empty={<Empty title={words.noAccountTitle}>{words.noAccount}</Empty>}
      row={(account) => (
        <Row
          name={<bdi>{account.name}</bdi>}
          about={`${account.id} · ${account.currency} · ${zoneName(account.timezone)}`}
          of={account.name}
          actions={mayWrite && actionsOf(account)}
        >
          <span class={account.connected ? 'state-good' : 'state-bad'}>
            {account.connected ? words.isConnected : words.lacksToken}
          </span>
        </Row>
      )}
    />
  )
}

const editQuestion = (
  { name, currency, timezone }: ConnectedAdAccount,
  update: (body: AdAccountPatch) => Promise<unknown>,
): Question => ({
  title: words.editTitle({ name }),
  submit: common.save,
  fields: (
    <>
      <TextField label={words.name} name="name" required autofocus maxLength={200} defaultValue={name} />
      <CurrencyField currency={currency} />
      <ZoneField label={words.timeZone} name="timezone" zone={timezone} />
    </>
  ),
  run: (form) => {
    const written = textIn(form, 'currency').toUpperCase()
    const body = { name: textIn(form, 'name'), currency: written, timezone: textIn(form, 'timezone') }
    return done(update(body), words.saved)
  },
})

const CurrencyField = ({ currency }: { currency?: string }) => (
  <TextField
    label={words.currency}
    hint={words.currencyHint}
    name="currency"
    required
    pattern="[A-Za-z]{3}"
    maxLength={3}
    defaultValue={currency}
  />
)

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
    <CurrencyField />
    <ZoneField label={words.timeZone} name="timezone" zone={timeZone} />
    <TokenField hint={words.accountTokenHint} />
  </>
)
