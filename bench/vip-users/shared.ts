/** The questions of this bench share its options, one round of load, and the goals. */
import { parseArgs } from 'node:util'
import type { Child } from '../../test/child.js'
import type { LoadOrder, LoadResult } from '../programs/load.js'
import { askLoad, cpuSeconds, median, printTable } from '../shared.js'
import { getPage, pathOf, type Service } from './service.js'

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } })
export const QUICK = options.quick ?? false
export const isWanted = (name: string): boolean => name.includes(options.only ?? '')

export const ROUNDS = QUICK ? 3 : 5
export const ROUND_MS = QUICK ? 300 : 1_000
export const WARM_UP_MS = QUICK ? 200 : 500
export const CONNECTIONS = 32

/** A kind of page. */
export interface Scenario {
  name: string
  query: string
  headers?: Record<string, string>
  /** Requested with the page's ETag, and answered 304. */
  known?: true
}

export const FULL_50: Scenario = { name: 'full 50', query: 'scope=all' }

/** A server whose pages are measured. */
export interface Target {
  name: string
  pid: number
  /** Prepares the server and returns the order for the load. */
  order(scenario: Scenario, channel: number): Promise<Omit<LoadOrder, 'connections' | 'ms'>>
}

export type Round = LoadResult & { cpuSeconds: number }

export function serviceTarget(service: Service): Target {
  const { name, data } = service
  return {
    name: `Greenroom, ${name}`,
    pid: service.pid,
    async order({ query, headers = {}, known }, channel) {
      const path = pathOf(data, query, data.channelIds[channel])
      const etag = known && (await getPage(service, path)).headers.etag
      return {
        port: service.port,
        requests: [{ path }],
        headers: etag === undefined ? headers : { ...headers, 'if-none-match': String(etag) },
        key: data.key,
        status: etag === undefined ? 200 : 304,
      }
    },
  }
}

export async function askPages(
  load: Child,
  target: Target,
  scenario: Scenario,
  channel: number,
  ms: number,
): Promise<Round> {
  const order = await target.order(scenario, channel)
  const before = cpuSeconds(target.pid)
  const result = await askLoad(load, { ...order, connections: CONNECTIONS, ms })
  return { ...result, cpuSeconds: cpuSeconds(target.pid) - before }
}

/** Pages per second; NaN without a round. */
export const rateOf = (rounds: LoadResult[] = []): number =>
  median(rounds.map(({ requests, seconds }) => requests / seconds))

const goals: string[][] = [['goal', 'at most or least', 'measured', '']]

/** Records a goal and its measurement. Without a measurement it is not judged. */
export function judge(
  claim: string,
  value: number,
  { least, most }: { least?: number; most?: number },
  unit = '',
): void {
  if (Number.isNaN(value)) return
  const met = least === undefined ? value <= most! : value >= least
  const text = value < 10 ? value.toFixed(2) : value.toFixed(0)
  goals.push([claim, `${least === undefined ? '≤' : '≥'} ${least ?? most}${unit}`, text + unit, met ? 'met' : 'missed'])
}

export function printGoals(): void {
  if (goals.length > 1) printTable(goals)
}
