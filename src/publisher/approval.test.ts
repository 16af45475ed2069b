import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { refusedFault } from '../../packages/sandbox/src/make-faults.js'
import { operatorCall, type Reply } from '../../test/harness.js'
import { callAny, operatorAny, readHistory } from '../../test/posts.js'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { createPublisher } from './publisher.js'

let t: PublisherTest
let channel: string
beforeEach(async () => {
  t = await startPublisherTest({ graph: { timeoutMs: 5_000 } })
  channel = await t.channel('FB_PAGE')
})

const MEDIA = 'https://cdn.example.com/summer.jpg'
const later = (ms = 3_600_000): string => new Date(t.clock.now() + ms).toISOString()
const path = (id: string): string => `/scheduled-posts/${id}`
const codeOf = ({ status, headers }: Reply): unknown[] => [status, headers['x-error-code']]

async function create(caption = 'Approved text'): Promise<string> {
  const { body } = await t.tenant.call(201, 'POST', '/scheduled-posts', {
    body: {
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: later(),
      media: MEDIA,
      mediaType: 'IMAGE',
      channels: { [channel]: { caption } },
    },
  })
  return body.id
}
const read = (id: string): Promise<Reply> => t.tenant.get(200, path(id))
const approve = async (id: string, etag?: string): Promise<Reply> => {
  const ifMatch = etag ?? String((await read(id)).headers.etag)
  return operatorAny(t.tenant, 'POST', `${path(id)}/approve`, { headers: { 'if-match': ifMatch } })
}
const patch = (id: string, body: object): Promise<Reply> => callAny(t.tenant, 'PATCH', path(id), { body })

describe('an approval is for a version', () => {
  test('it needs the ETag that the approver has read: 428 without one, 412 for another', async () => {
    const id = await create()
    for (const headers of [{}, { 'if-match': '*' }, { 'if-match': '' }] as Record<string, string>[]) {
      const reply = await operatorAny(t.tenant, 'POST', `${path(id)}/approve`, { headers })
      expect(codeOf(reply)).toEqual([428, 'precondition_required'])
    }
    const { headers } = await read(id)
    await patch(id, { channels: { [channel]: { caption: 'Swapped' } } })
    expect(codeOf(await approve(id, String(headers.etag)))).toEqual([412, 'post_changed'])
    expect((await read(id)).body.status).toBe('WAITING_FOR_APPROVAL')
    expect((await approve(id)).body.status).toBe('SCHEDULED')
    const history = await readHistory(t.tenant, id)
    expect(history.at(-1)).toMatchObject({ action: 'approved', detail: { version: 2 } })
  })

  test.each([
    ['a caption', () => ({ channels: { [channel]: { caption: 'Swapped' } } })],
    ['the media', () => ({ media: 'https://cdn.example.com/other.jpg' })],
    ['the media type', () => ({ mediaType: 'VIDEO' })],
    ['a superpower', () => ({ channels: { [channel]: { superpower: { hashtag: '#new' } } } })],
  ])('a change of %s of a SCHEDULED post returns it to WAITING_FOR_APPROVAL, without a task', async (_what, body) => {
    const id = await create()
    const scheduled = await approve(id)
    expect(scheduled.body.taskId).toBeTypeOf('string')
    const changed = await patch(id, body())
    expect(changed.body).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
    expect(changed.body).not.toHaveProperty('taskId')
    t.clock.advance(7_200_000)
    await t.runToEnd()
    expect(t.sandbox.published).toEqual([])
    expect((await read(id)).body.status).toBe('WAITING_FOR_APPROVAL')
  })

  test('adding or removing a channel does the same', async () => {
    const other = await t.channel('INSTAGRAM_ACCOUNT')
    const id = await create()
    await approve(id)
    const added = await patch(id, { channels: { [other]: { caption: 'Hi' } } })
    expect(added.body.status).toBe('WAITING_FOR_APPROVAL')
    expect((await approve(id)).body.status).toBe('SCHEDULED')
    expect((await patch(id, { channels: { [other]: null } })).body.status).toBe('WAITING_FOR_APPROVAL')
  })

  test('another time and other notes keep the approval and the task, and an empty change makes no version', async () => {
    const id = await create()
    const { body, headers } = await approve(id)
    const moved = await patch(id, { scheduledFor: later(7_200_000), notes: 'An hour later' })
    expect(moved.body).toMatchObject({ status: 'SCHEDULED', taskId: body.taskId })
    expect(moved.headers.etag).not.toBe(headers.etag)
    const same = await patch(id, { media: MEDIA, channels: { [channel]: { caption: 'Approved text' } } })
    expect([same.body.status, same.headers.etag]).toEqual(['SCHEDULED', moved.headers.etag])
    t.clock.advance(7_200_000)
    await t.runToEnd()
    expect(t.sandbox.published.map(({ text }) => text)).toEqual(['Approved text'])
  })

  test('a retry publishes the approved content, and a failed post cannot be changed before it', async () => {
    const id = await create()
    await approve(id)
    t.sandbox.faults.add({ match: /\/feed$/, fault: refusedFault('No') })
    t.clock.advance(3_600_000)
    await t.runToEnd()
    expect((await read(id)).body.status).toBe('FAILED')
    expect(codeOf(await patch(id, { channels: { [channel]: { caption: 'Swapped' } } }))).toEqual([400, 'wrong_state'])
    await operatorCall(t, 200, 'POST', `/organizations/${t.tenant.organizationId}${path(id)}/retry`, {
      body: { scheduledFor: later() },
    })
    t.clock.advance(3_600_000)
    await t.runToEnd()
    expect(t.sandbox.published.map(({ text }) => text)).toEqual(['Approved text'])
  })

  test('the database protects it from every writer: plain SQL cannot change approved content', async () => {
    const id = await create()
    await approve(id)
    const key = [t.tenant.organizationId, id]
    const refused = [
      `update scheduled_posts set media = 'https://evil.example' where organization_id = $1 and scheduled_post_id = $2`,
      `update scheduled_post_channels set caption = 'x' where organization_id = $1 and scheduled_post_id = $2`,
      `update scheduled_post_channels set superpower = '{}' where organization_id = $1 and scheduled_post_id = $2`,
      'delete from scheduled_post_channels where organization_id = $1 and scheduled_post_id = $2',
    ]
    for (const statement of refused) {
      await expect(t.context.database.query(statement, key)).rejects.toThrow('approved post cannot change')
    }
    const draft = await create()
    await expect(
      t.context.database.query(
        `update scheduled_posts set status = 'SCHEDULED', task_id = 't' where organization_id = $1 and scheduled_post_id = $2`,
        [t.tenant.organizationId, draft],
      ),
    ).rejects.toThrow(/violates check constraint/)
    await t.tenant.call(200, 'DELETE', path(id))
  })

  test('of a simultaneous change and approval, the approved text is published, or nothing', async () => {
    for (let round = 0; round < 3; round++) {
      const id = await create(`Round ${round}`)
      const etag = String((await read(id)).headers.etag)
      const [approved, changed] = await Promise.all([
        approve(id, etag),
        patch(id, { channels: { [channel]: { caption: 'Unseen' } } }),
      ])
      expect(changed.status).toBe(200)
      expect([200, 412]).toContain(approved.status)
      // Approved first, the change removed the approval; changed first, the approval was refused.
      expect((await read(id)).body.status).toBe('WAITING_FOR_APPROVAL')
    }
    t.clock.advance(7_200_000)
    await t.runToEnd()
    expect(t.sandbox.published).toEqual([])
  })
})

