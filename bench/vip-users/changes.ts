/** Measures how many pages per second remain while rows of the channel change. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Child } from '../../test/child.js'
import { cpuSeconds, formatCount, formatRatio, median, print, printTable } from '../shared.js'
import { changeRows, type Service } from './service.js'
import { askPages, FULL_50, judge, QUICK, ROUNDS, type Round, rateOf, serviceTarget, WARM_UP_MS } from './shared.js'

export const CHANGES = 'changed rows a second'

/** This is long enough for some changes at ten a second. */
const CHANGES_ROUND_MS = QUICK ? 500 : 2_000

/** Rows per second, how many of them one transaction changes, and the minimum share of the idle rate. */
const CHANGE_RATES: { title: string; rows: number; together: number; least?: number }[] = [
  { title: 'nothing changes', rows: 0, together: 1 },
  { title: '10 rows a second, one at a time', rows: 10, together: 1, least: 0.9 },
  { title: '100 rows a second, ten at a time', rows: 100, together: 10, least: 0.7 },
  { title: '100 rows a second, one at a time', rows: 100, together: 1, least: 0.7 },
]

export async function measureChanges(load: Child, service: Service): Promise<void> {
  const { name } = service
  const target = serviceTarget(service)
  await askPages(load, target, FULL_50, 0, WARM_UP_MS)
  const results = CHANGE_RATES.map((): (Round & { rows: number })[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { rows, together }] of CHANGE_RATES.entries()) {
      const changes = startChanging(service, rows, together)
      const result = await askPages(load, target, FULL_50, 0, CHANGES_ROUND_MS)
      results[index]!.push({ ...result, rows: (await changes.stop()) / result.seconds })
    }
  }
  const [alone, cpu] = [startChanging(service, 100, 1), cpuSeconds(service.writer.pid)]
  await wait(CHANGES_ROUND_MS)
  const rowsAlone = await alone.stop()
  const idle = rateOf(results[0])
  const where = service.writer.pid === service.pid ? 'by the service itself' : 'by another process'
  printTable([
    [`${name}: ${FULL_50.name} while rows change ${where}`, 'pages/s', 'of idle', 'p50 ms', 'p99 ms', 'rows/s'],
    ...CHANGE_RATES.map(({ title }, index) => [
      title,
      formatCount(rateOf(results[index])),
      formatRatio(rateOf(results[index]) / idle),
      ...(['p50Ms', 'p99Ms'] as const).map((field) => median(results[index]!.map((round) => round[field])).toFixed(2)),
      median(results[index]!.map(({ rows }) => rows)).toFixed(0),
    ]),
  ])
  const msEach = ((cpuSeconds(service.writer.pid) - cpu) / rowsAlone) * 1000
  print(
    `Writing a row takes ${msEach.toFixed(1)} ms of CPU in the process that writes it, one at a time and without reads.\n`,
  )
  for (const [index, { title, least }] of CHANGE_RATES.entries()) {
    if (least !== undefined) judge(`${title}, of idle (Greenroom, ${name})`, rateOf(results[index]) / idle, { least })
  }
}

/** Moves conversations within the list at a steady pace. `stop` returns how many rows were changed. */
function startChanging(service: Service, rows: number, together: number): { stop(): Promise<number> } {
  let changed = 0
  let failure: unknown
  const changing = new Set<Promise<void>>()
  const timer =
    rows === 0
      ? undefined
      : setInterval(
          () => {
            const change = changeRows(service, together)
              .then(() => {
                changed += together
              })
              .catch((error: unknown) => {
                failure = error
              })
              .finally(() => changing.delete(change))
            changing.add(change)
          },
          (1000 * together) / rows,
        )
  return {
    async stop() {
      clearInterval(timer)
      const inTime = changed
      await Promise.all(changing)
      if (failure !== undefined) throw failure
      return inTime
    },
  }
}
