import type { DiscussionChange, PostChange } from '../../interface/generated/types.ts'
import { nameOfActor, useDiscussionHistory } from '../discussion/queries.ts'
import { Icon, type IconName } from '../icons.tsx'
import { isWebUrl } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { knownPeople } from '../people.ts'
import { formatInstant } from '../times.ts'
import { list } from '../wording.ts'
import {
  approvals as approvalWords,
  common,
  discussion as discussionWords,
  outside as outsideWords,
  textOf,
  posts as words,
} from '../words.ts'
import { WaitDetail } from './wait-note.tsx'
import './history.css'

const ICONS: Partial<Record<PostChange['action'], IconName>> = {
  submitted: 'WAITING_FOR_APPROVAL',
  approved: 'SCHEDULED',
  rejected: 'REJECTED',
  retried: 'SCHEDULED',
  claimed: 'PUBLISHING',
  waits: 'SCHEDULED',
  published: 'PUBLISHED',
  failed: 'FAILED',
}

/** Returns the name of the person behind a change. `detail` has the name if they used a review link. */
export function actorName({
  actor,
  actorName: name,
  detail,
}: Pick<PostChange, 'actor' | 'actorName' | 'detail'>): string {
  const { name: outsider, linkOf } = (detail?.outsider ?? {}) as { name?: unknown; linkOf?: unknown }
  if (typeof outsider === 'string') return outsideWords.byLinkOf({ name: outsider, maker: inWords(String(linkOf)) })
  // Everyone with an account has a name, so a missing one means a deleted account.
  return name ?? (actor.startsWith('user:') ? words.deletedAccount : inWords(actor))
}

function inWords(actor: string): string {
  const [type = '', ...rest] = actor.split(':')
  const id = rest.join(':')
  return (type === 'user' ? knownPeople.get(id) : undefined) ?? words.actor({ type, id })
}

/** Describes the changed fields, each once; `channels.FB_PAGE_1` becomes the channel's name. */
export function changedFields(changes: readonly PostChange[], channelName: (id: string) => string): string[] {
  const names = changes.flatMap(({ detail }) => (Array.isArray(detail?.changed) ? detail.changed.map(String) : []))
  return [...new Set(names.map((name) => nameOfField(name, channelName)))]
}

/** Describes a changed field. */
export const nameOfField = (name: string, channelName: (id: string) => string): string =>
  name.startsWith('channels.')
    ? words.changedOn({ channel: channelName(name.slice('channels.'.length)) })
    : textOf(common.fields, name)