describe('the published content of a channel', () => {
  let failed: string
  let other: string
  let id: string
  /** A DRAFT that is published on `channel` and failed on `failed`. */
  beforeEach(async () => {
    failed = await t.channel('INSTAGRAM_ACCOUNT')
    other = await t.channel('FB_PAGE')
    id = await create('Out')
    await patch(id, { channels: { [channel]: { superpower: { hashtag: '#out' } }, [failed]: { caption: 'Not out' } } })
    await approve(id)
    t.sandbox.faults.add({ match: /\/media$/, fault: refusedFault('No') })
    t.clock.advance(3_600_000)
    await t.runToEnd()
    expect((await read(id)).body.status).toBe('FAILED')
    await operatorCall(t, 200, 'POST', `/organizations/${t.tenant.organizationId}${path(id)}/retry`, {
      body: { scheduledFor: later() },
    })
  })
  const revert = () => t.tenant.call(200, 'POST', `${path(id)}/revert`)
  const texts = () => t.sandbox.published.map(({ text }) => text).sort()

  test.each<[string, () => object, () => string]>([
    ['its caption', () => ({ channels: { [channel]: { caption: 'Never out' } } }), () => `channels.${channel}`],
    ['its superpower', () => ({ channels: { [channel]: { superpower: null } } }), () => `channels.${channel}`],
    ['the channel', () => ({ channels: { [channel]: null } }), () => `channels.${channel}`],
    ['the media', () => ({ media: 'https://cdn.example.com/other.jpg' }), () => 'media'],
    ['the media type', () => ({ mediaType: 'VIDEO' }), () => 'mediaType'],
  ])('stays as published: a change of %s is refused with this reason', async (_what, body, name) => {
    for (const status of ['SCHEDULED', 'DRAFT'] as const) {
      if (status === 'DRAFT') await revert()
      const before = await read(id)
      const reply = await patch(id, body())
      expect(codeOf(reply)).toEqual([400, 'already_published'])
      expect(reply.body.message).toContain(`The post is already published on ${channel}:`)
      expect(reply.body.message).toContain(`Leave out ${name()},`)
      // A change that is refused in part changes nothing.
      expect(codeOf(await patch(id, { ...body(), notes: 'Mine' }))).toEqual([400, 'already_published'])
      const after = await read(id)
      expect([after.body, after.headers.etag]).toEqual([before.body, before.headers.etag])
      expect(after.body.status).toBe(status)
    }
  })

  test('allows other changes: the other channels, the time, the notes', async () => {
    await revert()
    for (const body of [
      { notes: 'Mine', scheduledFor: later(7_200_000), media: MEDIA, mediaType: 'IMAGE' },
      { channels: { [channel]: { caption: 'Out' }, [failed]: { caption: 'Better' } } },
      { channels: { [channel]: {}, [other]: { caption: 'Elsewhere' } } },
    ]) {
      expect((await patch(id, body)).status).toBe(200)
    }
    await t.tenant.call(200, 'POST', `${path(id)}/submit-for-approval`)
    await approve(id)
    t.clock.advance(7_200_000)
    await t.runToEnd()
    expect((await read(id)).body.status).toBe('PUBLISHED')
    expect(texts()).toEqual(['Better', 'Elsewhere', 'Out'])
  })

  test('is the content of a PUBLISHED post once the failed channel is removed from it', async () => {
    await revert()
    expect((await patch(id, { channels: { [failed]: null } })).status).toBe(200)
    await t.tenant.call(200, 'POST', `${path(id)}/submit-for-approval`)
    await approve(id)
    t.clock.advance(3_600_000)
    await t.runToEnd()
    const { body } = await read(id)
    expect(body.status).toBe('PUBLISHED')
    expect(Object.values<{ caption: string }>(body.mediumsData).map(({ caption }) => caption)).toEqual(['Out'])
    expect(texts()).toEqual(['Out'])
  })

  test('is protected by the database from every writer, but the post can be deleted', async () => {
    await revert()
    const key = [t.tenant.organizationId, id]
    const where = 'where organization_id = $1 and scheduled_post_id = $2'
    for (const statement of [
      `update scheduled_posts set media = 'https://evil.example' ${where}`,
      `update scheduled_posts set media_type = 'VIDEO' ${where}`,
      `update scheduled_post_channels set caption = 'x' ${where}`,
      `update scheduled_post_channels set superpower = '{}' ${where}`,
      `delete from scheduled_post_channels ${where}`,
    ]) {
      await expect(t.context.database.query(statement, key)).rejects.toThrow('out on a channel cannot change')
    }
    await t.tenant.call(200, 'DELETE', path(id))
  })
})

