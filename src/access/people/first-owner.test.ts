import { pino } from 'pino'
import { expect, test } from 'vitest'
import { FROM_OWN_PAGE, operatorCall, type Reply, send, startTestApp, type TestApp } from '../../../test/harness.js'
import { postConsole } from '../../../test/people.js'
import { openOwnDatabase } from '../../../test/test-database.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { issueFirstOwnerLink } from './entry-links.js'
import { addStartLink } from './invitations.store.js'

/** Starts a server without accounts. */
async function startEmpty(): Promise<TestApp> {
  return await startTestApp({}, pino({ level: 'silent' }), await openOwnDatabase())
}

/** Returns the token of the link that a node prints at its start. */
async function begin({ context, clock }: TestApp): Promise<string> {
  return (await issueFirstOwnerLink(context.database, new Date(clock.now())))!.token
}

const read = (app: TestApp, status: number, token: string): Promise<Reply> =>
  postConsole(app, status, '/invitation/read', { token })
const accept = (app: TestApp, status: number, token: string): Promise<Reply> =>
  send(app.app, status, 'POST', '/api/invitation/accept', {
    body: { token, name: 'Owner', mail: 'owner@example.com', password: 'long words of the tests' },
    headers: FROM_OWN_PAGE,
  })

test('a start without accounts keeps the links of other nodes and of the operator', async () => {
  const app = await startEmpty()
  const invited = (await operatorCall(app, 201, 'POST', '/server/owner-invitation')).body.token
  const [first, second] = [await begin(app), await begin(app)]
  for (const token of [invited, first, second]) await read(app, 200, token)
  await accept(app, 200, first)
  // It was only for the first owner.
  await read(app, 400, second)
  await accept(app, 400, second)
  expect(await issueFirstOwnerLink(app.context.database, new Date(app.clock.now()))).toBeUndefined()
})

test('links of starts end when the operator makes one, after an hour, and beyond twenty', async () => {
  const app = await startEmpty()
  const printed = await begin(app)
  await operatorCall(app, 201, 'POST', '/server/owner-invitation')
  await read(app, 400, printed)
  const old = await begin(app)
  app.clock.advance(3_600_000)
  await read(app, 400, old)
  const tokens: string[] = []
  for (let start = 0; start < 22; start++) {
    app.clock.advance(1)
    tokens.push(await begin(app))
  }
  for (const [index, token] of tokens.entries()) await read(app, index < 2 ? 400 : 200, token)
})

test('a link that a node prints while the first owner signs in elsewhere does not work', async () => {
  const app = await startEmpty()
  await accept(app, 200, await begin(app))
  // This node looked for people before there was one.
  const late = newToken()
  const at = new Date(app.clock.now())
  const expiresAt = new Date(app.clock.now() + 3_600_000)
  await app.context.database.transaction((tx) =>
    addStartLink(tx, { token_hash: hashToken(late), created_at: at, expires_at: expiresAt }),
  )
  await read(app, 400, late)
  await accept(app, 400, late)
  // The operator's link creates more owners.
  await read(app, 200, (await operatorCall(app, 201, 'POST', '/server/owner-invitation')).body.token)
})

test('of two people with links of two nodes, one becomes the first owner', async () => {
  const app = await startEmpty()
  const tokens = [await begin(app), await begin(app)]
  const answers = await Promise.all(
    tokens.map((token, index) =>
      app.app.inject({
        method: 'POST',
        url: '/api/invitation/accept',
        headers: FROM_OWN_PAGE,
        payload: { token, name: 'Owner', mail: `owner-${index}@example.com`, password: 'long words of the tests' },
      }),
    ),
  )
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400])
})
