import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { answer, lost, QUERY, SECRET, script } from '../../test/client-script.js'
import { signDate } from '../lib/sign-date.js'
import * as exports from './index.js'
import { GreenroomApi } from './index.js'

describe('interface 5: signing', () => {
  test('every attempt has key, date, signature of that date, and version, and the caller cannot replace them', async () => {
    const { client, sent, clock } = script([
      () => {
        clock.nowMs += 31_000
        return answer(503)
      },
      answer(200, []),
    ])
    await client.workspaces.list({ headers: { 'X-Api-Key': 'mine', 'x-date': 'mine', 'x-trace': 'abc' } })
    expect(sent.map(({ headers }) => headers)).toEqual(
      ['Fri, 20 Nov 2026 09:00:00 GMT', 'Fri, 20 Nov 2026 09:00:31 GMT'].map((date) => ({
        'x-api-key': 'key_1',
        'x-api-version': '1',
        'x-date': date,
        'x-signature': signDate(SECRET, date),
        'x-trace': 'abc',
      })),
    )
  })

  test('interface 9.4: the earlier variant signs an ISO 8601 datetime and sends no version', async () => {
    const { client, sent } = script([answer(200, [])], { interfaceVersion: 'earlier' })
    await client.workspaces.list()
    const date = '2026-11-20T09:00:00.250Z'
    expect(sent[0]!.headers).toEqual({ 'x-api-key': 'key_1', 'x-date': date, 'x-signature': signDate(SECRET, date) })
  })

  const AHEAD = { date: 'Fri, 20 Nov 2026 09:05:00 GMT' }

  test.each([
    ['says that the signature has expired', { ...AHEAD, 'x-error-code': 'signature_expired' }],
    ['says that the date is in the future', { ...AHEAD, 'x-error-code': 'date_in_future' }],
    ['has no code, but a clock that is minutes off', AHEAD],
  ])('a 403 that %s is repeated once with its time, even for a write, and that time is kept', async (_name, headers) => {
    const { client, sent, clock } = script([answer(403, {}, headers), answer(200, {}), answer(200, {})])
    await client.scheduledPosts.update('p', {})
    clock.nowMs += 1_000
    await client.scheduledPosts.revert('p')
    expect(sent.map(({ headers }) => headers['x-date'])).toEqual([
      'Fri, 20 Nov 2026 09:00:00 GMT',
      'Fri, 20 Nov 2026 09:05:00 GMT',
      'Fri, 20 Nov 2026 09:05:01 GMT',
    ])
  })

  test('the same refusal again is an AuthenticationError, and a read may still be repeated after the first', async () => {
    const headers = { ...AHEAD, 'x-error-code': 'signature_expired' }
    const twice = script([answer(403, { message: 'Signature expired' }, headers), answer(403, {}, headers)])
    await expect(twice.client.workspaces.list()).rejects.toMatchObject({ name: 'AuthenticationError', status: 403 })
    const { client, waits } = script([answer(403, {}, headers), answer(503), answer(200, [])], { maxRetries: 1 })
    expect(await client.workspaces.list()).toEqual([])
    expect(waits).toEqual([125])
  })

  test.each([
    ['of another code', { ...AHEAD, 'x-error-code': 'signature_invalid' }],
    ['without a code and with our time', { date: 'Fri, 20 Nov 2026 09:00:02 GMT' }],
    ['without a Date header', { 'x-error-code': 'signature_expired' }],
  ])('a 403 %s is not repeated', async (_name, headers: Record<string, string>) => {
    const { client, sent } = script([answer(403, {}, headers)])
    await expect(client.workspaces.list()).rejects.toMatchObject({ name: 'AuthenticationError' })
    expect(sent).toHaveLength(1)
  })

  test('simultaneous calls that are all refused for the date are all sent again, also to a server without codes', async () => {
    // The date identifies the attempt, because WebCrypto's threads finish signatures in any order.
    const step = ({ headers }: RequestInit): Response =>
      new Headers(headers).get('x-date') === AHEAD.date ? answer(200, []) : answer(403, {}, AHEAD)
    const { client, sent } = script([step, step, step, step, step, step])
    expect(await Promise.all([1, 2, 3].map(() => client.workspaces.list()))).toEqual([[], [], []])
    expect(sent).toHaveLength(6)
  })
})

describe('requests', () => {
  test('ids are one path segment each, and one that would lead elsewhere is refused before anything is sent', async () => {
    const { client, sent } = script([answer(200)])
    await client.scheduledPosts.get('a/b ?#ü')
    expect(sent[0]!.url).toBe('http://127.0.0.1:8080/v1/scheduled-posts/a%2Fb%20%3F%23%C3%BC')
    for (const id of ['', '.', '..', undefined as unknown as string]) {
      await expect(client.scheduledPosts.delete(id)).rejects.toBeInstanceOf(TypeError)
    }
    expect(sent).toHaveLength(1)
  })

  test.each([
    '',
    'localhost:8080',
    'ftp://127.0.0.1/v1',
    'http://me:pass@127.0.0.1/v1',
    'http://127.0.0.1/v1?a=1',
  ])('baseUrl %j is refused, without repeating it', (baseUrl) => {
    expect(() => script([], { baseUrl })).toThrow(/^baseUrl must be/)
    expect(() => script([], { baseUrl })).not.toThrow(/pass@/)
  })

  test('key, secret and token are required, and must be valid in a header', () => {
    expect(() => script([], { key: '' })).toThrow('key is missing')
    expect(() => script([], { secret: undefined as unknown as string })).toThrow('secret is missing')
    const token = 'the-token\n'
    const make = () => new GreenroomApi({ baseUrl: 'http://127.0.0.1:8080/api', token })
    expect(make).toThrow(/^token cannot be part of a header/)
    expect(make).not.toThrow(/the-token/)
  })

  test('the secret is in no property, text, inspection, URL or error', async () => {
    const { client, sent } = script([answer(403, { message: 'No.' }), lost()], { maxRetries: 0 })
    const errors = [
      await client.workspaces.list().catch((error: unknown) => error),
      await client.vipUsers.list(QUERY).catch((error: unknown) => error),
    ]
    const options = { depth: 20, showHidden: true, getters: true }
    const shown = [client, client.vipUsers, ...errors].map(
      (value) => `${inspect(value, options)} ${JSON.stringify(value)} ${value}`,
    )
    expect(shown.join('\n') + sent.map(({ url }) => url).join('\n')).not.toContain(SECRET)
  })
})

test('docs/client.md lists every class of error', () => {
  const listed = [
    ...readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8').matchAll(/^\| `(\w+Error)` \|/gm),
  ].map(([, name]) => name)
  const exported = Object.keys(exports).filter((name) => name.endsWith('Error') && name !== 'GreenroomError')
  expect(listed.toSorted()).toEqual(exported.toSorted())
})
