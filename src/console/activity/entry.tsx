import type { AuditEntry, Channel } from '../../interface/generated/types.ts'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { knownPeople } from '../people.ts'
import { Failures, nameOfField } from '../posts/history.tsx'
import { formatInstant } from '../times.ts'
import { toName } from '../to-name.ts'
import { Button } from '../ui.tsx'
import { list } from '../wording.ts'
import { activity as words } from '../words.ts'
import { describeChange, inWords } from './describe-change.ts'

interface EntryProps {
  entry: AuditEntry
  channels: readonly Channel[]
  names: PostNames
  onChoose: (who: string) => void
  /** Filters the log to a post. */
  onPost: (scheduledPostId: string) => void
}

/** An entry of the change log. `onChoose` filters the log to the entry's actor. */
export function Entry({ entry, channels, names, onChoose, onPost }: EntryProps) {
  const { timeZone } = useOrganization()
  return (
    <li>
      <div>
        <p>
          <Who actor={entry.actor} onChoose={onChoose} /> {verbPhrase(entry)}{' '}
          <Target entry={entry} channels={channels} names={names} />
        </p>
        <div class="quiet small-text">
          <Details entry={entry} channels={channels} />
          <Repeats entry={entry} timeZone={timeZone} />
          {entry.target.type === 'scheduledPost' && (
            <Button kind="small plain" onClick={() => onPost(entry.target.id)}>
              {words.onlyPost}
            </Button>
          )}
        </div>
      </div>
      <time class="quiet small-text" dateTime={entry.at}>
        {formatInstant(entry.at, timeZone, 'short')}
      </time>
    </li>
  )
}

/** The actor as it appears in the address's filter, such as `user:usr_1`. */
export const idOf = ({ type, id }: AuditEntry['actor']): string => (id === undefined ? type : `${type}:${id}`)

function Who({ actor, onChoose }: { actor: AuditEntry['actor']; onChoose: (who: string) => void }) {
  const name = actor.name ?? words.actor(actor)
  return (
    <button type="button" class="link-button" title={words.onlyBy({ name })} onClick={() => onChoose(idOf(actor))}>
      <bdi>{name}</bdi>
      {actor.type === 'key' && actor.name !== undefined && <span class="quiet small-text"> ({words.key})</span>}
      {actor.tokenId !== undefined && <span class="quiet small-text"> ({words.byToken})</span>}
    </button>
  )
}

/** Returns the verb of an entry; the name of its target follows it. */
function verbPhrase(entry: AuditEntry): string {
  const phrases: Readonly<Record<string, string>> = words.deeds
  const { operation } = entry
  return (
    (operation === 'publishScheduledPost' ? phrases[actionOf(entry) ?? ''] : phrases[operation]) ?? inWords(operation)
  )
}

function actionOf({ changes }: AuditEntry): string | undefined {
  return typeof changes?.action === 'string' ? changes.action : undefined
}

/** The texts of the posts that entries refer to, by post id; undefined while they load. */
export type PostNames = ReadonlyMap<string, string> | undefined

/** A link to a post, labelled with the beginning of its text, or with its id once it is deleted. */
function PostLink({ id, names }: { id: string; names: PostNames }) {
  const { id: organizationId } = useOrganization()
  const text = names?.get(id)
  if (names !== undefined && text === undefined) return <span class="id">{id}</span>
  return (
    <a href={hrefOf(organizationId, 'posts', [id])}>
      <bdi>{text === undefined || text === '' ? words.post : toName(text)}</bdi>
    </a>
  )
}

/** The id of a conversation, linked to the page of its person. */
function ConversationLink({ channel, id }: { channel: Channel; id: string }) {
  const { id: organizationId, may } = useOrganization()
  return (
    <>
      {may('audience:read') ? <a href={hrefOf(organizationId, 'audience', [], { search: id })}>{id}</a> : id}{' '}
      <bdi>({channel.name})</bdi>
    </>
  )
}

