import type { Command } from 'commander'
import type { PostRaffle, RaffleExport, RaffleWinner } from '../client/index.js'
import { findFaults } from '../lib/raffle-proof.js'
import { addCommand } from './command.js'
import { readJsonObject } from './input.js'
import { type Cli, CliError } from './io.js'
import { note, printLine, printList, printObject } from './output.js'
import { group, row } from './table-command.js'

export const RAFFLE = group('raffle', 'the raffles of published posts', [
  row('show', 'listRaffles', { key: true, show: (cli, { items }) => printRaffles(cli, items) }),
  row('redraw', 'redrawRaffle', {
    sample: "--rank 2 --reason 'Nobody answers'",
    warning: 'This removes the winner of rank {rank}, and the next rank wins instead.',
  }),
  row('export', 'exportRaffle', {
    key: true,
    show: (cli, exported) => printLine(cli, JSON.stringify(exported)),
  }),
])

export const addVerify = (program: Command, cli: Cli): Command =>
  addCommand(
    program,
    'raffle verify <file>',
    'repeat the draw of an exported raffle, without a server, and check that it is correct',
    'raffle.json',
    (file: string) => verify(cli, file),
  )

async function verify(cli: Cli, file: string): Promise<void> {
  const proof = toProof(await readJsonObject(cli, `@${file}`, 'The file'))
  const faults = await findFaults(proof)
  for (const fault of faults) note(cli, fault)
  if (faults.length > 0) throw new CliError(1, 'The raffle was not drawn as the file describes.')
  const { entrants, winners, redraws, seedSha256, beacon = null, leftOut = [], frozenAt } = proof
  printObject(cli, {
    ...{ holds: true, entrants: entrants.length, winners: winners.length, redraws: redraws.length, seedSha256 },
    beaconRound: beacon?.round ?? null,
    leftOut: leftOut.reduce((sum, { people }) => sum + people, 0),
  })
  note(cli, 'Compare seedSha256 with the hash that was published before the raffle began.')
  if (beacon === null) {
    note(cli, 'The draw used no public beacon: anyone who knew the seed could know the winners before the end.')
  } else if (Date.parse(frozenAt) >= Date.parse(beacon.at)) {
    note(cli, 'The list of entrants was frozen after the value of the beacon was public.')
  }
}

const isBeacon = (given: unknown): boolean => {
  const { chain, round, signature, randomness } = (given ?? {}) as Record<string, unknown>
  const texts = [chain, signature, randomness]
  return texts.every((text) => typeof text === 'string' && /^[\da-f]{1,192}$/.test(text)) && Number.isSafeInteger(round)
}

/** Throws a CliError if the object is not an exported raffle. */
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
  if (!isProof) throw new CliError(2, 'The file is not an exported raffle of version 1 or 2.')
  return given as unknown as RaffleExport
}

function printRaffles(cli: Cli, raffles: readonly PostRaffle[]): void {
  printList(cli, raffles, VIEW)
  if (cli.format() !== 'table') return
  for (const { winners } of raffles) if (winners.length > 0) printList(cli, winners, WINNERS)
}

const VIEW = {
  columns: ['channelId', 'state', 'entrants', 'winnersLimit', 'endsAt', 'seedSha256'],
  dropFirst: ['seedSha256'],
  noun: 'raffles of this post',
} as const
const WINNERS = {
  columns: ['rank', 'name', 'conversationId', 'notification', 'reason'] satisfies (keyof RaffleWinner)[],
  noun: 'winners',
}