type Step = {
  do: 'edit' | 'move' | 'approve' | 'approveStale' | 'reject' | 'revert' | 'submit' | 'retry' | 'tick' | 'wait' | 'fail'
}
const PUBLISHING: Step['do'][][] = [
  ['approve', 'tick'],
  ['edit', 'approve', 'tick'],
  ['approve', 'move', 'approve', 'tick'],
  ['reject', 'submit', 'approve', 'wait', 'tick'],
]

test('whatever is done in whatever order, unapproved content never reaches the platform', async () => {
  const step = fc.record<Step>({
    do: fc.constantFrom(
      'edit',
      'edit',
      'move',
      'approve',
      'approve',
      'approve',
      'submit',
      'tick',
      'tick',
      'tick',
      'approveStale',
      'reject',
      'revert',
      'submit',
      'retry',
      'tick',
      'wait',
      'fail',
    ),
  })
  let texts = 0
  let published = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      t.sandbox.faults.clear()
      const approved = new Set<string>()
      const id = await create(`Text ${texts++}`)
      const textOf = async (): Promise<string> => (await read(id)).body.mediumsData[channel].caption
      let seen = String((await read(id)).headers.etag)
      for (const { do: action } of steps) {
        if (action === 'edit') await patch(id, { channels: { [channel]: { caption: `Text ${texts++}` } } })
        if (action === 'move') await patch(id, { scheduledFor: later(60_000) })
        if (action === 'approve') {
          const { headers } = await read(id)
          const text = await textOf()
          if ((await approve(id, String(headers.etag))).status === 200) approved.add(text)
        }
        if (action === 'approveStale') {
          const text = await textOf()
          if ((await approve(id, seen)).status === 200) approved.add(text)
          seen = String((await read(id)).headers.etag)
        }
        if (action === 'reject') await callAny(t.tenant, 'POST', `${path(id)}/reject`, { body: { notes: 'No' } })
        if (action === 'revert') await callAny(t.tenant, 'POST', `${path(id)}/revert`)
        if (action === 'submit') await callAny(t.tenant, 'POST', `${path(id)}/submit-for-approval`)
        if (action === 'retry') {
          await operatorAny(t.tenant, 'POST', `${path(id)}/retry`, { body: { scheduledFor: later(60_000) } })
        }
        if (action === 'fail') t.sandbox.faults.add({ match: /\/feed$/, fault: refusedFault('No') })
        if (action === 'wait') t.clock.advance(1_800_000)
        if (action === 'tick') {
          t.clock.advance(3_700_000)
          await createPublisher(t.context).tick()
        }
      }
      const found = t.sandbox.published.slice(published).map(({ text }) => text)
      published = t.sandbox.published.length
      for (const text of found) expect(approved).toContain(text)
      await callAny(t.tenant, 'DELETE', path(id))
    }),
    // The first cases are known to publish, so that this does not depend on luck.
    { numRuns: 12, examples: PUBLISHING.map((steps) => [steps.map((action) => ({ do: action }))]) },
  )
  expect(published).toBeGreaterThan(3)
})
