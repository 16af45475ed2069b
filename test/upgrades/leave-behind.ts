/** What a version leaves behind: a database with rows in every table, and the answers that it gave. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDemoModel } from '../../packages/sandbox/src/model.js'
import { startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { insertAutomationRows } from '../automation-rows.js'
import { documentOfAll } from '../documents.js'
import { operatorCall, signedHeaders, startTestApp, type TestApp, TestClock } from '../harness.js'
import { Sender } from '../inbox.js'
import { makeTenant, type OutsideTenant } from '../outside/tenants.js'
import { openOwnDatabase } from '../test-database.js'

export async function leaveBehind() {
  const database = await openOwnDatabase()
  const mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-upgrade-'))
  const demo = makeDemoModel({ seed: 7, today: '2026-11-20' })
  const sandbox = await startSandbox({ model: demo.model, clock: new TestClock() })
  const test = await startTestApp({ graph: { baseUrl: sandbox.url }, media: { dir: mediaDir }, http: { publicUrl: 'https://greenroom.example.com' } }, undefined, database)
  const own = await makeTenant(test, demo)
  for (const type of ['META', 'SHOPIFY', 'WOOCOMMERCE', 'EVENTS'] as const) await Sender.create(test, type, { tenant: own.tenant })
  const { rows } = await database.query<{ name: string }>(`select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`)
  const empty: string[] = []
  for (const { name } of rows) {
    const { rows: some } = await database.query(`select from ${name} limit 1`)
    if (some.length === 0) empty.push(name)
  }
  console.log(empty.join(' '))
}
