import type { LeftOutReason, PostRaffle, RaffleWinner } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { saveFile } from '../audience/save-file.ts'
import { TextArea } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { Rows } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { done, type Question, Row, Section, useChanges } from '../settings/section.tsx'
import { formatInstant } from '../times.ts'
import { usePolled, useRead } from '../use-read.ts'
import { number } from '../wording.ts'
import { comments, textOf, raffles as words } from '../words.ts'
import { useChannelFacts } from './queries.ts'

/** A post's raffles by channel, with entrants and winners. Absent if there are none. */
export function PostRaffles({ id }: { id: string }) {
  const { id: organizationId } = useOrganization()
  const key = ['raffles', organizationId, id]
  const changes = useChanges(key)
  const { data = [] } = usePolled(key, async (options) => {
    return (await call('listRaffles', { organizationId, scheduledPostId: id }, options)).items
  })
  if (data.length === 0) return null
  return (
    <Section title={words.title} hint={words.hint} changes={changes}>
      {data.map((raffle) => (
        <Raffle key={raffle.channelId} id={id} raffle={raffle} />
      ))}
    </Section>
  )
}

/** Says what the draw will and will not prove, for posts waiting for approval. */
export function RaffleProofs({ id }: { id: string }) {
  const { id: organizationId, timeZone } = useOrganization()
  const { data = [] } = useRead({
    queryKey: ['raffles', organizationId, id],
    queryFn: async () => (await call('listRaffles', { organizationId, scheduledPostId: id })).items,
  })
  return data.map((raffle) => (
    <p key={raffle.channelId} class="quiet small-text">
      {words.title}: {proofOf(raffle, timeZone)}
    </p>
  ))
}

const proofOf = ({ beacon }: PostRaffle, timeZone: string): string =>
  beacon === null
    ? words.noBeacon
    : words.beacon({ round: beacon.round, at: formatInstant(beacon.at, timeZone, 'short') })

function Raffle({ id, raffle }: { id: string; raffle: PostRaffle }) {
  const { id: organizationId, timeZone } = useOrganization()
  const { nameOf } = useChannelFacts(undefined)
  const { channelId, state, entrants, winnersLimit, endsAt, winners, redraws } = raffle
  const { beacon, leftOut } = raffle
  const name = nameOf(channelId)
  const save = async () => {
    const proof = await call('exportRaffle', { organizationId, scheduledPostId: id, channelId })
    saveFile(`raffle-${id}-${channelId}.json`, JSON.stringify(proof, null, 2), 'application/json')
    return {}
  }
  return (
    <>
      <Rows label={words.title} items={[raffle]} keyOf={() => channelId}>
        {() => (
          <Row
            name={<bdi>{name}</bdi>}
            about={words.facts({ entrants, winners: winnersLimit, ends: formatInstant(endsAt, timeZone, 'short') })}
            of={name}
            actions={state === 'drawn' && [{ text: words.save, change: save }]}
          >
            <span class={state === 'drawn' ? 'state-good' : 'quiet'}>{words.states[state]}</span>
            <span class="quiet small-text">{hashesOf(raffle)}</span>
            <span class="quiet small-text">{proofOf(raffle, timeZone)}</span>
            {beacon?.problem != null && (
              <span class="state-bad">{words.beaconProblem({ problem: beacon.problem })}</span>
            )}
            {leftOut.length > 0 && (
              <span class="quiet small-text">
                {words.leftOut({
                  groups: leftOut.map(({ people, reason }) => `${number(people)} (${leftOutOf(reason)})`).join(', '),
                })}
              </span>
            )}
            {redraws.map((redraw) => (
              <span key={redraw.newRank} class="small-text">
                {words.redrawn({ rank: redraw.rank, next: redraw.newRank, reason: redraw.reason })}
              </span>
            ))}
            {state === 'drawn' && winners.length === 0 && <span>{words.nobody}</span>}
          </Row>
        )}
      </Rows>
      {winners.length > 0 && (
        <Rows label={words.title} items={winners} keyOf={({ rank }) => String(rank)}>
          {(winner) => <Winner id={id} channelId={channelId} winner={winner} />}
        </Rows>
      )}
    </>
  )
}

const hashesOf = ({ seedSha256, entrantsSha256 }: PostRaffle): string =>
  [
    ...(seedSha256 === null ? [] : [words.hashOfSeed({ seed: seedSha256 })]),
    ...(entrantsSha256 === null ? [] : [words.hashOfEntrants({ entrants: entrantsSha256 })]),
  ].join(', ')

function leftOutOf(reason: LeftOutReason): string {
  if (reason === 'no_part') return words.noPart
  return reason === 'person_forgotten' ? comments.effectReasons.person_forgotten : comments.comments[reason]
}

function Winner({ id, channelId, winner }: { id: string; channelId: string; winner: RaffleWinner }) {
  const { id: organizationId, may } = useOrganization()
  const { rank, name, notification, reason } = winner
  const shown = name ?? words.unnamed
  const redraw: Question = {
    title: words.redrawTitle({ name: shown }),
    text: words.redrawText,
    submit: words.redraw,
    fields: <TextArea label={words.reason} name="reason" required maxLength={500} rows={2} />,
    run: (form) => {
      const body = { rank, reason: textIn(form, 'reason') }
      return done(call('redrawRaffle', { organizationId, scheduledPostId: id, channelId, body }), words.wasRedrawn)
    },
  }
  return (
    <Row
      name={<bdi>{shown}</bdi>}
      about={words.winner({ rank })}
      of={shown}
      actions={may('automation:manage') && [{ text: words.redraw, kind: 'plain', ask: redraw }]}
    >
      <span class={notification === 'sent' ? 'state-good' : notification === 'waiting' ? 'quiet' : 'state-bad'}>
        {words.notifications[notification]}
        {reason !== null && ` (${textOf(words.notSentReasons, reason, textOf(comments.effectReasons, reason))})`}
      </span>
    </Row>
  )
}
