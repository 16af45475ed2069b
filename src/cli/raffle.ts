import type { Command } from 'commander'
import type { PostRaffle, RaffleExport, RaffleWinner } from '../client/index.js'
import { findFaults } from '../lib/raffle-proof.js'
import { api, operator } from './client.js'
import { groupOf } from './command-group.js'
import { readJsonObject, toWholeNumber } from './input.js'
import { type Cli, CliError } from './io.js'
import { note, printLine, printList, printObject } from './output.js'

interface OrganizationOption {
  organization?: string
}

const POST = 'post_9Xw2Kd'
const CHANNEL = 'FB_PAGE_1010101010'

const redrawn = (
  _organization: string,
  _post: string,
  _channel: string,
  { rank }: { rank: number; reason: string },
) => [`The winner of rank ${rank} wins no more, and the next rank wins in their place.`]

export function addRaffle(program: Command, cli: Cli): void {
  const { add, remove } = groupOf(program, cli, 'raffle', 'the raffles of published posts')
  const asOperator = (command: Command): Command =>
    command.option('--organization <organization>', 'as the operator, of this organization')

  asOperator(
    add(
      'show <post>',
      'show the raffles of a post',
      POST,
      async (post: string, { organization }: OrganizationOption) => {
        const { items } =
          organization === undefined
            ? await api(cli).raffles.list(post)
            : await operator(cli).raffles.list(organization, post)
        printRaffles(cli, items)
      },
    ),
  )

  remove(
    'redraw <organization> <post> <channel>',
    'let the next rank win in the place of a winner',
    `org_5V3kPq ${POST} ${CHANNEL} --rank 2 --reason 'Nobody answers' --yes`,
    redrawn,
    (organization, post, channel, { rank, reason }) =>
      operator(cli).raffles.redraw(organization, post, channel, { rank, reason }),
  )
    .requiredOption('--rank <number>', 'the rank of the winner who is replaced', toWholeNumber)
    .requiredOption('--reason <text>', 'the reason, which stays with the raffle')

  asOperator(
    add(
      'export <post> <channel>',
      'print a drawn raffle as JSON that names nobody, for anyone to verify',
      `${POST} ${CHANNEL} > raffle.json`,
      async (post: string, channel: string, { organization }: OrganizationOption) => {
        const exported =
          organization === undefined
            ? await api(cli).raffles.export(post, channel)
            : await operator(cli).raffles.export(organization, post, channel)
        printLine(cli, JSON.stringify(exported))
      },
    ),
  )

  add(
    'verify <file>',
    'draw an exported raffle again, without a server, and tell whether everything holds',
    'raffle.json',
    async (file: string) => {
      const proof = toProof(await readJsonObject(cli, `@${file}`, 'The file'))
      const faults = await findFaults(proof)
      for (const fault of faults) note(cli, fault)
      if (faults.length > 0) throw new CliError(1, 'The raffle was not drawn as the file says.')
      const { entrants, winners, redraws, seedSha256, beacon = null, leftOut = [], frozenAt } = proof
      printObject(cli, {
        ...{ holds: true, entrants: entrants.length, winners: winners.length, redraws: redraws.length, seedSha256 },
        beaconRound: beacon?.round ?? null,
        leftOut: leftOut.reduce((sum, { people }) => sum + people, 0),
      })
      note(cli, 'Hold seedSha256 against the hash that was published before the raffle began.')
      if (beacon === null) {
        note(cli, 'The draw used no public beacon: anyone who knew the seed before the end could know the winners.')
      } else if (Date.parse(frozenAt) >= Date.parse(beacon.at)) {
        note(cli, 'The list of the entrants was fixed after the value of the beacon was public.')
      }
    },
  )
}

const isBeacon = (given: unknown): boolean => {
  const { chain, round, signature, randomness } = (given ?? {}) as Record<string, unknown>
  const texts = [chain, signature, randomness]
  return texts.every((text) => typeof text === 'string' && /^[\da-f]{1,192}$/.test(text)) && Number.isSafeInteger(round)
}

/** Throws a CliError for what is no exported raffle. */
function toProof(given: Record<string, unknown>): RaffleExport {
  const { version, endsAt, beacon, seed, seedSha256, winnersLimit, entrants, entrantsSha256, winners, redraws } = given
  const isText = (value: unknown): boolean => typeof value === 'string'
  const isList = (value: unknown, isItem: (item: Record<string, unknown>) => boolean): boolean =>
    Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null && isItem(item))
  const isProof =
    (version === 1 || (version === 2 && (beacon === null || isBeacon(beacon)))) &&
    [endsAt, seed, seedSha256, entrantsSha256].every(isText) &&
    Number.isInteger(winnersLimit) &&
    Array.isArray(entrants) &&
    entrants.every(isText) &&
    isList(winners, ({ rank, entrant }) => Number.isInteger(rank) && isText(entrant)) &&
    isList(redraws, ({ rank, newRank, entrant }) => [rank, newRank].every(Number.isInteger) && isText(entrant))
  if (!isProof) throw new CliError(2, 'The file holds no exported raffle of version 1 or 2.')
  return given as unknown as RaffleExport
}

function printRaffles(cli: Cli, raffles: readonly PostRaffle[]): void {
  printList(cli, raffles, VIEW)
  if (cli.format() !== 'table') return
  for (const { winners } of raffles) if (winners.length > 0) printList(cli, winners, WINNERS)
}

const VIEW = {
  columns: ['channelId', 'state', 'entrants', 'winnersLimit', 'endsAt', 'seedSha256'],
  spare: ['seedSha256'],
  noun: 'raffles of this post',
} as const
const WINNERS = {
  columns: ['rank', 'name', 'conversationId', 'told', 'reason'] satisfies (keyof RaffleWinner)[],
  noun: 'winners',
}
