import { expect, test } from 'vitest'
import { describeUnreached, toUnreached } from './unreached.js'

const selfSigned = new TypeError('fetch failed', {
  cause: Object.assign(new Error('self-signed certificate in certificate chain'), {
    code: 'SELF_SIGNED_CERT_IN_CHAIN',
  }),
})

test.each([
  ['ENOTFOUND', undefined, /its name cannot be resolved \(ENOTFOUND\)\. Check the DNS/],
  ['ECONNREFUSED', undefined, /the connection was refused \(ECONNREFUSED\)\. Correct GRAPH_BASE_URL/],
  ['ENETUNREACH', undefined, /nothing answers \(ENETUNREACH\)\. Allow connections .*HTTPS_PROXY\) is not used/],
  ['ETIMEDOUT', undefined, /nothing answers/],
  ['SELF_SIGNED_CERT_IN_CHAIN', selfSigned, /its certificate is not trusted here .*NODE_EXTRA_CA_CERTS/],
])("%s says what to do on the server's machine", (code, error, sentence) => {
  expect(describeUnreached(toUnreached(code, error)!)).toMatch(sentence)
})

test('a connection that was lost later may have carried something', () => {
  expect(toUnreached('ECONNRESET', undefined)).toBeUndefined()
})
