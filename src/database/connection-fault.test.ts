import { describe, expect, test } from 'vitest'
import { explainConnection, toConnectionSentence } from './connection-fault.js'

/** The sentence for an error of pg when it connects to this URL. */
const sentence = (url: string, message: string, more: object): string =>
  toConnectionSentence(explainConnection(Object.assign(new Error(message), more), url)!)

describe('an IPv6 address', () => {
  test.each([
    'postgres://u:hush@[::1]:9/x',
    'postgres://u:hush@db/x?host=::1&port=9',
  ])('has brackets before its port, but not for the programs of PostgreSQL (%s)', (url) => {
    expect(sentence(url, '', { code: 'ECONNREFUSED' })).toMatch(/ listens at \[::1\]:9 .*`pg_isready -h ::1 -p 9`/)
    expect(sentence(url, '', { code: '28P01' })).toMatch(/^PostgreSQL at \[::1\]:9 .*`psql -h ::1 -p 9 /)
  })
})

describe('a refusal by PostgreSQL', () => {
  const url = 'postgres://u:hush@db/x'
  test('for a missing line in pg_hba.conf names the line to add, with or without TLS', () => {
    const without = 'no pg_hba.conf entry for host "192.0.2.1", user "u", database "x"'
    const refused = { code: '28000', severity: 'FATAL' }
    expect(sentence(url, `${without}, no encryption`, refused)).toMatch(/\?sslmode=verify-full .*`hostssl x u /)
    expect(sentence(url, `${without}, SSL encryption`, refused)).toMatch(/^(?!.*sslmode).*`hostssl x u /)
  })

  test.each([
    ['42704', false],
    ['22023', false],
    ['08P01', true],
    ['XX000', true],
  ])('for another reason (%s) is one sentence in its words', (code, mayPass) => {
    const error = Object.assign(new Error('it is\nnot so'), { code, severity: 'FATAL' })
    expect(explainConnection(error, url)).toMatchObject({
      finding: 'PostgreSQL at db:5432 does not accept the connection (it is not so).',
      mayPass,
    })
  })
})
