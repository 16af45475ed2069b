/** Measures how long the first page of a channel takes compared with its SQL, and how much memory the channel takes. */
import { median, printTable, type RawAnswer, send, withContext } from '../shared.js'
import { getPage, pathOf, runFirstPageSql, type Service, SMALL, timeOf } from './service.js'
import { judge, QUICK } from './shared.js'

export const FIRST_PAGE = 'first page of a channel, memory'
export const COLD_CHANNELS = QUICK ? 1 : 5

export function measureFirstPages(service: Service): Promise<void> {
  const { data, embeddedSqlMs } = service
  if (service.name === 'embedded') return measureFirst(service, async (channelId) => embeddedSqlMs.get(channelId)!)
  return withContext(service.env, ({ database }) =>
    measureFirst(service, (channelId) => timeOf(() => runFirstPageSql(database, data, channelId))),
  )
}

async function measureFirst(service: Service, timeSql: (channelId: string) => Promise<number>): Promise<void> {
  const { name, data } = service
  // The process has read other channels before, but not these.
  await getPage(service, pathOf(data, 'scope=all'))
  const times: number[] = []
  const sqlTimes: number[] = []
  const bytesOfAll: number[] = []
  const bytes: number[] = []
  for (const channelId of data.coldChannelIds) {
    const before = await memoryOf(service)
    const read = (query: string): Promise<RawAnswer> => getPage(service, pathOf(data, query, channelId))
    sqlTimes.push(await timeSql(channelId))
    times.push(await timeOf(() => read('scope=all')))
    await read('scope=all&compact=true')
    bytesOfAll.push((await memoryOf(service)) - before)
    await read('scope=vip')
    await read('scope=vip&compact=true')
    bytes.push((await memoryOf(service)) - before)
  }
  const [first, sql] = [median(times), median(sqlTimes)]
  const [ofAll, ofBoth] = [median(bytesOfAll) / 2 ** 20, median(bytes) / 2 ** 20]
  printTable([
    [`${name}: channels of ${SMALL.toLocaleString('en')}, medians of ${COLD_CHANNELS}`, ''],
    ['its first page', `${first.toFixed(0)} ms`],
    ['its SQL, with the rows parsed', `${sql.toFixed(0)} ms`],
    ['memory of a channel, read in scope all in both forms', `${ofAll.toFixed(1)} MiB`],
    ['memory of a channel, also read in scope vip', `${ofBoth.toFixed(1)} MiB`],
  ])
  judge(`first page over its SQL (Greenroom, ${name})`, first - sql, { most: 150 }, ' ms')
  judge(`memory of a channel, scope all (Greenroom, ${name})`, ofAll, { most: 16 }, ' MiB')
  judge(`memory of a channel, both scopes (Greenroom, ${name})`, ofBoth, { most: 16 }, ' MiB')
}

async function memoryOf(service: Service): Promise<number> {
  const text = (await send(service, '/metrics')).body.toString()
  return Number(/^greenroom_audience_memory_bytes (\S+)$/m.exec(text)?.[1])
}
