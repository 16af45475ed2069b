import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { publishable } from '../../test/posts.js'
import { runs } from '../../test/runs.js'

const HOUR = 3_600_000
const PEOPLE = 3

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

/** The parts of a post that have their own writers. */
const PARTS = ['caption', 'superpower', 'media', 'scheduledFor'] as const
type Part = (typeof PARTS)[number]

const person = fc.nat({ max: PEOPLE - 1 })
/** The steps before an approval, with their actors and subjects. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('edit' as const), by: person, part: fc.constantFrom(...PARTS) }),
  // A change by a key does not affect who wrote what, and neither does returning and resubmitting the post.
  fc.record({ kind: fc.constant('keyEdit' as const), part: fc.constantFrom(...PARTS, 'notes' as const) }),
  fc.record({ kind: fc.constant('note' as const), by: person }),
  fc.record({ kind: fc.constant('resubmit' as const), by: person }),
  fc.record({ kind: fc.constant('fourEyes' as const), by: person, on: fc.boolean() }),
  fc.record({ kind: fc.constant('grant' as const), by: person, to: person, may: fc.boolean() }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, HOUR / 2, HOUR - 1, HOUR) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Scene {
  writer: number
  approver: number
  fourEyes: boolean
  steps: Step[]
}

/** The rule, written independently: the response to the last approval of a scene. */
function expected({ writer, approver, fourEyes, steps }: Scene): string {
  let now = 0
  let isOn = fourEyes
  const changers = new Map<Part, number>()
  let ended: { by: number; at: number } | undefined
  const may = Array.from({ length: PEOPLE }, (_, index) => index === 0)
  const given: ({ by: number; at: number } | undefined)[] = []
  for (const one of steps) {
    if (one.kind === 'wait') now += one.ms
    else if (one.kind === 'edit') changers.set(one.part, one.by)
    else if (one.kind === 'fourEyes') {
      if (isOn && !one.on) ended = { by: one.by, at: now }
      isOn = one.on
    } else if (one.kind === 'grant' && may[one.to] !== one.may) {
      may[one.to] = one.may
      given[one.to] = one.may ? { by: one.by, at: now } : undefined
    }
  }
  const isWriter = (index: number): boolean => index === writer || [...changers.values()].includes(index)
  const isFresh = (doing: { by: number; at: number } | undefined): boolean =>
    doing !== undefined && now - doing.at < HOUR && isWriter(doing.by)
  if (!may[approver]) return 'permission_missing'
  if (isOn && isWriter(approver)) return 'own_post'
  const isHeld = isOn || isFresh(ended)
  if (isHeld && isWriter(approver)) return 'approval_too_new'
  const grant = given[approver]
  if (isFresh(grant) && (isHeld || grant!.by === approver)) return 'approval_too_new'
  return 'approved'
}

test('an approval counts unless the writer has arranged it within the hour, whatever came before', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        writer: person,
        approver: person,
        fourEyes: fc.boolean(),
        steps: fc.array(step, { maxLength: 6 }),
      }),
      async (scene) => {
        expect(await play(scene)).toBe(expected(scene))
      },
    ),
    { numRuns: runs(8, 40) },
  )
})

/** Plays a scene on the server and returns the response to the approval. */
async function play({ writer, approver, fourEyes, steps }: Scene): Promise<string> {
  const tenant = await Tenant.create(app)
  const at = `/organizations/${tenant.organizationId}`
  const channel = await tenant.channel([await tenant.workspace('STANDARD')])
  await operatorCall(app, 200, 'PATCH', at, { body: { fourEyes } })
  const people = await Promise.all(
    Array.from({ length: PEOPLE }, (_, index) =>
      Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN', mayApprove: index === 0 }),
    ),
  )
  const scheduledFor = new Date(app.clock.now() + 30 * 24 * HOUR).toISOString()
  const body = {
    ...{ status: 'WAITING_FOR_APPROVAL', scheduledFor, media: publishable(channel).media },
    channels: { [channel]: { caption: 'Hello' } },
  }
  const { id } = (await people[writer]!.call(201, 'POST', `${at}/scheduled-posts`, { body })).body
  const post = `${at}/scheduled-posts/${id}`
  const toPatch = (part: Part | 'notes', index: number): object => {
    if (part === 'notes') return { notes: `${index}` }
    if (part === 'scheduledFor')
      return { scheduledFor: new Date(app.clock.now() + (31 + index) * 24 * HOUR).toISOString() }
    if (part === 'media') return { media: `https://cdn.example.com/${index}.jpg` }
    return {
      channels: {
        [channel]: part === 'caption' ? { caption: `Hello ${index}` } : { superpower: { hashtag: `#h${index}` } },
      },
    }
  }
  for (const [index, one] of steps.entries()) {
    if (one.kind === 'wait') {
      app.clock.advance(one.ms)
      continue
    }
    if (one.kind === 'keyEdit') {
      await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: toPatch(one.part, index) })
      continue
    }
    const by = people[one.by]!
    if (one.kind === 'edit') await by.call(200, 'PATCH', post, { body: toPatch(one.part, index) })
    else if (one.kind === 'note') await by.call(200, 'PATCH', post, { body: toPatch('notes', index) })
    else if (one.kind === 'resubmit') {
      await by.call(200, 'POST', `${post}/reject`, { body: { notes: `No ${index}` } })
      await by.call(200, 'PATCH', post, { body: { status: 'DRAFT' } })
      await by.call(200, 'POST', `${post}/submit-for-approval`)
    } else if (one.kind === 'fourEyes') await by.call(200, 'PATCH', at, { body: { fourEyes: one.on } })
    else await by.call(200, 'PATCH', `${at}/members/${people[one.to]!.id}`, { body: { mayApprove: one.may } })
  }
  const by = people[approver]!
  await by.signInAgain()
  const { headers } = await by.call(200, 'GET', post)
  const reply = await app.app.inject({
    method: 'POST',
    url: `/api${post}/approve`,
    headers: { 'sec-fetch-site': 'same-origin', cookie: by.cookie, 'if-match': String(headers.etag) },
  })
  return reply.statusCode === 200 ? 'approved' : String(reply.headers['x-error-code'])
}
