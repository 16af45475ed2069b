import { useQueryClient } from '@tanstack/preact-query'
import type {
  NewPersonLink,
  PersonConversation,
  PersonDetails,
  PersonLink,
  PersonVipMark,
  Purchase,
} from '../../interface/generated/types.ts'
import { call, listWorkspaces } from '../api.ts'
import { SelectField, TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { Loaded, Rows } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { knownPeople, useKnownPeople } from '../people.ts'
import { useChannelFacts } from '../posts/queries.ts'
import { done, type Question, Row, Section, useChanges } from '../settings/section.tsx'
import { formatInstant } from '../times.ts'
import { Button, Note, Problem } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { person as words } from '../words.ts'
import { nameOr } from './person.tsx'

/** Everything known about a person. */
export default function PersonPage({ cuid }: { cuid: string }) {
  const { id: organizationId } = useOrganization()
  const { setQuery } = useUrlQuery()
  const person = usePolled(['person', organizationId, cuid], (options) =>
    call('getPerson', { organizationId, cuid }, options),
  )
  return (
    <>
      <div class="actions">
        <Button kind="small" onClick={() => setQuery({ person: undefined })}>
          {words.back}
        </Button>
      </div>
      <h2>
        <bdi>{words.title({ cuid: nameOr(cuid, person.data?.conversations[0]) })}</bdi>
      </h2>
      <p class="quiet small-text">{cuid}</p>
      <VipMarks cuid={cuid} />
      <Loaded read={person}>
        {(details) => (
          <>
            {details.currency === null && details.purchasesTotal > 0 && (
              <Note>
                <p>{words.noCurrency}</p>
              </Note>
            )}
            <Conversations of={details} />
            <Purchases of={details} />
            <Links of={details} />
            <Fields of={details} />
            <Erasure of={details} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Conversations({ of: { conversations, conversationsTotal, currency } }: { of: PersonDetails }) {
  const { timeZone } = useOrganization()
  const { nameOf: channelName } = useChannelFacts()
  const timesOf = (one: PersonConversation): string =>
    INSTANTS.flatMap((name) => {
      const at = one[name]
      return at === null ? [] : [words.instants[name]({ at: formatInstant(at, timeZone, 'short') })]
    }).join(' · ')
  const madeOf = ({ opening, purchased, refunded }: PersonConversation): string => {
    if (opening === null) return words.asImported
    const before =
      opening.at === null
        ? words.openingOnly({ amount: opening.amount })
        : words.openingAt({ amount: opening.amount, day: formatInstant(opening.at, timeZone, 'date') })
    return before + words.since({ purchased, refunded })
  }
  if (conversations.length === 0) return null
  return (
    <>
      <h3>{words.conversations}</h3>
      <Rows
        label={words.conversations}
        items={conversations}
        keyOf={({ channelId, conversationId }) => `${channelId} ${conversationId}`}
      >
        {(one) => (
          <Row
            name={<bdi>{nameOr(one.conversationId, one)}</bdi>}
            about={`${channelName(one.channelId)} · ${one.conversationId}`}
          >
            <span>{words.value({ amount: one.lifetimeValue, currency: currency || undefined })}</span>
            <span class="quiet small-text">{madeOf(one)}</span>
            <span class="quiet small-text">{timesOf(one)}</span>
          </Row>
        )}
      </Rows>
      {conversationsTotal > conversations.length && (
        <p class="quiet small-text">
          {words.conversationsShown({ shown: conversations.length, total: conversationsTotal })}
        </p>
      )}
    </>
  )
}

const INSTANTS = ['lastPurchaseTimestamp', 'lastUserMessageTimestamp', 'lastAppOpenTimestamp'] as const

/** Lists the workspaces that have the person as a VIP, since when, and who marked them. */
function VipMarks({ cuid }: { cuid: string }) {
  const { id: organizationId, timeZone } = useOrganization()
  useKnownPeople()
  const { nameOf: channelName } = useChannelFacts()
  const workspaces = usePolled(['workspaces', organizationId], (options) => listWorkspaces(organizationId, options))
  const marks = usePolled(['vip-marks', organizationId, cuid], (options) =>
    call('listPersonVipMarks', { organizationId, cuid }, options),
  )
  if (marks.data === undefined || marks.data.length === 0) return <Problem error={marks.error} />
  const workspaceName = (id: string): string => workspaces.data?.find((one) => one.id === id)?.name ?? id
  const since = ({ at, by }: PersonVipMark): string =>
    at === null ? words.sinceBefore : words.vipSince({ at: formatInstant(at, timeZone, 'short'), who: nameOfActor(by) })
  return (
    <>
      <h3>{words.vip}</h3>
      <Rows
        label={words.vip}
        items={marks.data}
        keyOf={({ workspaceId, channelId, conversationId }) => `${workspaceId} ${channelId} ${conversationId}`}
      >
        {(one) => (
          <Row
            name={
              <bdi>
                {words.vipOf({ workspace: workspaceName(one.workspaceId), channel: channelName(one.channelId) })}
              </bdi>
            }
            about={since(one)}
          />
        )}
      </Rows>
    </>
  )
}

function nameOfActor(by: string | null): string {
  const [type = '', id = ''] = by?.split(/:(.*)/s) ?? []
  return knownPeople.get(id) ?? words.actor({ type, id })
}

/** Erases a person permanently, if the viewer may do so. */
function Erasure({ of: { cuid, conversationsTotal, purchasesTotal } }: { of: PersonDetails }) {
  const { id: organizationId, may } = useOrganization()
  const { setQuery } = useUrlQuery()
  const client = useQueryClient()
  const changes = useChanges(['people-found', organizationId])
  if (!may('audience:write')) return null
  const erase: Question = {
    title: words.eraseTitle({ cuid }),
    submit: words.erase,
    isBad: true,
    fields: (
      <>
        <p>{words.eraseText({ conversations: conversationsTotal, purchases: purchasesTotal })}</p>
        <TextField
          label={words.eraseTyped({ cuid })}
          required
          autofocus
          autocomplete="off"
          onInput={({ currentTarget: input }) =>
            input.setCustomValidity(input.value.trim() === cuid.trim() ? '' : words.eraseDiffers)
          }
        />
      </>
    ),
    run: async () => {
      while (!(await call('erasePerson', { organizationId, cuid })).done);
      // Drop the cached list: its rows would still show the person's name.
      client.removeQueries({ queryKey: ['people', organizationId] })
      setQuery({ person: undefined })
      return { announcement: words.erased }
    },
  }
  return (
    <Section
      title={words.erase}
      hint={words.eraseHint}
      changes={changes}
      action={{ text: words.eraseTitle({ cuid }), kind: 'bad', ask: erase }}
    />
  )
}

function Purchases({ of: { purchases, purchasesTotal } }: { of: PersonDetails }) {
  const { timeZone } = useOrganization()
  const text = ({ state, refunded }: Purchase): string =>
    [words.states[state], refunded !== '0' && state !== 'refunded' && words.refunded({ amount: refunded })]
      .filter(Boolean)
      .join(' · ')
  return (
    <>
      <h3>{words.purchases}</h3>
      {purchases.length === 0 && <p class="quiet">{words.noPurchase}</p>}
      {purchases.length > 0 && (
        <Rows label={words.purchases} items={purchases} keyOf={({ sourceId, orderId }) => `${sourceId} ${orderId}`}>
          {(one) => (
            <Row
              name={`${one.amount} ${one.currency}`}
              about={`${formatInstant(one.at, timeZone, 'short')} · ${one.orderId} · ${one.sourceId}`}
            >
              <span>{text(one)}</span>
            </Row>
          )}
        </Rows>
      )}
      {purchasesTotal > purchases.length && (
        <p class="quiet small-text">{words.purchasesShown({ shown: purchases.length, total: purchasesTotal })}</p>
      )}
    </>
  )
}

const KINDS = Object.keys(words.kinds) as (keyof typeof words.kinds)[]

function Links({ of: { cuid, links } }: { of: PersonDetails }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const changes = useChanges(['person', organizationId, cuid])
  const mayLink = may('audience:write')
  const link: Question = {
    title: words.link,
    submit: words.link,
    fields: (
      <>
        <SelectField label={words.kind} name="kind" values={KINDS} textOf={(kind) => words.kinds[kind]} />
        <TextField label={words.idField} name="id" required maxLength={256} />
      </>
    ),
    run: (form) => {
      const body = { kind: textIn(form, 'kind') as NewPersonLink['kind'], id: textIn(form, 'id') }
      return done(call('linkPerson', { organizationId, cuid, body }), words.linked)
    },
  }
  const unlink = ({ kind, id }: PersonLink) =>
    done(call('unlinkPerson', { organizationId, cuid, kind, id }), words.unlinked)
  return (
    <Section title={words.links} changes={changes} add={mayLink && link} addKind="">
      {links.length === 0 ? (
        <p class="quiet">{words.noLink}</p>
      ) : (
        <Rows label={words.links} items={links} keyOf={({ kind, id }) => `${kind} ${id}`}>
          {(one) => (
            <Row
              name={<bdi>{one.id}</bdi>}
              about={`${words.kinds[one.kind as keyof typeof words.kinds] ?? one.kind} · ${one.sourceId ?? words.byHand} · ${formatInstant(one.at, timeZone, 'short')}`}
              of={one.id}
              actions={mayLink && [{ text: words.unlink, kind: 'plain', change: () => unlink(one) }]}
            />
          )}
        </Rows>
      )}
    </Section>
  )
}

function Fields({ of: { fields } }: { of: PersonDetails }) {
  const { timeZone } = useOrganization()
  const shown = fields.filter(({ value }) => value !== null)
  if (shown.length === 0) return null
  return (
    <>
      <h3>{words.fields}</h3>
      <Rows label={words.fields} items={shown} keyOf={({ field }) => field}>
        {(one) => (
          <Row
            name={<bdi>{one.value}</bdi>}
            about={`${one.field} · ${one.sourceId ?? words.byHand} · ${formatInstant(one.at, timeZone, 'short')}`}
          />
        )}
      </Rows>
    </>
  )
}
