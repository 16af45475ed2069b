import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../config/index.js'
import type { Me } from '../../interface/generated/types.js'
import { serve } from '../../serve.js'

test('the first start prints how the owner signs in, outside the log, and later starts do not once there is an owner', async () => {
  const password = 'long words of the tests'
  const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-first-start-'))
  const config = readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', DRAIN_MS: '0' })
  const start = async () => {
    const printed: string[] = []
    const server = await serve(config, ['api'], (lines) => printed.push(lines), true)
    return { server, printed: printed.join('\n') }
  }
  const call = (url: string, path: string, body: unknown): Promise<Response> =>
    fetch(`${url}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify(body),
    })
  try {
    const first = await start()
    const token = /#invitation=([\w-]{43})$/m.exec(first.printed)?.[1]
    expect(first.printed).toContain(`${first.server.url}/#invitation=${token}`)
    expect((await call(first.server.url, '/sign-in', { mail: 'a@b.c', password })).status).toBe(401)
    const body = { token, name: 'Owner', mail: 'owner@example.com', password }
    const accepted = await call(first.server.url, '/invitation/accept', body)
    expect([accepted.status, ((await accepted.json()) as Me).person.owner]).toEqual([200, true])
    await first.server.close()
    const second = await start()
    await second.server.close()
    expect(second.printed).not.toContain('#invitation=')
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
