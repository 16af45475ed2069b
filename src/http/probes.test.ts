import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startTestApp } from '../../test/harness.js'
import { buildApp } from '../app.js'

test('probes of a draining server are answered, and leave no error in the log', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const { context } = await startTestApp({}, log)
  let isStopping = false
  const app = await buildApp(context, { isStopping: () => isStopping })
  expect((await app.inject('/readyz')).statusCode).toBe(200)
  isStopping = true
  for (const path of ['/readyz', '/readyz?database=needed']) {
    const { statusCode, headers } = await app.inject(path)
    expect([statusCode, headers['x-error-code']]).toEqual([503, 'stopping'])
  }
  expect(lines.filter((line) => line.includes('stack') || line.includes('stopping'))).toEqual([])
  await app.close()
})
