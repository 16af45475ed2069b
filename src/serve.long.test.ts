import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OPERATOR_TOKEN } from '../test/harness.js'
import { readConfig } from './config/index.js'
import { serve } from './serve.js'

test.each([
  true,
  false,
])('the link for the first owner is printed only on a terminal (terminal: %s)', async (isSeen) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-first-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const printed: string[] = []
  const config = readConfig({
    ...{ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', DRAIN_MS: '0' },
    ...{ OPERATOR_TOKEN, PUBLIC_URL: 'https://greenroom.example' },
  })
  const server = await serve(config, ['api'], (lines) => printed.push(lines), isSeen)
  onTestFinished(() => server.close())
  expect(printed).toHaveLength(1)
  expect(printed[0]).toContain('https://greenroom.example')
  expect(printed[0]).toContain('greenroom users invite-owner')
  expect(printed[0]!.includes('#invitation=')).toBe(isSeen)
  expect(printed[0]!.includes('GREENROOM_OPERATOR_TOKEN')).toBe(!isSeen)
  expect(printed[0]).not.toContain(OPERATOR_TOKEN)
})