/** Returns who changed which fields after the version with this ETag; both are empty if the history does not show it. */
export function describeNewer(
  changes: readonly PostChange[] | undefined,
  etag: string,
  channelName: (id: string) => string,
): { who: string; what: string } {
  const version = Number(/^"(\d+)/.exec(etag)?.[1])
  const later = (changes ?? []).filter((change) => change.version > version)
  const last = later.at(-1)
  return { who: last === undefined ? '' : actorName(last), what: list(changedFields(later, channelName)) }
}

/** Returns true if the person who decided undid the decision. */
const isTakenBack = ({ action, actor, toStatus }: Pick<PostChange, 'action' | 'actor' | 'toStatus'>): boolean =>
  action === 'reverted' && toStatus === 'WAITING_FOR_APPROVAL' && actor !== 'publisher'

/** Returns true if the publisher found different media at the approved address. */
const isReturnedByPublisher = ({ action, actor }: PostChange): boolean => action === 'reverted' && actor === 'publisher'

/** Returns the last standing decision and the changes since, or undefined if there is none. */
export function sinceDecision(history: readonly PostChange[]) {
  const standing: number[] = []
  history.forEach((change, index) => {
    const { action } = change
    if (action === 'approved' || action === 'rejected') standing.push(index)
    else if (isTakenBack(change)) standing.pop()
  })
  const index = standing.at(-1)
  if (index === undefined) return undefined
  return { decision: history[index]!, changes: history.slice(index + 1).filter(({ action }) => action === 'updated') }
}

/** Says who approved or returned the post, when, and with which notes. */
export function DecisionText({ decision }: { decision: PostChange }) {
  const { timeZone } = useOrganization()
  const { action, at, detail } = decision
  return (
    <>
      <p>
        <strong>
          {approvalWords.since({
            isApproved: action === 'approved',
            who: actorName(decision),
            time: formatInstant(at, timeZone, 'short'),
          })}
        </strong>
      </p>
      {typeof detail?.notes === 'string' && <p class="quote">{detail.notes}</p>}
    </>
  )
}

/** Returns the platform's reason for the failure on each channel. */
function failuresOf(history: readonly PostChange[]): { channelId: string; error: string }[] {
  const last = history.findLast(({ action }) => action === 'failed')
  const channels = last?.detail?.channels
  if (typeof channels !== 'object' || channels === null) {
    const reason = last?.detail?.reason ?? last?.detail?.error
    return typeof reason === 'string' ? [{ channelId: '', error: reason }] : []
  }
  return Object.entries(channels as Record<string, { state?: unknown; error?: unknown }>).flatMap(
    ([channelId, { error, state }]) =>
      typeof error === 'string' && state !== 'PUBLISHED' ? [{ channelId, error }] : [],
  )
}

interface HistoryProps {
  changes: readonly PostChange[]
  channelName: (id: string) => string
}

/** Shows why publishing failed on each channel. */
export function Failures({ changes, channelName, className }: HistoryProps & { className?: string }) {
  return (
    <>
      {failuresOf(changes).map(({ channelId, error }) => (
        <p key={channelId} class={className}>
          {channelId === '' ? error : `${channelName(channelId)}: ${error}`}
        </p>
      ))}
    </>
  )
}

/** Returns the post's public web addresses by channel. */
export function linksOf(history: readonly PostChange[]): { channelId: string; url: string }[] {
  const last = history.findLast(({ action }) => action === 'failed' || action === 'published')
  const channels = (last?.detail?.channels ?? {}) as Record<string, { permalink?: unknown }>
  return Object.entries(channels).flatMap(([channelId, { permalink }]) =>
    typeof permalink === 'string' && isWebUrl(permalink) ? [{ channelId, url: permalink }] : [],
  )
}

/** The changes of a post and of its discussion in one timeline, newest first. */
export function History({ id, changes, channelName }: HistoryProps & { id: string }) {
  const discussion = useDiscussionHistory(id).data ?? []
  const entries = [
    ...changes.map((change) => ({
      at: change.at,
      entry: <Change {...{ change, channelName }} key={change.version} />,
    })),
    ...discussion.map((change) => ({ at: change.at, entry: <MessageChange change={change} key={change.id} /> })),
  ]
  // The sort is stable, so simultaneous changes keep their order.
  return (
    <ol class="history">
      {entries
        .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
        .toReversed()
        .map(({ entry }) => entry)}
    </ol>
  )
}

function Change({ change, channelName }: { change: PostChange } & Pick<HistoryProps, 'channelName'>) {
  const { timeZone } = useOrganization()
  const fields = changedFields([change], channelName)
  const isReturn = isReturnedByPublisher(change)
  const notes = isReturn ? change.detail?.reason : change.detail?.notes
  const verb = isReturn ? words.action.rejected : words.action[change.action]
  return (
    <li>
      <Icon name={ICONS[change.action] ?? 'DRAFT'} />
      <div>
        <p>
          <strong>{actorName(change)}</strong> {isTakenBack(change) ? words.tookBack : verb}
        </p>
        {fields.length > 0 && <p class="quiet">{list(fields)}</p>}
        {typeof notes === 'string' && <p class="quote">{notes}</p>}
        <WaitDetail change={change} channelName={channelName} />
        {change.action === 'failed' && <Failures changes={[change]} channelName={channelName} className="quiet" />}
        <p class="quiet small-text">
          <time dateTime={change.at}>{formatInstant(change.at, timeZone)}</time>
        </p>
      </div>
    </li>
  )
}

function MessageChange({ change: { actor, action, at } }: { change: DiscussionChange }) {
  const { timeZone } = useOrganization()
  return (
    <li>
      <Icon name="talk" />
      <div>
        <p>
          <strong>{nameOfActor(actor)}</strong> {discussionWords.action[action]}
        </p>
        <p class="quiet small-text">
          <time dateTime={at}>{formatInstant(at, timeZone)}</time>
        </p>
      </div>
    </li>
  )
}
