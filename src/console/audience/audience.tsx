import type { Channel, Workspace } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { Choice } from '../fields.tsx'
import { lazyPage } from '../lazy-page.tsx'
import { type Query, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Button, Empty, Page, Problem } from '../ui.tsx'
import { useIsPainted } from '../use-is-painted.ts'
import { FALLBACK_MS, orSoonAfterError, usePolled, useRead } from '../use-read.ts'
import { common, textOf, audience as words } from '../words.ts'
import { chooseChannel, chooseWorkspace, SOON_DAYS, SORTS, sortOf } from './choice.ts'
import { People } from './people.tsx'
import { channelsQuery, workspacesQuery } from './queries.ts'
import { Search } from './search.tsx'
import './audience.css'

const PersonPage = lazyPage(() => import('./person-page.tsx'), { isPart: true })
const Segments = lazyPage(() => import('./segments.tsx'), { isPart: true })
const Import = lazyPage(() => import('./import.tsx'), { isPart: true })

/** The people of a channel in the service's order, by default the highest lifetime value first. */
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
  // Data read early is not read again on render; the revision reports changes.
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
          <Panels workspaceId={workspaceId} channel={channel} />
          <People key={`${workspaceId} ${channel.id}`} workspaceId={workspaceId} channel={channel} />
        </>
      )}
    </Page>
  )
}

const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1)

/** The buttons for occasional tasks, and the panel that is open. */
function Panels({ workspaceId, channel }: { workspaceId: string; channel: Channel }) {
  const { may } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const isOpen = (panel: string): boolean => query.panel === panel
  const toggle = (panel: string) => ({
    'aria-expanded': isOpen(panel),
    onClick: () => setQuery({ panel: isOpen(panel) ? undefined : panel }),
  })
  return (
    <>
      <div class="actions">
        <Button kind="small" {...toggle('segments')}>
          {words.segments}
        </Button>
        {may('audience:write') && (
          <Button kind="small" {...toggle('import')}>
            {words.importCsv}
          </Button>
        )}
      </div>
      {isOpen('segments') && <Segments />}
      {isOpen('import') && may('audience:write') && (
        <Import key={channel.id} workspaceId={workspaceId} channel={channel} />
      )}
    </>
  )
}

/** Filters the list by a segment. */
function SegmentChoice({ onChoose }: { onChoose: (id: string) => void }) {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const isPainted = useIsPainted()
  const segments = usePolled(
    ['segments', organizationId],
    (options) => call('listSegments', { organizationId }, options),
    { enabled: isPainted },
  )
  const all = segments.data ?? []
  const isUnknown = query.segment !== undefined && !all.some(({ id }) => id === query.segment)
  return (
    <Choice
      label={words.segment}
      value={query.segment ?? ''}
      options={[
        ['', words.noSegment],
        ...all.map(({ id, name }) => [id, name] as const),
        ...(isUnknown
          ? [[query.segment!, segments.data === undefined ? words.readingSegments : words.unknownSegment] as const]
          : []),
      ]}
      onChoose={onChoose}
    />
  )
}

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
  const choose = (changes: Query): void => setQuery({ offset: undefined, after: undefined, ...changes })
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
        options={channels.map(({ id, name, type }) => [id, `${name} (${textOf(common.channelTypes, type)})`])}
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
          ['soon', words.birthdaySoon({ days: SOON_DAYS })],
          ['known', words.birthdayKnown],
          ...MONTHS.map(
            (month) => [String(month), words.birthdayIn({ month: textOf(words.months, String(month)) })] as const,
          ),
        ]}
        onChoose={(birthday) => choose({ birthday })}
      />
      <SegmentChoice onChoose={(segment) => choose({ segment })} />
      <Choice
        label={words.sort}
        value={sortOf(query)}
        options={SORTS.map((sort) => [sort, words.sorts[sort]])}
        onChoose={(sort) => choose({ sort })}
      />
    </div>
  )
}