function Target({ entry: { target, changes }, channels, names }: Pick<EntryProps, 'entry' | 'channels' | 'names'>) {
  const { type, id } = target
  if (type === 'scheduledPost') {
    return changes?.action === 'deleted' ? <span class="id">{id}</span> : <PostLink id={id} names={names} />
  }
  if (type === 'discussion') return <PostLink id={id} names={names} />
  const channel = channels.find((one) => id === one.id || id.split('/').includes(one.id))
  const conversationId = type === 'vipMark' || type === 'conversation' ? id.split('/').at(-1) : undefined
  if (channel !== undefined && conversationId !== undefined) {
    return <ConversationLink channel={channel} id={conversationId} />
  }
  const name =
    target.name ??
    (type === 'user' ? knownPeople.get(id) : undefined) ??
    (type === 'invitation' && typeof changes?.mail === 'string' ? changes.mail : undefined) ??
    channel?.name
  if (name !== undefined) return <bdi>{name}</bdi>
  if (type === 'user') return words.actor({ type, id })
  return type === 'organization' || type === 'superpower' || type === 'webhook' ? null : <span class="id">{id}</span>
}

/** Fields that the entry shows elsewhere, or that mean nothing to a reader. */
const UNSAID = [
  ...['action', 'fromStatus', 'toStatus', 'detail', 'version', 'deliveryId', 'replaces', 'check'],
  ...['messageId', 'shared'],
]

function Details({ entry: { changes = {}, before = {}, address }, channels }: Pick<EntryProps, 'entry' | 'channels'>) {
  const { timeZone } = useOrganization()
  const detail = (typeof changes.detail === 'object' ? changes.detail : {}) as Record<string, unknown>
  const channelName = (id: string): string => channels.find((one) => one.id === id)?.name ?? id
  const toNamed = ([name, value]: [string, unknown]) =>
    [name, name === 'channels' && Array.isArray(value) ? value.map(channelName) : value] as const
  const was = Object.fromEntries(Object.entries(before).map(toNamed))
  // Some lists are shown below the entry. They include the channels that were added or removed.
  const lists = [changes.channels, before.channels].filter(Array.isArray)
  const isToldBelow = (name: string): boolean =>
    name in changes || lists.filter((ids) => ids.includes(name.slice('channels.'.length))).length === 1
  const fields = Array.isArray(detail.changed) ? detail.changed.map(String).filter((name) => !isToldBelow(name)) : []
  const changed = [...new Set(fields.map((name) => nameOfField(name, channelName)))]
  const rest = [
    ...Object.entries(changes)
      .filter(([name]) => !UNSAID.includes(name))
      .map(toNamed),
    ...(typeof detail.notes === 'string' ? [['notes', detail.notes] as const] : []),
  ]
  return (
    <>
      {changed.length > 0 && <p>{list(changed)}</p>}
      {changes.action === 'failed' && (
        <Failures changes={[{ action: 'failed', detail } as never]} channelName={channelName} />
      )}
      {rest.map(([name, value]) => (
        <p key={name} dir="auto">
          {describeChange(name, value, was[name], timeZone)}
        </p>
      ))}
      {address !== undefined && <p>{words.fromAddress({ address })}</p>}
    </>
  )
}

/** Repeats of an operation within the hour share one entry; this shows how often it ran and how it ended. */
function Repeats({ entry: { repeated }, timeZone }: { entry: AuditEntry; timeZone: string }) {
  if (repeated === undefined) return null
  const { times, until, states } = repeated
  const ended = Object.entries(states.at(-1)?.changes ?? {})
    .filter(([name]) => !UNSAID.includes(name))
    .map(([name, value]) => describeChange(name, value, undefined, timeZone))
  return (
    <p dir="auto">
      {words.repeated({ times, until: formatInstant(until, timeZone, 'short'), ended: ended.join(', ') || undefined })}
    </p>
  )
}
