/**
 * `npm run bench:vip-users` measures the cost of GET /vip-users, including signature and validation, on both engines;
 * each question has its own file. `--quick` takes under a minute, and `--only <text>` measures those with the text in
 * their name, such as "compact".
 */
import { bench, describeMachine, print, start } from '../shared.js'
import { CHANGED_ROW, measureChangedRow } from './changed-row.js'
import { CHANGES, measureChanges } from './changes.js'
import { COLD_CHANNELS, FIRST_PAGE, measureFirstPages } from './first-page.js'
import { CHANNEL_SIZES, measurePages, scenarios } from './pages.js'
import { type Service, startService } from './service.js'
import { CONNECTIONS, isWanted, printGoals, ROUND_MS, ROUNDS } from './shared.js'

async function main(): Promise<void> {
  const load = start('programs/load.ts')
  const needs = {
    channelSizes: CHANNEL_SIZES,
    coldChannels: isWanted(FIRST_PAGE) ? COLD_CHANNELS : 0,
    writer: isWanted(CHANGES),
  }
  const services: Service[] = []
  for (const engine of ['PostgreSQL', 'embedded'] as const) services.push(await startService(engine, needs))
  print(`
GET /vip-users over ${CONNECTIONS} connections, medians of ${ROUNDS} interleaved rounds of ${ROUND_MS / 1000} s.
${describeMachine(services.map(({ data }) => data.database))}
Load, servers and PostgreSQL share this machine. The bare server gets the same requests and sends the same answers, head and body.
CPU is only that of the server's process, not of PostgreSQL.
`)
  if (scenarios.length > 0) await measurePages(load, services)
  if (isWanted(CHANGES)) for (const service of services) await measureChanges(load, service)
  if (isWanted(FIRST_PAGE)) for (const service of services) await measureFirstPages(service)
  if (isWanted(CHANGED_ROW)) for (const service of services) await measureChangedRow(service)
  printGoals()
}

await bench(main)
