import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { buildApp } from '../src/app.js'
import { readConfig } from '../src/config/index.js'
import { createContext } from '../src/context.js'
import { MASTER_KEY, NO_RATE_LIMITS, OPERATOR_TOKEN, type TestApp, TestClock } from './harness.js'
import { openTestDatabase } from './test-database.js'

/** Runs at the machine's time, because programs and browsers sign with its clock. */
class RunningClock extends TestClock {
  override now(): number {
    return Date.now()
  }
}

export interface ListeningApp extends TestApp {
  /** Its root URL, without a trailing slash. */
  url: string
  close(): Promise<void>
}

/**
 * The whole app on the shared test database, on a port of this machine and with its clock. `env` has settings as an
 * operator writes them.
 */
export async function startListening(env: Record<string, string> = {}): Promise<ListeningApp> {
  const clock = new RunningClock()
  const config = readConfig({
    MASTER_KEY,
    OPERATOR_TOKEN,
    EARLIER_VARIANT: 'on',
    OUTSIDE_MEDIA: 'off',
    ...NO_RATE_LIMITS,
    ...env,
  })
  const database = await openTestDatabase()
  const context = await createContext(config, { clock, database, log: pino({ level: 'silent' }) })
  const app = await buildApp(context, { checkAnswers: true })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return {
    app,
    context,
    clock,
    url,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}
