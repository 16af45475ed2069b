import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { FROM_OWN_PAGE, Member, type Reply, send, type TestApp, toCookie } from '../../../test/harness.js'
import type { TestProvider } from '../../../test/identity-provider.js'
import { call, OidcStage, PUBLIC_URL, someone } from '../../../test/oidc.js'
import { addTotp, totpCode } from '../../../test/second-factors.js'

let stage: OidcStage
let provider: TestProvider
let app: TestApp
beforeAll(async () => {
  stage = await OidcStage.open()
  ;({ provider, app } = stage)
})
afterEach(() => stage.reset())
afterAll(() => stage.close())

describe('signing out', () => {
  const signOut = ({ headers }: Pick<Reply, 'headers'>, at = app) =>
    call(at, 200, '/sign-out', undefined, toCookie(headers['set-cookie']))
  const hintOf = ({ body }: Reply): string | null => new URL(body.endSessionUrl).searchParams.get('id_token_hint')
  const claimsOf = (token: string | null): Record<string, unknown> =>
    JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString())

  test('answers with the URL that ends the session at the provider, with its ID token, if the provider responds', async () => {
    const member = await Member.create(app)
    const person = someone(member.mail)
    const first = await stage.signIn(app, 200, person)
    const answer = await signOut(first)
    const url = new URL(answer.body.endSessionUrl)
    expect(url.origin).toBe(provider.issuer)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: provider.client.clientId,
      id_token_hint: hintOf(answer),
      post_logout_redirect_uri: `${PUBLIC_URL}/`,
    })
    expect(claimsOf(hintOf(answer))).toMatchObject({ iss: provider.issuer, sub: person.sub })
    expect((await fetch(url)).status).toBe(200)
    const byPassword = await call(app, 200, '/sign-in', { mail: member.mail, password: Member.PASSWORD })
    expect((await signOut(byPassword)).body).toEqual({})
    const other = await stage.startApp()
    const second = await call(other, 200, '/sign-in', { mail: member.mail, password: Member.PASSWORD })
    expect((await signOut(second)).body).toEqual({})
  })

  test('the ID token moves along when the session continues with a new token', async () => {
    const member = await Member.create(app)
    const person = someone(member.mail)
    const { secret } = await addTotp(member)
    const half = await stage.signIn(app, 200, person)
    expect(half.body).toHaveProperty('secondFactor')
    const cookieOf = ({ headers }: Pick<Reply, 'headers'>): string => toCookie(headers['set-cookie'])
    const whole = await call(app, 200, '/second-factor/totp', { code: totpCode(app, secret) }, cookieOf(half))
    // A change of the factors gives the session a new token.
    const renewed = await send(app.app, 200, 'DELETE', '/api/me/second-factors/totp', {
      headers: { ...FROM_OWN_PAGE, cookie: cookieOf(whole) },
    })
    expect(cookieOf(renewed)).not.toBe(cookieOf(whole))
    expect(claimsOf(hintOf(await signOut(renewed)))).toMatchObject({ sub: person.sub })
  })

  test('an ID token that is too long for a URL is not kept', async () => {
    const person = someone((await Member.create(app)).mail)
    const isKept = async (groups: number): Promise<boolean> => {
      provider.alter = (claims) => ({
        ...claims,
        groups: Array.from({ length: groups }, (_, at) => `a-long-group-${at}`),
      })
      const { headers } = await stage.signIn(app, 200, person)
      return hintOf(await signOut({ headers })) !== null
    }
    expect(await isKept(150)).toBe(true)
    expect(await isKept(400)).toBe(false)
  })

  test('it is kept as long as the session, encrypted with something that only the browser has', async () => {
    const member = await Member.create(app)
    const { headers } = await stage.signIn(app, 200, someone(member.mail))
    const { database, sealer } = app.context
    const kept = async () =>
      (
        await database.query<{ session_id: string; id_token_encrypted: string }>(
          "select session_id, id_token_encrypted from sessions where person_id = $1 and method = 'oidc'",
          [member.id],
        )
      ).rows
    const [row] = await kept()
    expect(row!.id_token_encrypted).toMatch(/^v1\.[\w-]+\.[\w-]+$/)
    expect(() => sealer.open(row!.id_token_encrypted, `id token ${member.id}`)).toThrow('is not available')
    await signOut({ headers })
    expect(await kept()).toEqual([])
  })

  test('ends the session without waiting for an unavailable provider', async () => {
    const member = await Member.create(app)
    const { headers } = await stage.signIn(app, 200, someone(member.mail))
    const cookie = toCookie(headers['set-cookie'])
    const lonely = await stage.startApp()
    provider.away = true
    expect((await call(lonely, 200, '/sign-out', undefined, cookie)).body).toEqual({})
    await send(lonely.app, 401, 'GET', '/api/me', { headers: { cookie } })
  })
})
