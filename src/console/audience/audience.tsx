import type { Channel, Workspace } from '../../interface/channels.ts'
import { Choice } from '../fields.tsx'
import { type Query, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Empty, Page, Problem } from '../ui.tsx'
import { FALLBACK_MS, orSoonAfterError, useRead } from '../use-read.ts'
import { common } from '../words.ts'
import { chooseChannel, chooseWorkspace, SOON_DAYS } from './choice.ts'
import { People } from './people.tsx'
import { PersonPage } from './person-page.tsx'
import { channelsQuery, workspacesQuery } from './queries.ts'
import { Search } from './search.tsx'
import { words } from './words.ts'
import './audience.css'

/** The people of a channel, as the service sorts them: the highest lifetime value first. */
export default function Audience() {
  const { query } = useUrlQuery()
  if (query.person !== undefined) {
    return (
      <Page title={words.title} className="audience">
        <PersonPage cuid={query.person} />
      </Page>
    )
  }
  return <Lists />
}

function Lists() {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  // Asked for early, they are not asked for again when the page is drawn; the revision tells of changes.
  const kept = { staleTime: Number.POSITIVE_INFINITY, refetchInterval: orSoonAfterError(FALLBACK_MS) }
  const workspaces = useRead({ ...workspacesQuery(organizationId), ...kept })
  const { choices, workspaceId } = chooseWorkspace(workspaces.data, query)
  const channels = useRead({
    ...channelsQuery(organizationId, workspaceId),
    ...kept,
    enabled: workspaceId !== undefined,
  })
  const channel = chooseChannel(channels.data, query)
  const failed = workspaces.error ?? channels.error
  return (
    <Page title={words.title} className="audience">
      <Search />
      {failed && (workspaces.data === undefined || channels.data === undefined) && (
        <Problem error={failed} onRetry={workspaces.refetch} />
      )}
      {workspaces.data !== undefined && workspaceId === undefined && (
        <Empty title={words.noWorkspaceTitle}>{words.noWorkspace}</Empty>
      )}
      {channels.data !== undefined && channel === undefined && (
        <Empty title={words.noChannelTitle}>{words.noChannel}</Empty>
      )}
      {workspaceId !== undefined && channel !== undefined && (
        <>
          <Filters workspaceId={workspaceId} workspaces={choices} channel={channel} channels={channels.data ?? []} />
          <People key={`${workspaceId} ${channel.id}`} workspaceId={workspaceId} channel={channel} />
        </>
      )}
    </Page>
  )
}

const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1)
const nameMonth = (month: number): string => formatInstant(Date.UTC(2000, month - 1, 15), 'UTC', 'monthName')

function Filters({
  workspaceId,
  workspaces,
  channel,
  channels,
}: {
  workspaceId: string
  workspaces: Workspace[]
  channel: Channel
  channels: Channel[]
}) {
  const { query, setQuery } = useUrlQuery()
  const choose = (changes: Query): void => setQuery({ offset: undefined, ...changes })
  return (
    <div class="audience-filters">
      {workspaces.length > 1 && (
        <Choice
          label={words.workspace}
          value={workspaceId}
          options={workspaces.map(({ id, name }) => [id, name])}
          onChoose={(workspace) => choose({ workspace, channel: undefined })}
        />
      )}
      <Choice
        label={words.channel}
        value={channel.id}
        options={channels.map(({ id, name, type }) => [id, `${name} (${common.channelType(type)})`])}
        onChoose={(id) => choose({ channel: id })}
      />
      <Choice
        label={words.scope}
        value={query.scope === 'all' ? 'all' : 'vip'}
        options={[
          ['vip', words.scopeVip],
          ['all', words.scopeAll],
        ]}
        onChoose={(scope) => choose({ scope })}
      />
      <Choice
        label={words.birthday}
        value={query.birthday ?? ''}
        options={[
          ['', words.birthdayAny],
          ['soon', words.birthdaySoon(SOON_DAYS)],
          ['known', words.birthdayKnown],
          ...MONTHS.map((month) => [String(month), words.birthdayIn(nameMonth(month))] as const),
        ]}
        onChoose={(birthday) => choose({ birthday })}
      />
    </div>
  )
}
