import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { ConnectedAdAccount, GetCampaignDailyInsightsQuery } from '../../interface/generated/types.ts'
import { listAdAccounts } from '../api.ts'
import { now } from '../clock.ts'
import { Choice, TextField } from '../fields.tsx'
import { Loaded } from '../list.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { today, zoneName } from '../times.ts'
import { Button, Empty, Note, Page } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { insights as words } from '../words.ts'
import { nameOfWindow } from './format.ts'
import { Report } from './report.tsx'
import {
  COMPARISONS,
  type ComparedWith,
  comparedWith,
  PERIODS,
  PRESETS,
  periodOf,
  presetOf,
  problemOf,
  readWindow,
  WINDOW_DAYS_MAX,
} from './window.ts'
import './insights.css'

/** An ad account's campaign costs and results by day, compared with another window. */
export default function Insights() {
  const { id: organizationId, may } = useOrganization()
  const { query } = useUrlQuery()
  const accounts = usePolled(['ad-accounts', organizationId], (options) => listAdAccounts(organizationId, options))
  const settings = may('settings:write') && (
    <a class="lone-link" href={hrefOf(organizationId, 'settings', ['ad-accounts'])}>
      {words.toSettings}
    </a>
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
            query.account === undefined
              ? (list.find(({ connected }) => connected) ?? list[0]!)
              : list.find(({ id }) => id === query.account)
          if (account === undefined) return <NoSuchAccount id={query.account!} accounts={list} />
          return <Account key={account.id} account={account} accounts={list} settings={settings} />
        }}
      </Loaded>
    </Page>
  )
}

/** The address names an account that no longer exists; another account's money must not be shown instead. */
function NoSuchAccount({ id, accounts }: { id: string; accounts: ConnectedAdAccount[] }) {
  const { setQuery } = useUrlQuery()
  return (
    <Empty title={words.noSuchAccount({ id })}>
      <div class="actions">
        {accounts.map(({ id: other, name }) => (
          <Button key={other} onClick={() => setQuery({ account: other, campaign: undefined })}>
            {name}
          </Button>
        ))}
      </div>
    </Empty>
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
  const lead = words.lead({
    window: nameOfWindow(startDate, endDate),
    currency: account.currency,
    zone: zoneName(account.timezone),
  })
  return (
    <>
      <div class="filters">
        <Choice
          label={words.account}
          value={account.id}
          options={accounts.map(({ id, name, connected }) => [id, connected ? name : words.notConnectedName({ name })])}
          onChoose={(id) => setQuery({ account: id, campaign: undefined })}
        />
        <Choice
          label={words.window}
          value={query.from === undefined ? (periodOf(query) ?? String(presetOf(query))) : 'own'}
          options={[
            ...PRESETS.map((days) => [String(days), words.lastDays({ days })] as const),
            ...PERIODS.map((period) => [period, words.periods[period]] as const),
            ['own', words.ownWindow],
          ]}
          onChoose={(value) => setQuery({ ...NO_WINDOW, ...toQuery(value, window) })}
        />
        <Choice<ComparedWith>
          label={words.comparison}
          value={comparedWith(query)}
          options={COMPARISONS.map((choice) => [choice, words.comparisons[choice]] as const)}
          onChoose={(choice) => setQuery({ compare: choice === 'previous' ? undefined : choice })}
        />
        {query.from !== undefined && (
          <>
            <DayField
              label={words.from}
              problem={problem && (problem === 'tooLong' ? words.tooLong({ days: WINDOW_DAYS_MAX }) : words.wrongOrder)}
              value={startDate}
              max={end}
              onChoose={(from) => setQuery({ from })}
            />
            <DayField label={words.to} value={endDate} max={end} onChoose={(to) => setQuery({ to })} />
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

const NO_WINDOW = { from: undefined, to: undefined, days: undefined, period: undefined }

/** Returns the query for a period. A custom period starts with the days on screen. */
function toQuery(value: string, { startDate, endDate }: GetCampaignDailyInsightsQuery): Record<string, string> {
  if (value === 'own') return { from: startDate, to: endDate }
  return PERIODS.some((period) => period === value) ? { period: value } : { days: value }
}

interface DayFieldProps {
  label: string
  problem?: string | undefined
  value: string
  max: string
  onChoose: (day: string) => void
}

/** A date field that applies on blur or Enter, because each window costs calls to the platform. */
function DayField({ value, onChoose, ...field }: DayFieldProps) {
  // Browsers report a change for each digit, and when a date is picked with the mouse.
  const isTyping = useRef(false)
  const [typed, setTyped] = useState<string>()
  const choose = (day: string | undefined): void => {
    isTyping.current = false
    setTyped(undefined)
    // Clearing the field keeps the day.
    if (day) onChoose(day)
  }
  return (
    <TextField
      {...field}
      type="date"
      value={typed ?? value}
      onInput={({ currentTarget }) => (isTyping.current ? setTyped : choose)(currentTarget.value)}
      onBlur={() => choose(typed)}
      onKeyDown={({ key }) => {
        if (key === 'Enter') choose(typed)
        else isTyping.current = true
      }}
    />
  )
}
