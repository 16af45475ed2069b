import { FROM_OWN_PAGE, type Key, OPERATOR_TOKEN, signedHeaders, type TestApp } from '../harness.js'

export type Caller = 'key' | 'operator' | 'person'

export interface Answer {
  caller: Caller
  url: string
  body: unknown
}

/** Makes a GET request. The body is undefined unless it is JSON. */
export async function call(
  { app, clock }: TestApp,
  { key, cookie }: { key: Key; cookie: string },
  { caller, url }: Pick<Answer, 'caller' | 'url'>,
): Promise<{ status: number; body: unknown }> {
  const now = new Date(clock.now())
  const date = url.startsWith('/v0') ? now.toISOString() : now.toUTCString()
  const headers = {
    key: { ...signedHeaders(key, date), 'x-api-version': '1' },
    operator: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    person: { ...FROM_OWN_PAGE, cookie },
  }[caller]
  const answer = await app.inject({ method: 'GET', url, headers })
  const isJson = String(answer.headers['content-type']).startsWith('application/json')
  return { status: answer.statusCode, body: isJson ? answer.json() : undefined }
}
