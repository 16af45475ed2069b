import type { InjectOptions } from 'fastify'
import { TOTP } from 'otpauth'
import { expect } from 'vitest'
import { Authenticator } from './authenticator.js'
import { FROM_OWN_PAGE, Member, type Reply, send, type TestApp, toCookie } from './harness.js'

/** The origin of the tests' own requests. */
export const ORIGIN = 'http://localhost'

/** Returns the code of an authenticator app; `steps` counts from the current one. */
export const totpCode = (app: TestApp, secret: string, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: app.clock.now() + steps * 30_000 })

export function wrongCode(app: TestApp, secret: string): string {
  const right = [-1, 0, 1].map((steps) => totpCode(app, secret, steps))
  return ['000000', '111111', '222222', '333333'].find((text) => !right.includes(text))!
}

/** Adds an authenticator app to the person and moves the clock on by a minute, so that its next code is unused. */
export async function addTotp(person: Member): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { body } = await person.call(200, 'POST', '/me/second-factors/totp/begin')
  const sent = { code: totpCode(person.test, body.secret) }
  const reply = await person.call(200, 'POST', '/me/second-factors/totp/finish', { body: sent })
  person.test.clock.advance(60_000)
  return { secret: body.secret, recoveryCodes: reply.body.recoveryCodes }
}

export async function addPasskey(
  person: Member,
  name = 'Laptop',
  origin = ORIGIN,
): Promise<{ authenticator: Authenticator; reply: Reply }> {
  const authenticator = new Authenticator(origin)
  const { body } = await person.call(200, 'POST', '/me/second-factors/passkeys/begin')
  const sent = { name, response: authenticator.create(body.options) }
  return { authenticator, reply: await person.call(200, 'POST', '/me/second-factors/passkeys/finish', { body: sent }) }
}

/** Keeps cookies by name, as a browser does. */
export class Browser {
  readonly cookies = new Map<string, string>()

  constructor(readonly test: TestApp) {}

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async call(
    status: number,
    method: InjectOptions['method'],
    path: string,
    body?: unknown,
    given: Record<string, string> = {},
  ): Promise<Reply> {
    const headers = { ...FROM_OWN_PAGE, cookie: this.cookie, ...given }
    const reply = await send(this.test.app, status, method, `/api${path}`, { body, headers })
    if (reply.headers['set-cookie'] !== undefined) {
      const [name, value] = toCookie(reply.headers['set-cookie']).split('=') as [string, string]
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return reply
  }
}

/** Signs in by password in its own browser. A person with a second factor then has half a session. */
export async function signInHalf(person: Member): Promise<Browser> {
  const browser = new Browser(person.test)
  const { body } = await browser.call(200, 'POST', '/sign-in', { mail: person.mail, password: Member.PASSWORD })
  expect(Object.keys(body)).toEqual(['secondFactor'])
  return browser
}

/** Returns only the status. */
export async function post({ app }: TestApp, path: string, body: unknown, cookie: string): Promise<number> {
  const response = await app.inject({
    method: 'POST',
    url: `/api${path}`,
    headers: { ...FROM_OWN_PAGE, cookie, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  return response.statusCode
}

/** Completes a half session with a passkey; `wrong` has the authenticator's deviations. */
export async function passByPasskey(browser: Browser, authenticator: Authenticator, status = 200, wrong = {}) {
  const { body } = await browser.call(200, 'POST', '/second-factor/passkey/begin')
  const response = authenticator.get(body.options, wrong)
  return await browser.call(status, 'POST', '/second-factor/passkey/finish', { response })
}

/** Uses every operation of second factors once for a person, who has none afterwards. */
export async function useSecondFactors(person: Member, origin = ORIGIN): Promise<void> {
  const { test: app } = person
  await person.call(200, 'POST', '/me/confirmation/password', { body: { password: Member.PASSWORD } })
  const { secret, recoveryCodes } = await addTotp(person)
  const { authenticator, reply } = await addPasskey(person, 'Laptop', origin)
  await person.call(200, 'POST', '/me/confirmation/totp', { body: { code: totpCode(app, secret) } })
  const { body } = await person.call(200, 'POST', '/me/confirmation/passkey/begin')
  const confirmed = { response: authenticator.get(body.options) }
  await person.call(200, 'POST', '/me/confirmation/passkey/finish', { body: confirmed })
  const browser = new Browser(app)
  const begun = await browser.call(200, 'POST', '/sign-in/passkey/begin')
  const signed = { response: authenticator.get(begun.body.options) }
  await browser.call(200, 'POST', '/sign-in/passkey/finish', signed)
  app.clock.advance(60_000)
  await (await signInHalf(person)).call(200, 'POST', '/second-factor/totp', { code: totpCode(app, secret) })
  await (await signInHalf(person)).call(200, 'POST', '/second-factor/recovery-code', { code: recoveryCodes[0] })
  await passByPasskey(await signInHalf(person), authenticator)
  await person.call(200, 'POST', '/me/second-factors/recovery-codes')
  await person.call(200, 'DELETE', '/me/second-factors/totp')
  await person.call(200, 'DELETE', `/me/second-factors/passkeys/${reply.body.passkey.id}`)
}
