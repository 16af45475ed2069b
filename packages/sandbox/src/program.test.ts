import { expect, onTestFinished, test } from 'vitest'
import { TestClock } from '../../../test/harness.js'
import { HELP, readOptions, startProgram, UsageError } from './program.js'

const start = async (argv: string[]) => {
  const options = readOptions(argv)
  if (typeof options === 'string') throw new Error(options)
  const started = await startProgram(options, new TestClock())
  onTestFinished(() => started.sandbox.close())
  return started
}

test('reads its options, and its help describes each of them', () => {
  expect(readOptions([])).toEqual({ port: 8090, host: '127.0.0.1', seed: 1, appSecret: undefined })
  expect(readOptions(['--port=0', '--host', '::1', '--seed', '7', '--app-secret', 's'])).toEqual({
    ...{ port: 0, host: '::1', seed: 7, appSecret: 's' },
  })
  expect([readOptions(['--help', '--port', '0']), readOptions(['--version'])]).toEqual(['help', 'version'])
  expect(HELP.match(/^ {2}--[\w-]+/gm)?.map((name) => name.trim())).toEqual([
    ...['--port', '--host', '--seed', '--app-secret', '--version', '--help'],
  ])
})

test.each([
  [['--prot', '1'], "Unknown option '--prot'"],
  [['8090'], "Unexpected argument '8090'"],
  [['--port'], "'--port <value>' argument missing"],
  [['--port', '65536'], '--port must be a whole number from 0 to 65535, not "65536".'],
  [['--port', '80a'], '--port must be a whole number'],
  [['--seed', '1.5'], '--seed must be a whole number'],
  [['--host', ''], '--host must be an address'],
  [['--app-secret', ''], '--app-secret must not be empty'],
])('%j is reported as a mistake of the caller', (argv, message) => {
  expect(() => readOptions(argv)).toThrow(UsageError)
  expect(() => readOptions(argv)).toThrow(message)
})

test('prints what a caller needs, and explains that a port is in use', async () => {
  const { sandbox, text } = await start(['--port', '0', '--seed', '5'])
  expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  for (const page of sandbox.model.pages!) {
    expect(text).toContain(page.id)
    expect(text).toContain(page.accessToken)
  }
  for (const { id } of sandbox.model.adAccounts) expect(text).toContain(`act_${id}`)
  expect(text).toContain('EAASandboxToken5')
  expect(text).not.toContain('It listens on')
  const { port } = new URL(sandbox.url)
  await expect(start(['--port', port])).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use.`)
})

test('has figures on every date, and checks the proof of an app secret', async () => {
  const { sandbox, text } = await start(['--port', '0', '--app-secret', 'of-the-app'])
  const days = sandbox.model.adAccounts.map(({ campaigns }) => campaigns.flatMap((campaign) => campaign.days).length)
  expect(Math.min(...days)).toBeGreaterThan(500)
  expect(text).toContain('appsecret_proof')
  expect(text).not.toContain('of-the-app')
  const headers = { authorization: 'Bearer EAASandboxPageToken1' }
  expect((await fetch(`${sandbox.url}/v27.0/me`, { headers })).status).toBe(400)
})
