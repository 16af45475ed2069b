import type { Target } from './run.js'
import { repeat } from './tools.js'

/** A person with an account, and the browser in which they accepted their invitation. */
export interface Visitor {
  mail: string
  /** The cookies of the session and of the device. */
  session: string
  device: string
}

const PASSWORD = 'long words of the attacks'

/** Calls `/api` from a page of the server, from `address` behind a trusted proxy; returns the status and cookies. */
export async function callConsole(
  { url }: Target,
  method: string,
  path: string,
  body: unknown,
  { cookie = '', address = '127.0.0.1' }: { cookie?: string; address?: string } = {},
): Promise<{ status: number; cookies: string[]; text: string }> {
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': address,
      cookie,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const cookies = response.headers.getSetCookie().map((set) => set.split(';')[0]!)
  return { status: response.status, cookies, text: await response.text() }
}

/** Signs in with the right password. */
export const signIn = async (
  target: Target,
  mail: string,
  from: { cookie?: string; address?: string } = {},
): Promise<number> => (await callConsole(target, 'POST', '/sign-in', { mail, password: PASSWORD }, from)).status

/** Makes this many members of one organization. */
export async function makePeople(target: Target, count: number): Promise<Visitor[]> {
  const { id } = await target.operator('POST', '/organizations', { name: 'Attacked' })
  const people: Visitor[] = []
  await repeat(count, 2, async (n) => {
    const mail = `person-${n}@example.com`
    const { token } = await target.operator('POST', `/organizations/${id}/invitations`, { mail, role: 'EDITOR' })
    const body = { token, name: `Person ${n}`, password: PASSWORD }
    const { status, cookies, text } = await callConsole(target, 'POST', '/invitation/accept', body)
    if (status !== 200) throw new Error(`an invitation is answered ${status}: ${text}`)
    const [session = '', device = ''] = cookies
    people.push({ mail, session, device })
  })
  return people
}

/** Throws unless all of them were let in. */
export function expectAllIn(who: string, statuses: number[]): void {
  const kept = statuses.filter((status) => status !== 200)
  if (kept.length > 0) throw new Error(`${kept.length} of ${statuses.length} ${who} were refused: ${kept.join(', ')}`)
}

/** Repeats the attack, this many at a time, until `work` is done. An attack that fails ends the run. */
export async function during<T>(atOnce: number, attack: (n: number) => Promise<unknown>, work: () => Promise<T>) {
  let ends = false
  let sent = 0
  const problems: unknown[] = []
  const flood = Array.from({ length: atOnce }, async () => {
    while (!ends) {
      await attack(sent++).catch((error: unknown) => {
        problems.push(error)
        ends = true
      })
    }
  })
  // The flood is running before the others come.
  await new Promise((resolve) => setTimeout(resolve, 500))
  try {
    return await work()
  } finally {
    ends = true
    await Promise.all(flood)
    if (problems.length > 0) process.stderr.write(`an attack ended early: ${problems[0]}\n`)
  }
}
