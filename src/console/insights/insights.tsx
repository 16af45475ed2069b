import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import type { ConnectedAdAccount } from '../../interface/insights.ts'
import { listAdAccounts } from '../api.ts'
import { now } from '../clock.ts'
import { Choice, TextField } from '../fields.tsx'
import { Loaded } from '../list.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { formatDay, today, zoneName } from '../times.ts'
import { Empty, Note, Page } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { Report } from './report.tsx'
import { PRESETS, presetOf, problemOf, readWindow, WINDOW_DAYS_MAX } from './window.ts'
import { words } from './words.ts'
import './insights.css'

/** The costs and results of an ad account's campaigns over days, beside the window before. */
export default function Insights() {
  const { id: organizationId, may } = useOrganization()
  const { query } = useUrlQuery()
  const accounts = usePolled(['ad-accounts', organizationId], (options) => listAdAccounts(organizationId, options))
  const settings = may('settings:write') && (
    <a href={hrefOf(organizationId, 'settings', ['ad-accounts'])}>{words.toSettings}</a>
  )
  const none = (
    <Empty title={words.noAccountTitle}>
      <p>{words.noAccount}</p>
      {settings}
    </Empty>
  )
  return (
    <Page title={words.title} className="insights">
      <Loaded read={accounts} lines={6} empty={none}>
        {(list) => {
          const account =
            list.find(({ id }) => id === query.account) ?? list.find(({ connected }) => connected) ?? list[0]!
          return <Account key={account.id} account={account} accounts={list} settings={settings} />
        }}
      </Loaded>
    </Page>
  )
}

interface AccountProps {
  account: ConnectedAdAccount
  accounts: ConnectedAdAccount[]
  settings: ComponentChildren
}

function Account({ account, accounts, settings }: AccountProps) {
  const { query, setQuery } = useUrlQuery()
  const end = today(now(), account.timezone)
  const window = readWindow(query, end)
  const { startDate, endDate } = window
  const problem = problemOf(window)
  const choose = (changes: Parameters<typeof setQuery>[0]): void => setQuery({ campaign: undefined, ...changes })
  /** A day stays as it was where it is cleared. */
  const dayInput = (name: 'from' | 'to', value: string): InputHTMLAttributes<HTMLInputElement> => ({
    type: 'date',
    value,
    max: end,
    onChange: (event) => choose({ [name]: event.currentTarget.value || value }),
  })
  const lead = words.lead(
    words.windowName(formatDay(startDate), formatDay(endDate)),
    account.currency,
    zoneName(account.timezone),
  )
  return (
    <>
      <div class="filters">
        <Choice
          label={words.account}
          value={account.id}
          options={accounts.map(({ id, name, connected }) => [id, connected ? name : words.notConnectedName(name)])}
          onChoose={(id) => choose({ account: id })}
        />
        <Choice
          label={words.window}
          value={query.from === undefined ? String(presetOf(query)) : 'own'}
          options={[...PRESETS.map((days) => [String(days), words.lastDays(days)] as const), ['own', words.ownWindow]]}
          onChoose={(value) =>
            choose(
              value === 'own'
                ? { from: startDate, to: endDate, days: undefined }
                : { from: undefined, to: undefined, days: value },
            )
          }
        />
        {query.from !== undefined && (
          <>
            <TextField
              label={words.from}
              problem={problem && (problem === 'tooLong' ? words.tooLong(WINDOW_DAYS_MAX) : words.wrongOrder)}
              {...dayInput('from', startDate)}
            />
            <TextField label={words.to} {...dayInput('to', endDate)} />
          </>
        )}
      </div>
      <p class="quiet small-text">{lead}</p>
      {!account.connected ? (
        <Note kind="warn">
          <p>{words.notConnected}</p>
          {settings}
        </Note>
      ) : (
        problem === undefined && <Report account={account} window={window} end={end} settings={settings} />
      )}
    </>
  )
}
