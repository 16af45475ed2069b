/**
 * Measures single requests among 1,000,000 conversations with 5,000,000 purchases, against 25,000 with 125,000, in two
 * services in turn. The result is the factor, not the time. Lists have 25,000 people in both: bench:vip-users measures
 * the length of one list.
 */
import { type Engine, expectStatus, median, OPERATOR_TOKEN, print, send, signedHeaders } from '../shared.js'
import { anyoneOf, listPathOf, timeUntilVisible } from './events.js'
import { conversationsOf, QUICK, report } from './options.js'
import { type Size, type Stage, shopIdOf, withStage } from './stage.js'

const SMALL: Size = { channels: 1, conversations: 25_000, purchases: 5 }
const ROUNDS = QUICK ? 100 : 500
const VISIBLE_ROUNDS = QUICK ? 20 : 100
const WARM_UP_ROUNDS = 10
const GOAL = { most: 2 }

interface Question {
  name: string
  rounds: number
  /** Asks about a person, or something near that person, and returns the milliseconds that it took. */
  ask(stage: Stage, person: number, round: number): Promise<number>
}

const QUESTIONS: readonly Question[] = [
  {
    name: "a list's first page",
    rounds: ROUNDS,
    ask: (stage, person) => timeOfGet(stage, listPathOf(stage, channelOf(stage, person)), signedHeaders(stage.key)),
  },
  {
    name: 'search by the beginning of a name',
    rounds: ROUNDS,
    ask: (stage, person) => search(stage, `First${person % 997} L`),
  },
  {
    name: 'search by an id',
    rounds: ROUNDS,
    ask(stage, person, round) {
      const ids = [`cu_${person}`, `t_${person}`, shopIdOf(person - (person % 10))]
      return search(stage, ids[round % ids.length]!)
    },
  },
  {
    name: 'details of a person',
    rounds: ROUNDS,
    ask: (stage, person) => timeOfOperatorGet(stage, `/people/cu_${person}`),
  },
  {
    name: 'one event until it is visible',
    rounds: VISIBLE_ROUNDS,
    ask: (stage, person) => timeUntilVisible(stage, channelOf(stage, person)),
  },
]

export async function measureMillion(engine: Engine): Promise<void> {
  const channels = Math.ceil(conversationsOf(engine) / SMALL.conversations)
  await withStage(engine, 'small', SMALL, (small) =>
    withStage(engine, 'large', { ...SMALL, channels }, async (large) => {
      const all = large.people.toLocaleString('en')
      print(`million: ${all} conversations in ${channels} channels, against ${small.people.toLocaleString('en')}\n`)
      await readAllLists([small, large])
      for (const question of QUESTIONS) await measureQuestion(question, small, large)
    }),
  )
}

async function measureQuestion({ name, rounds, ask }: Question, small: Stage, large: Stage): Promise<void> {
  const times = new Map([small, large].map((stage) => [stage, [] as number[]]))
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    // Each goes first in every other round.
    for (const stage of round % 2 === 0 ? [small, large] : [large, small]) {
      const ms = await ask(stage, anyoneOf(stage), Math.abs(round))
      if (round >= 0) times.get(stage)!.push(ms)
    }
  }
  const [own, base] = [median(times.get(large)!), median(times.get(small)!)]
  const factor = own / base
  const details = `${own.toFixed(2)} ms against ${base.toFixed(2)} ms; medians of ${rounds}.`
  report(`million, ${name}`, `${factor.toFixed(2)} times as long`, [factor, GOAL], details)
}

/** The first page of a list takes longer and is measured elsewhere. */
async function readAllLists(stages: readonly Stage[]): Promise<void> {
  for (const stage of stages) {
    for (let channel = 0; channel < stage.size.channels; channel++) {
      await timeOfGet(stage, listPathOf(stage, channel), signedHeaders(stage.key))
    }
  }
}

const channelOf = ({ size }: Stage, person: number): number => Math.floor((person - 1) / size.conversations)

const search = (stage: Stage, text: string): Promise<number> =>
  timeOfOperatorGet(stage, `/people?search=${encodeURIComponent(text)}`)

const timeOfOperatorGet = (stage: Stage, path: string): Promise<number> =>
  timeOfGet(stage, `/api/organizations/${stage.organizationId}${path}`, {
    authorization: `Bearer ${OPERATOR_TOKEN}`,
  })

async function timeOfGet({ server }: Stage, path: string, headers: Record<string, string>): Promise<number> {
  const startedAt = performance.now()
  expectStatus(await send(server, path, { headers }), 200)
  return performance.now() - startedAt
}
